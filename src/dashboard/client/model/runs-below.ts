import type { ChildUse } from "../../../contracts/budget.ts";
import type { ChildEnd } from "../../../fold/state/child-state.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { elapsedMs } from "../../../foundation/duration.ts";

/** A run that this one started, as its own journal knows it. */
export interface RunBelow {
  readonly run: string;
  readonly workflow: string;
  /** Of the step that waits for it; undefined when the program itself does. */
  readonly path: string | undefined;
  readonly durationMs: number;
  /** Undefined while it is not over. */
  readonly end: ChildEnd | undefined;
  /** With all that is below it in turn; undefined until it has told. */
  readonly use: ChildUse | undefined;
  /** What its step made of it; empty for a run that another one has followed in the same step. */
  readonly output: string;
}

/** The runs that a run started, in the order of their starting. */
export function startedRuns({ children, budget, steps, lastAt }: RunState): readonly RunBelow[] {
  const lastAtPath = new Map([...children.values()].map(({ path, op }) => [path, op]));
  return [...children.values()].map(({ child, op, workflow, path, startedAt, end }) => {
    const step = path === undefined ? undefined : steps.byPath.get(path);
    const isItsStep = step?.status === "completed" && lastAtPath.get(path) === op;
    return {
      run: child,
      ...{ workflow, path, end },
      durationMs: elapsedMs(startedAt, end?.endedAt ?? lastAt),
      use: budget.children.get(child),
      output: isItsStep && end !== undefined ? step.output : "",
    };
  });
}
