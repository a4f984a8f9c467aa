import type { Outcome } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { alignColumns } from "../terminal/table.ts";

/** A child run as `show --json` prints it. */
export interface ChildEntry {
  readonly run: string;
  readonly workflow: string;
  /** Path of the step that wanted it. */
  readonly path: string | null;
  /** Null while it is not over. */
  readonly outcome: Outcome | null;
}

// Beyond these `troupe runs` is the better place.
const MAX_CHILDREN = 20;

/** The child runs in the order of their starting. */
export function toChildEntries({ children }: RunState): readonly ChildEntry[] {
  return [...children.values()].map(({ child, workflow, path, end }) => ({
    run: child,
    workflow,
    path: path ?? null,
    outcome: end?.outcome ?? null,
  }));
}

/** The child runs for people, and the run that a child belongs to. */
export function familyLines(state: RunState): readonly string[] {
  const { parent } = state.run;
  const children = toChildEntries(state);
  const rows = children
    .slice(0, MAX_CHILDREN)
    .map(({ run, workflow, path, outcome }) =>
      [`  ${run}`, workflow, path ?? "", outcome ?? "not over"].map(toPrintable),
    );
  const more = children.length - rows.length;
  return [
    ...(parent === undefined ? [] : [`child of ${parent.run}`]),
    ...(rows.length === 0 ? [] : ["children", ...alignColumns(rows)]),
    ...(more > 0 ? [`  and ${more} more: ${TROUPE} runs`] : []),
  ];
}
