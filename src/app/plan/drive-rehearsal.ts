import type { OwnedRun } from "../run/owner/run-owner.ts";
import type { VirtualClock } from "./virtual-clock.ts";

// More turns of the event loop in which nothing happens than anything that is ready needs.
const QUIET_ROUNDS = 4;
/** A workflow that goes round in circles is shown this far, and no further. */
const MAX_TURNS = 10_000;

/**
 * Moves the clock of a rehearsal on whenever nothing else happens, until it is over. What does not end by
 * itself is cancelled.
 */
export async function untilOver(owned: OwnedRun, clock: VirtualClock): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  owned.parted.then(over, over);
  let isCancelled = false;
  const goesOn = () => !isOver && (isCancelled || owned.state.turnsEnded <= MAX_TURNS);
  while (!isOver) {
    for (let seq = -1; seq !== owned.state.lastSeq && goesOn(); await settle())
      seq = owned.state.lastSeq;
    if (isOver || (goesOn() && clock.fireNext())) continue;
    if (isCancelled) throw new Error("a rehearsal does not end");
    isCancelled = true;
    await owned.command({ kind: "cancel", reason: "it does not end by itself" }, "plan");
  }
}

async function settle(): Promise<void> {
  for (let round = 0; round < QUIET_ROUNDS; round += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
}
