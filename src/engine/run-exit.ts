import type { EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { RunEnded, RunSuspended } from "../contracts/events/run-events.ts";
import type { SuspendReason } from "../contracts/run.ts";
import { waitingItems } from "../fold/waiting.ts";
import { type ErrorReport, TroupeError } from "../foundation/errors.ts";
import { present } from "../foundation/present.ts";
import { findStorageFault } from "../foundation/storage-fault.ts";
import { storeUnwritable } from "../journal/errors.ts";
import { warnOfCleanUp } from "./clean-up.ts";
import type { OperationRunner } from "./operation-runner.ts";
import type { Ownership } from "./ports.ts";
import type { RunCancellation } from "./run-cancellation.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunListeners, StopKind } from "./run-listeners.ts";
import type { RunningClock } from "./running-clock.ts";

// Owns the way out of a run: the first way to leave is the only one, except that a failure beats all.
// Does not own what has to end before: the runner and those who listen end that.
// I4: a run that is asked to leave during replay does so when replay has shown that it fits.
// I7: nothing is told or let go before every effect has ended.
// I11: the last event is written once, and nothing after it.
// What has happened is durable before anything is cleaned up, and a clean-up that fails changes no outcome.

/** How this process and the run parted. */
export type RunParting =
  | { readonly status: "ended"; readonly event: EventOf<"run-ended"> }
  | { readonly status: "suspended"; readonly event: EventOf<"run-suspended"> };

interface RunExitParts {
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  readonly cancellation: RunCancellation;
  readonly listeners: RunListeners;
  readonly runningClock: RunningClock;
  readonly ownership: Ownership;
}

/** How a run is left. */
export class RunExit {
  readonly #parts: RunExitParts;
  readonly #parted = Promise.withResolvers<RunParting>();
  #status: "replaying" | "inside" | "leaving" | "outside" = "replaying";
  #wish: (() => void) | undefined;

  constructor(parts: RunExitParts) {
    this.#parts = parts;
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
    if (stop === "suspended") this.#parts.runner.stop({ kind: "suspended" });
    // What fails on the way out is reported as a failure of the run.
    this.#goOut(stop, toEvent).catch((error: unknown) => this.fail(error));
  }

  /** Lets go of the run without settling anything. */
  suspend(reason: SuspendReason, exitCode: number, error?: ErrorReport): void {
    // Looked up now: the turns that ask are about to be cut off, and what they ask with them.
    const waitingFor = waitingItems(this.#parts.journal.state);
    const event: RunSuspended = {
      type: "run-suspended",
      ...{ reason, waitingFor, exitCode },
      ...present({ error }),
    };
    this.leave("suspended", () => event);
  }

  /** Stops everything without a word in the journal: it cannot be written any more, or must not be. */
  fail(error: unknown): void {
    if (this.#status === "outside") return;
    this.#status = "outside";
    const { journal, runner } = this.#parts;
    journal.stop();
    runner.stop({ kind: "suspended" });
    // What runs must end before anyone is told. Whatever goes wrong with that follows from the first error.
    const ending = this.#endEffects("suspended").finally(() => {
      try {
        // Else the next owner would count a death, and three of them end what they happened in.
        if (isStorageError(error)) journal.giveUp();
      } finally {
        this.#letGo();
      }
    });
    const reject = () => this.#parted.reject(error);
    ending.then(reject, reject);
  }

  async #goOut(stop: StopKind, toEvent: () => RunEnded | RunSuspended): Promise<void> {
    const { journal } = this.#parts;
    await journal.flushed();
    await this.#endEffects(stop);
    await journal.flushed();
    const event = await journal.finish(toEvent());
    this.#letGo();
    this.#status = "outside";
    this.#parted.resolve(toParting(event));
  }

  /** Resolves when everything that runs for the run has ended; what failed is a warning of the run. */
  async #endEffects(stop: StopKind): Promise<void> {
    const { cancellation, journal, listeners, runner } = this.#parts;
    cancellation.close();
    const failures = [...(await listeners.stopping(stop))];
    await runner.ended();
    failures.push(...(await listeners.stopped()));
    const left = "something was not cleaned up at the end of the run";
    for (const error of failures) warnOfCleanUp(journal, { of: "run", left, error });
  }

  /** Ends timers and gives the run back. */
  #letGo(): void {
    const { cancellation, runningClock, ownership } = this.#parts;
    cancellation.close();
    runningClock.close();
    ownership.release();
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
