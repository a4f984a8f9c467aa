import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AgentRunResult } from "../app/history/agent-result.ts";
import type { Machine } from "../app/machine/machine.ts";
import { runLetGo, runUnfinished } from "../app/run/owner/errors.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { UserBackend } from "../app/workflow/code/workflow-code.ts";
import { type AgentSpec, OWN_TOOLS, TASK_TOOL, UNCHOSEN } from "../contracts/agent.ts";
import type { ConversationMessage } from "../contracts/conversation.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import type { EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { OwnModel, OwnTool } from "../contracts/own-model.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import { toJson } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { beginPrepared } from "./begin-run.ts";
import {
  AMOUNT,
  assertArgument,
  either,
  FUNCTION,
  JSON_VALUE,
  listOf,
  OBJECT,
  type OptionTable,
  required,
  SIGNAL,
  TEXT,
} from "./check-options.ts";
import { checkOptions, LOOP, PLACE, WORKFLOW_OPTIONS } from "./option-tables.ts";
import { buildWorkflow, type WorkflowOptions } from "./task-definition.ts";

/** What an agent of one's own program is, and what it may do. */
export interface AgentExecutorOptions
  extends Pick<
      AgentSpec,
      | "maxTurns"
      | "permissionMode"
      | "mcpServers"
      | "autoApprovePlanMode"
      | "effort"
      | "maxOutputTokens"
    >,
    Pick<WorkflowOptions, "cwd" | "env" | "store" | "troupe" | "timeoutMs" | "budget"> {
  /** `provider/name`, a model of AI SDK, or what `defineModel` made: its model with its tools and its window. */
  readonly model: string | LanguageModelV4 | OwnModel;
  /**
   * Names of tools of Troupe's loop and of the model, and tools of your own. Defaults to all of the loop but `WebFetch`, and
   * all of the model.
   */
  readonly tools?: readonly (string | OwnTool)[];
  /** What the model is told before everything else, beside what Troupe and the project say. */
  readonly systemPrompt?: string;
  /** How much the model takes at once, in tokens. Defaults to 128,000. */
  readonly contextWindow?: number;
  /** Ends what runs. */
  readonly signal?: AbortSignal;
  /** Called with each durable event, in order; the run is there to answer what it asks. */
  readonly onEvent?: (event: JournalEvent, run: WorkflowRun) => void;
}

const AGENT = "agent";
const BACKEND = "executor";
/** Shows the rest of what was too long. */
const LONG_RESULTS = "resource_read";
const SPAWNING: readonly string[] = ["Agent", TASK_TOOL];
const LOOP_TOOLS = [...OWN_TOOLS.filter((name) => !SPAWNING.includes(name)), UNCHOSEN];

/**
 * One agent that works through prompts alone: a model with tools in Troupe's loop, without a team and without a workflow.
 * Each prompt is a run of its own, in memory unless `store` says `files`. Nobody is asked what it may do unless
 * `permissionMode` says so: what is not allowed is denied (`dont-ask`).
 *
 * @example
 * ```ts
 * const agent = new AgentExecutor({ model: "anthropic/claude-sonnet-4-5", tools: ["Read", "Grep", "Glob"] });
 * const { finalText, messages } = await agent.run("Where are sessions kept?");
 * const more = await agent.runWithContext("And who ends them?", messages);
 * ```
 */
export class AgentExecutor {
  readonly #options: AgentExecutorOptions;

  /** Throws SDK_OPTION_UNKNOWN, SDK_OPTION_INVALID and SDK_OPTION_UNUSED. */
  constructor(options: AgentExecutorOptions) {
    checkOptions("AgentExecutor", EXECUTOR, options);
    this.#options = options;
  }

  /** Carries out a prompt from nothing. Rejects with the error that ended it: BACKEND_*, AGENT_*, LIMIT_* and what starting a run raises. */
  run(prompt: string): Promise<AgentRunResult> {
    return this.runWithContext(prompt, []);
  }

