import type { AgentRole, AgentSpec } from "../contracts/agent.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import type { ConversationBounds, PatternDefinition } from "../contracts/definition.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { escapeTemplate } from "../programs/language/templates/template.ts";
import { DEFAULT_BOUNDS, turnRulesOf } from "../programs/primitives/own-turns.ts";
import {
  assertNames,
  type BuiltWorkflow,
  emptyDefinition,
  type TaskDefinition,
  toAgent,
  toShadows,
  type WorkflowOptions,
} from "./task-definition.ts";

/** One agent of a pattern that gives turns itself, and its part. */
export type MemberTask = Omit<
  TaskDefinition,
  "expects" | "verify" | "maxAttempts" | "retryDelayMs" | "timeoutMs"
>;

/** What patterns take that give turns themselves. */
export interface TalkOptions extends WorkflowOptions {
  /** Attempts at a turn in all. Defaults to 1. */
  readonly maxAttempts?: number;
  /** Wait before the second attempt in ms; doubles. Defaults to 1 s. */
  readonly retryDelayMs?: number;
  /** How long one turn may take, in ms. Defaults to any time. */
  readonly turnTimeoutMs?: number;
  /**
   * What ends agents that wake each other. Defaults to 50 turns each, 500 messages, 6 changes of voice between two. Other
   * patterns have bounds of their own, and none of these unless they are given.
   */
  readonly bounds?: ConversationBounds;
}

/** One agent with its place in the pattern. */
export interface TalkMember {
  readonly task: MemberTask;
  readonly name: string;
  readonly role?: AgentRole;
  readonly reportsTo?: string;
}

/** A pattern that gives turns itself, with who takes part. */
export interface TalkSketch {
  readonly pattern: string;
  readonly members: readonly TalkMember[];
  readonly block: { readonly [key: string]: Json };
  /** What all are to do together. Plain text. */
  readonly goal: string | undefined;
}

const DEFAULT_RETRY_DELAY_MS = 1000;

/** Names of agents: their own, else the label with a number; without one where there is only one agent. */
export function namesOfMembers(tasks: readonly MemberTask[], label: string): readonly string[] {
  const isAlone = tasks.length === 1;
  return tasks.map(({ name }, index) => name ?? (isAlone ? label : `${label}-${index + 1}`));
}

/** Builds the definition of a pattern that gives turns itself. Raises TASK_NAME_INVALID. */
export function buildTalk(parts: TalkSketch, options: TalkOptions): BuiltWorkflow {
  const { pattern, members, block, goal } = parts;
  assertNames(members.map(({ name }) => name));
  const functions = new Map<string, AgentFunction>();
  for (const { name, task } of members) if (task.run !== undefined) functions.set(name, task.run);
  const agents = members.map(
    ({ name, task, role, reportsTo }): AgentSpec => ({
      ...toAgent(name, task, options),
      task: escapeTemplate(task.task),
      ...present({ role, reportsTo }),
    }),
  );
  const { maxAttempts = 1, retryDelayMs = DEFAULT_RETRY_DELAY_MS, turnTimeoutMs } = options;
  const bounds = present(options.bounds ?? {});
  const definition: PatternDefinition = {
    ...emptyDefinition(pattern, options),
    agents: [...agents, ...toShadows(agents, options)],
    options: block,
    ...(goal === undefined ? {} : { goal: escapeTemplate(goal) }),
    turns: turnRulesOf({ maxAttempts, retryDelayMs, timeoutMs: turnTimeoutMs, bounds }),
    bounds: { ...DEFAULT_BOUNDS, ...bounds },
  };
  return { definition, functions };
}
