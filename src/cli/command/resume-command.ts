import type { RunState } from "../../fold/state/run-state.ts";
import { TROUPE } from "./called-as.ts";

/** Returns the command that resumes a run. A run that was trusted only for itself is resumed with the same trust. */
export function resumeCommandOf({ run }: Pick<RunState, "run">): string {
  const needsTrust = run.configuration?.isGiven === true;
  return `${TROUPE} resume ${run.id}${needsTrust ? " --trust" : ""}`;
}
