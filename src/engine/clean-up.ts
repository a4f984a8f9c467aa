import { toErrorReport } from "../foundation/errors.ts";
import { findStorageFault } from "../foundation/storage-fault.ts";
import type { RunRuntime } from "./run-runtime.ts";

/** A clean-up that did not do all it should. */
interface FailedCleanUp {
  /** Name for the note, such as `sessions` or `worktrees/coder`. */
  readonly of: string;
  /** What is left behind, or not done. */
  readonly left: string;
  readonly error?: unknown;
}

/**
 * Records a failed clean-up as a warning of the run: cleaning up never decides how a run ends. Several errors are one
 * warning each. Does nothing once the run takes no more events.
 */
export function warnOfCleanUp(
  runtime: { readonly state: Pick<RunRuntime["state"], "lastSeq"> } & Pick<RunRuntime, "append">,
  { of, left, error }: FailedCleanUp,
): void {
  if (error instanceof AggregateError) {
    for (const each of error.errors) warnOfCleanUp(runtime, { of, left, error: each });
    return;
  }
  const reason = error === undefined ? "" : `: ${describe(error)}`;
  const note = `clean-up/${of}@${runtime.state.lastSeq}`;
  runtime.append({ type: "log", note, level: "warning", text: `${left}${reason}` });
}

function describe(error: unknown): string {
  const { message, hint } = toErrorReport(error);
  // The hint of a full disk is to resume, which no longer helps a run that ends.
  if (findStorageFault(error) !== undefined) return message;
  return hint === undefined ? message : `${message} (${hint})`;
}
