/**
 * Why a turn was interrupted, for people. `owner-died` is recorded whenever another process finds the turn open: its owner was
 * killed, was stopped for longer than its lease, or gave up because it could not write.
 */
export function interruptionText(reason: string): string {
  return reason === "owner-died" ? "its process let go of the run without ending it" : reason;
}
