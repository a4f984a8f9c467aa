import type { EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { RunEnded, RunSuspended } from "../contracts/events/run-events.ts";
import { TroupeError } from "../foundation/errors.ts";
import { findStorageFault } from "../foundation/storage-fault.ts";
import { storeUnwritable } from "../journal/errors.ts";
import type { RunJournal } from "./run-journal.ts";
import type { StopKind } from "./run-listeners.ts";

// Owns the way out of a run: the first way to leave is the only one, except that a failure beats all.
// Does not own what has to end before; it asks for that.
// I4: a run that is asked to leave during replay does so when replay has shown that it fits.
// I7: nothing is told or let go before every effect has ended.
// I11: the last event is written once, and nothing after it.

/** How this process and the run parted. */
export type RunParting =
  | { readonly status: "ended"; readonly event: EventOf<"run-ended"> }
  | { readonly status: "suspended"; readonly event: EventOf<"run-suspended"> };

/** What leaving needs of a run. */
export interface RunExitPorts {
  readonly journal: RunJournal;
  /** No operation starts or settles any more; effects are asked to end. */
  readonly stop: () => void;
  /** Resolves when everything that runs for the run has ended. */
  readonly endEffects: (stop: StopKind) => Promise<void>;
  /** Ends timers and gives the run back. */
  readonly letGo: () => void;
}

/** How a run is left. */
export class RunExit {
  readonly #ports: RunExitPorts;
  readonly #parted = Promise.withResolvers<RunParting>();
  #status: "replaying" | "inside" | "leaving" | "outside" = "replaying";
  #wish: (() => void) | undefined;

  constructor(ports: RunExitPorts) {
    this.#ports = ports;
  }

  /** Resolves when the run has ended or was let go; rejects when it had to stop without a word. */
  get parted(): Promise<RunParting> {
    return this.#parted.promise;
  }

  /** Whether the run goes on as far as is known. */
  get isInside(): boolean {
    return this.#status === "replaying" || this.#status === "inside";
  }

  /** Replay is over: leaves now, if that was asked for meanwhile. */
  replayed(): void {
    if (this.#status !== "replaying") return;
    this.#status = "inside";
    this.#wish?.();
  }

  /** Ends all effects, writes the last event and lets go. */
  leave(stop: StopKind, toEvent: () => RunEnded | RunSuspended): void {
    if (this.#status === "replaying") this.#wish ??= () => this.leave(stop, toEvent);
    if (this.#status !== "inside") return;
    this.#status = "leaving";
    if (stop === "suspended") this.#ports.stop();
    // What fails on the way out is reported as a failure of the run.
    this.#goOut(stop, toEvent).catch((error: unknown) => this.fail(error));
  }

  /** Stops everything without a word in the journal: it cannot be written any more, or must not be. */
  fail(error: unknown): void {
    if (this.#status === "outside") return;
    this.#status = "outside";
    const { journal, stop, endEffects, letGo } = this.#ports;
    journal.stop();
    stop();
    // What runs must end before anyone is told. Whatever goes wrong with that follows from the first error.
    const ending = endEffects("suspended").finally(() => {
      try {
        // Else the next owner would count a death, and three of them end what they happened in.
        if (isStorageError(error)) journal.giveUp();
      } finally {
        letGo();
      }
    });
    const reject = () => this.#parted.reject(error);
    ending.then(reject, reject);
  }

  async #goOut(stop: StopKind, toEvent: () => RunEnded | RunSuspended): Promise<void> {
    const { journal, endEffects, letGo } = this.#ports;
    await endEffects(stop);
    await journal.flushed();
    const event = await journal.finish(toEvent());
    letGo();
    this.#status = "outside";
    this.#parted.resolve(toParting(event));
  }
}

/** Whether the run stops for nothing but the place where it is kept. */
function isStorageError(error: unknown): boolean {
  const isUnwritable = error instanceof TroupeError && error.code === storeUnwritable.code;
  return isUnwritable || findStorageFault(error) !== undefined;
}

function toParting(event: JournalEvent): RunParting {
  if (event.type === "run-ended") return { status: "ended", event };
  if (event.type === "run-suspended") return { status: "suspended", event };
  throw new Error(`a run does not part with ${event.type}`);
}
