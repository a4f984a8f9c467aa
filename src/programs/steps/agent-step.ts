import { z } from "zod";
import type { AgentHandle } from "../../contracts/agent.ts";
import { errorText } from "../../contracts/failure.ts";
import type { TurnResult } from "../../contracts/ports/context.ts";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import type { Json } from "../../foundation/json.ts";
import { completionOf } from "../../signals/decide-completion.ts";
import { outputTooLarge, reportedFailure, turnStopped } from "../errors.ts";
import { readJsonSchema } from "../json-schema/json-schema.ts";
import { agentPrompt, promptOf, repairPrompt } from "./parts/agent-prompt.ts";
import { jsonFromAnswer } from "./parts/answer-json.ts";
import { runChildWorkflow, workflowName } from "./parts/child-workflow.ts";
import { answerInvalid } from "./parts/errors.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  agent: z
    .string()
    .min(1)
    .brand<"$agent" | `workflow:${string}`>()
    .describe(
      "An agent of the file, an agent type, or `workflow:ID` for a workflow of the registry.",
    ),
  fallback: z
    .array(z.string().min(1).brand<"$agent">())
    .optional()
    .describe("Agents that try once each after the last attempt, in this order."),
  prompt: z
    .string()
    .optional()
    .describe(
      "What to do, with variables; below the prompt of the agent's type. With neither: the whole input.",
    ),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "A JSON Schema that the data must meet; an agent that reads text is asked once to repair it.",
    ),
});

type AgentSettings = z.infer<typeof settings>;

const DEFAULT_TIMEOUT_MS = 60_000;

/** Gives an agent one turn; its answer is the data (STP-10). */
export const agentStep = {
  ...PLAIN_STEP,
  name: "agent",
  summary: "Gives an agent the input and keeps its answer",
  settings,
  templates: ["prompt"],
  schemas: ["output_schema"],
  deadline: "itself",
  defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
  agents: ({ agent, fallback = [] }) => [
    ...(workflowName(agent) === undefined ? [agent] : []),
    ...fallback,
  ],
  fallbacks: ({ fallback = [] }) => fallback,
  triedBy: (given, agent) => settings.parse({ ...given, agent }),
  workflows: ({ agent }) => {
    const id = workflowName(agent);
    return id === undefined ? [] : [{ key: id, id }];
  },
  takesWholeInput: ({ agent, fallback = [], prompt }, { agents, prompts }, traitsOf) => {
    if (prompt !== undefined) return false;
    return [agent, ...fallback].some((each) => {
      const backend = agents.find(({ id }) => id === each)?.backend;
      const isOfProgram = backend !== undefined && traitsOf(backend)?.worker === "program";
      return isOfProgram || promptOf({ prompts }, each) === undefined;
    });
  },
  run,
} as const satisfies StepType<AgentSettings>;

async function run(run: StepRun<AgentSettings>): Promise<StepOutcome> {
  const { agent } = run.settings;
  const workflow = workflowName(agent);
  if (workflow !== undefined) return runChildWorkflow(run, workflow);
  const handle = await run.agent(agent);
  const turn = await ask(run, handle);
  assertDone(run, handle, turn);
  return toOutcome(run, handle, turn);
}

/** Programs are given the input itself, as one line of JSON, unless the step has a prompt of its own. */
function isProgram({ traitsOf }: Pick<StepRun, "traitsOf">, { backend }: AgentHandle): boolean {
  return traitsOf(backend)?.worker === "program";
}

function ask(run: StepRun<AgentSettings>, handle: AgentHandle): Promise<TurnResult> {
  const { context, scope, before, settings } = run;
  if (isProgram(run, handle)) {
    const { prompt } = settings;
    const task = prompt === undefined ? JSON.stringify(scope.toInput()) : scope.text(prompt);
    return context.turn(handle.id, task, { ...turnOptions(run), task });
  }
  return context.turn(handle.id, agentPrompt(run, before), turnOptions(run));
}

function turnOptions({ address, step, before, definition }: StepRun<AgentSettings>) {
  return {
    step: address,
    expects: "none",
    announce: "none" as const,
    ...(step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs }),
    ...(before === undefined ? {} : { previousError: errorText(definition, before.error) }),
  };
}

/** An agent that reports a failure has not done its step. Raises AGENT_REPORTED_FAILURE, AGENT_TURN_STOPPED. */
function assertDone(
  { step, settings: { agent } }: StepRun<AgentSettings>,
  { demandsSignal }: AgentHandle,
  turn: TurnResult,
): void {
  const isVerified = step.verify.length > 0;
  const completion = completionOf(turn, { expects: "none", demandsSignal, isVerified });
  if (completion.status === "negative") {
    const { kind, value } = completion.signal;
    throw reportedFailure({ agent, step: step.id, kind, text: value });
  }
  if (completion.status !== "done")
    throw turnStopped({ agent, step: step.id, stopReason: turn.stopReason });
}

async function toOutcome(
  run: StepRun<AgentSettings>,
  handle: AgentHandle,
  turn: TurnResult,
): Promise<StepOutcome> {
  const { output_schema: schema, agent } = run.settings;
  if (schema === undefined) return answered(turn, agent);
  const first = checkAnswer(run, schema, turn);
  if (first === undefined) return answered(turn, agent);
  if (isProgram(run, handle)) throw invalid(run, first);
  const prompt = repairPrompt(schema, first);
  const second = await run.context.turn(handle.id, prompt, turnOptions(run));
  assertDone(run, handle, second);
  const problem = checkAnswer(run, schema, second);
  if (problem !== undefined) throw invalid(run, problem);
  return answered(second, agent);
}

function invalid({ step, settings: { agent } }: StepRun<AgentSettings>, problem: string): Error {
  return answerInvalid({ agent, step: step.id, problem });
}

/** What keeps an answer from meeting the schema. Raises AGENT_OUTPUT_TOO_LARGE. */
function checkAnswer(
  { step }: StepRun<AgentSettings>,
  schema: { readonly [key: string]: unknown },
  turn: TurnResult,
): string | undefined {
  if (turn.textTruncated) throw outputTooLarge({ step: step.id });
  return readJsonSchema(schema).mismatchOf(dataOf(turn.text));
}

function dataOf(text: string): Json {
  return jsonFromAnswer(text) ?? { result: text };
}

function answered({ text, textTruncated }: TurnResult, agent: string): StepOutcome {
  return {
    data: dataOf(text),
    output: text,
    ...(textTruncated ? { outputTruncated: true } : {}),
    agent,
  };
}
