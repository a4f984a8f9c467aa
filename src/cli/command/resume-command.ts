import type { RunState } from "../../fold/state/run-state.ts";
import { TROUPE } from "./called-as.ts";

/** The command that resumes a run; one that was trusted for itself alone is resumed with the same trust. */
export function resumeCommand(run: string, needsTrust = false): string {
  return `${TROUPE} resume ${run}${needsTrust ? " --trust" : ""}`;
}

/** The command that resumes the run of a state. */
export function resumeCommandOf({ run }: Pick<RunState, "run">): string {
  return resumeCommand(run.id, run.configuration?.isGiven);
}
