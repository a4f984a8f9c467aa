import type { JournalEvent } from "../../contracts/events/event.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { MessageSource } from "../../fold/state/message-source.ts";
import type { Json } from "../../foundation/json.ts";
import type { Dispatcher, Ownership, Timers } from "../ports.ts";
import type { RunBeginning, RunRecorder } from "../run-journal.ts";
import type { ProgramCall } from "./program-run.ts";

/** What carries out one run of a program. */
export interface RunDriverOptions<Definition> {
  readonly recorder: RunRecorder;
  readonly ownership: Ownership;
  readonly timers: Timers;
  readonly dispatcher: Dispatcher;
  readonly call: ProgramCall<Definition>;
  readonly beginning: RunBeginning;
  /** Let go as soon as only people can move the run on; a function is asked each time that this is so. */
  readonly suspendsWhenWaiting: boolean | (() => boolean);
  /** What the run came to, from its state and, unless it was cut short, from the program. */
  readonly toResult: (source: MessageSource, result: ProgramResult | undefined) => Json;
  /** Time that shielded scopes have after a cancellation. Defaults to 30 s. */
  readonly cleanupMs?: number | undefined;
  /** Sees what the code of operations goes by, as the program asks for them. */
  readonly onGiven?: ((op: string, given: () => Json) => void) | undefined;
  /** Sees every group of events once it is durable. */
  readonly onCommitted?: ((events: readonly JournalEvent[]) => void) | undefined;
}