  /** The same after a conversation, such as the `messages` of an earlier result. Also rejects with BACKEND_PREFLIGHT_FAILED for what is none. */
  async runWithContext(
    prompt: string,
    messages: readonly ConversationMessage[],
  ): Promise<AgentRunResult> {
    assertArgument(["AgentExecutor.run", "prompt"], TEXT, prompt);
    assertArgument(["AgentExecutor.run", "messages"], listOf(JSON_VALUE), messages);
    const { signal, onEvent } = this.#options;
    const { run, machine } = beginPrepared(runOptions(this.#options), () => ({
      definition: definitionOf(this.#options, prompt, messages),
      // Nobody else could answer: the run is its own affair.
      start: {
        backends: [backendOf(this.#options)],
        suspendsWhenWaiting: onEvent === undefined,
      },
    }));
    const cancel = () => void run.cancel("its caller has ended it").catch(() => {});
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    try {
      const events: JournalEvent[] = [];
      for await (const event of run.events) {
        events.push(event);
        onEvent?.(event, run);
      }
      const parting = await run.parted;
      if (parting.status === "suspended")
        throw runLetGo({ run: run.id, reason: parting.event.reason });
      return await resultOf(events, {
        ...{ run: run.id, machine: await machine, end: parting.event, before: messages },
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }
}

const EXECUTOR: OptionTable<AgentExecutorOptions> = {
  ...LOOP,
  ...PLACE,
  ...{ timeoutMs: AMOUNT, budget: WORKFLOW_OPTIONS.budget, systemPrompt: TEXT },
  model: required(either(TEXT, OBJECT)),
  tools: listOf(either(TEXT, OBJECT)),
  ...{ contextWindow: AMOUNT, signal: SIGNAL, onEvent: FUNCTION },
};

interface PromptEnd {
  readonly run: string;
  readonly machine: Machine;
  readonly end: EventOf<"run-ended">;
  /** What the agent was given to go on with. */
  readonly before: readonly ConversationMessage[];
}

async function resultOf(
  events: readonly JournalEvent[],
  { run, machine, end, before }: PromptEnd,
): Promise<AgentRunResult> {
  const hasAnswered = events.some(({ type }) => type === "turn-completed");
  if (!hasAnswered && end.outcome !== "cancelled") throw failureOf(events, { ...end, run });
  const { readAgentResult } = await import("../app/history/agent-result.ts");
  return readAgentResult(machine, run, before);
}

function runOptions(options: AgentExecutorOptions): WorkflowOptions {
  const { cwd, env, store = "memory", troupe, timeoutMs, budget } = options;
  return { store, ...present({ cwd, env, troupe, timeoutMs, budget }) };
}

function backendOf({ model, contextWindow, tools = [] }: AgentExecutorOptions): UserBackend {
  const own = tools.filter((tool) => typeof tool !== "string");
  const given = definedOf(model);
  return {
    ...{ name: BACKEND, tools: [...(given.tools ?? []), ...own], conventions: "none" },
    ...present({ model: given.model, contextWindow: contextWindow ?? given.contextWindow }),
  };
}

/** What was given as a model, as `defineModel` would say it. */
function definedOf(model: AgentExecutorOptions["model"]): Omit<OwnModel, "name"> {
  if (typeof model === "string") return {};
  return isDefined(model) ? model : { model };
}

/** What is neither is refused with what it lacks as a model of AI SDK. */
function isDefined(model: LanguageModelV4 | OwnModel): model is OwnModel {
  return "name" in model && !("specificationVersion" in model);
}

function definitionOf(
  options: AgentExecutorOptions,
  prompt: string,
  messages: readonly ConversationMessage[],
): PatternDefinition {
  const pattern = { name: "fan-out", label: "Agent", onFailure: "continue" } as const;
  const task = { name: AGENT, task: prompt, expects: "none" };
  const { definition } = buildWorkflow(pattern, [{ definition: task }], runOptions(options));
  return { ...definition, name: AGENT, agents: [agentOf(options, messages)] };
}

/** Whoever is alone needs none of Troupe's tools for teams, unless they are named. */
function toolNames(tools: AgentExecutorOptions["tools"]): readonly string[] {
  const named = tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
  return [...(named ?? LOOP_TOOLS), LONG_RESULTS];
}

function agentOf(
  options: AgentExecutorOptions,
  messages: readonly ConversationMessage[],
): AgentSpec {
  const { model, permissionMode = "dont-ask", systemPrompt } = options;
  const { maxTurns, mcpServers, autoApprovePlanMode, effort, maxOutputTokens } = options;
  const context = messages.length === 0 ? undefined : toJson(messages, "the conversation");
  return {
    id: AGENT,
    backend: BACKEND,
    permissionMode,
    tools: toolNames(options.tools),
    settings: present({ systemPrompt, context }),
    ...present({ model: typeof model === "string" ? model : undefined, maxTurns }),
    ...present({ mcpServers, autoApprovePlanMode, effort, maxOutputTokens }),
  };
}

/** Why the turn came to no end of its own. */
function failureOf(
  events: readonly JournalEvent[],
  { run, outcome, reason, error }: EventOf<"run-ended"> & { readonly run: string },
): Error {
  const failed = events.findLast((event) => event.type === "turn-failed");
  const report = failed?.error ?? error;
  if (report !== undefined) return fromErrorReport(report);
  return runUnfinished({ run, outcome, reason });
}
