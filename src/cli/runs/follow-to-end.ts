import type { Machine } from "../../app/machine/machine.ts";
import { followEvents } from "../../app/runs/run-events.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { Invocation } from "../command/command.ts";

/** A run that was read so far. */
export interface RunReadSoFar {
  /** Moved on by `take`. */
  readonly state: RunState;
  readonly take: (event: JournalEvent) => void;
}

/** Hands out the events of a run until it is over, or until nobody reads standard output any more. */
export async function followToEnd(
  machine: Machine,
  { state, take }: RunReadSoFar,
  { io }: Pick<Invocation, "io">,
): Promise<void> {
  if (state.phase.status === "ended") return;
  // Whoever reads us is gone: there is nobody to follow the run for.
  const over = new AbortController();
  const endListening = io.stdout.onClosed(() => over.abort());
  const position = { afterSeq: state.lastSeq, signal: over.signal };
  for await (const event of followEvents(machine, state.run.id, position)) {
    take(event);
    if (event.type === "run-ended") break;
  }
  endListening();
}
