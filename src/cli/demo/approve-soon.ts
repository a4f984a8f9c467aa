import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import type { Clock, Timer } from "../../foundation/clock.ts";

/** How the demo decides where nobody does. */
export interface ApproveSoonOptions {
  readonly clock: Clock;
  /** Time that a person has first. */
  readonly delayMs: number;
}

/** Allows what the run's agents ask for, after a while, unless a person was quicker. Ends with the run. */
export async function approveSoon(run: WorkflowRun, options: ApproveSoonOptions): Promise<void> {
  const { clock, delayMs } = options;
  const timers = new Map<string, Timer>();
  for await (const event of run.events) {
    if (event.type === "permission-resolved") timers.get(event.id)?.cancel();
    if (event.type !== "permission-requested") continue;
    const { id } = event;
    timers.set(
      id,
      clock.startTimer(delayMs, () => {
        // Who was quicker has decided; then there is nothing left to allow.
        run
          .command({ kind: "resolve-permission", id, decision: "allowed" }, "demo")
          .catch(() => {});
      }),
    );
  }
  for (const timer of timers.values()) timer.cancel();
}
