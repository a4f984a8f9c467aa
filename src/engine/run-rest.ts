import type { RunState } from "../fold/state/run-state.ts";
import { isWaitingForPerson } from "../fold/waiting.ts";
import type { TroupeError } from "../foundation/errors.ts";
import { foreignPromise } from "./errors.ts";

const WAITING_EXIT_CODE = 3;

/** What the rest of a run is decided from, and what follows. */
export interface RunRestPorts {
  readonly state: RunState;
  /** Let go as soon as only people can move the run on. */
  readonly suspendsWhenWaiting: boolean;
  /** Whether the program goes on and all that was appended is durable. */
  readonly isSettled: () => boolean;
  /** Whether outcomes are still to reach the program. */
  readonly hasDeliveries: () => boolean;
  /** Whether nothing that the program waits for can come any more. */
  readonly isIdle: () => boolean;
  /** Called whenever nothing is under way; what it causes is seen in the same look. */
  readonly onQuiet: () => void;
  /** Ends the run if a limit wants it; whether it did. */
  readonly endAtLimit: () => boolean;
  readonly suspend: (exitCode: number) => void;
  /** Stops the run without a word in its journal. */
  readonly fail: (error: TroupeError) => void;
  readonly endProgram: (error: TroupeError) => void;
}

/** Notices that nothing is under way in a run: then either only people can go on, or nobody can. */
export class RunRest {
  readonly #ports: RunRestPorts;

  constructor(ports: RunRestPorts) {
    this.#ports = ports;
  }

  /** Looks once everything that is ready now has happened. */
  check(): void {
    setImmediate(() => this.#look());
  }

  #look(): void {
    const { state, isSettled, hasDeliveries, isIdle, onQuiet } = this.#ports;
    if (!isSettled()) return;
    if (hasDeliveries()) {
      this.check();
      return;
    }
    onQuiet();
    if (this.#ports.endAtLimit()) return;
    if (this.#ports.suspendsWhenWaiting && isWaitingForPerson(state))
      this.#ports.suspend(WAITING_EXIT_CODE);
    else if (isIdle()) this.#stopStranded();
  }

  /** The program waits for something that is none of the run's. */
  #stopStranded(): void {
    const { state, fail, endProgram } = this.#ports;
    const error = foreignPromise({ run: state.run.id });
    // A cancelled program that hangs on something of its own must not keep the run from ending.
    if (state.cancellation === undefined) fail(error);
    else endProgram(error);
  }
}
