import { isWaitingForPerson } from "../fold/waiting.ts";
import { foreignPromise } from "./errors.ts";
import type { OperationRunner } from "./operation-runner.ts";
import type { RunBounds } from "./run-bounds.ts";
import type { ProgramEnd } from "./run-ending.ts";
import type { RunExit } from "./run-exit.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunListeners } from "./run-listeners.ts";

const WAITING_EXIT_CODE = 3;

interface RunRestParts {
  /** Let go as soon as only people can move the run on; a function is asked each time that this is so. */
  readonly suspendsWhenWaiting: boolean | (() => boolean);
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  readonly listeners: RunListeners;
  readonly bounds: RunBounds;
  readonly exit: RunExit;
  readonly program: { readonly end: ProgramEnd | undefined; endWith(error: unknown): void };
}

/** Notices that nothing is under way in a run: then either only people can go on, or nobody can. */
export class RunRest {
  readonly #parts: RunRestParts;

  constructor(parts: RunRestParts) {
    this.#parts = parts;
  }

  /** Looks once everything that is ready now has happened. */
  check(): void {
    setImmediate(() => this.#look());
  }

  #look(): void {
    const { journal, runner, listeners, bounds, exit, suspendsWhenWaiting } = this.#parts;
    if (!this.#isSettled()) return;
    if (runner.hasDeliveries) {
      this.check();
      return;
    }
    // What it causes is seen in the same look.
    listeners.quiet();
    if (bounds.endIfStill()) return;
    const letsGo =
      typeof suspendsWhenWaiting === "function" ? suspendsWhenWaiting : () => suspendsWhenWaiting;
    if (isWaitingForPerson(journal.state) && letsGo()) exit.suspend("waiting", WAITING_EXIT_CODE);
    else if (runner.isIdle) this.#stopStranded();
  }

  /** Whether the program goes on and all that was appended is durable. */
  #isSettled(): boolean {
    const { journal, exit, program } = this.#parts;
    return exit.isInside && program.end === undefined && journal.isClean;
  }

  /** The program waits for something that is none of the run's. */
  #stopStranded(): void {
    const { journal, exit, program } = this.#parts;
    const error = foreignPromise({ run: journal.run });
    // A cancelled program that hangs on something of its own must not keep the run from ending.
    if (journal.state.cancellation === undefined) exit.fail(error);
    else program.endWith(error);
  }
}
