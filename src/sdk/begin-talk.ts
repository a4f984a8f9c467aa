import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { AgentRole } from "../contracts/agent.ts";
import type { RouteTest } from "../contracts/ports/pattern.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { beginRun } from "./begin-run.ts";
import {
  buildTalk,
  type MemberTask,
  namesOfMembers,
  type TalkMember,
  type TalkOptions,
} from "./talk-definition.ts";

/** Who takes part in a pattern that gives turns itself, and what its block says. */
interface Talking {
  readonly members: readonly TalkMember[];
  readonly block: { readonly [key: string]: Json };
  /** What all are to do together. Defaults to nothing beyond their parts. */
  readonly goal?: string;
  readonly options: TalkOptions;
  /** Functions that decide where a task goes on. Defaults to none. */
  readonly routes?: readonly RouteTest[];
}

/** Starts a run of a pattern that gives turns itself. Raises TASK_NAME_INVALID. */
export function beginTalk(
  pattern: string,
  { members, block, goal, options, routes }: Talking,
): WorkflowRun {
  const { definition, functions } = buildTalk({ pattern, members, block, goal }, options);
  return beginRun(definition, options, { functions, ...present({ routes }) });
}

/** Members of one kind: under their own names, else under the label. */
export function namedMembers(
  tasks: readonly MemberTask[],
  label: string,
  role?: AgentRole,
): readonly TalkMember[] {
  const names = namesOfMembers(tasks, label);
  return tasks.map((task, index) => ({
    task,
    name: names[index] ?? label,
    ...present({ role }),
  }));
}
