import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { AgentRole } from "../contracts/agent.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import type { RouteTest } from "../contracts/ports/pattern.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { beginRun } from "./begin-run.ts";
import { withPatternFunctions } from "./step-agents.ts";
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
  /** Functions that the pattern asks in place of its block. Defaults to none. */
  readonly patternFunctions?: PatternFunctions;
}

/** Starts a run of a pattern that gives turns itself. Raises TASK_NAME_INVALID. */
export function beginTalk(
  pattern: string,
  { members, block, goal, options, routes, patternFunctions = {} }: Talking,
): WorkflowRun {
  const { definition, functions } = buildTalk({ pattern, members, block, goal }, options);
  return beginRun(withPatternFunctions(definition, patternFunctions), options, {
    functions,
    patternFunctions,
    ...present({ routes }),
  });
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
