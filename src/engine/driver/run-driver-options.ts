import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Host } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Program, ProgramResult } from "../../contracts/ports/program.ts";
import type { RunLimits } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { Json } from "../../foundation/json.ts";
import type { Dispatcher, Ownership, RunLog, Timers } from "../ports.ts";
import type { JournalMask, RunBirth } from "../run-journal.ts";

/** What carries out one run of a program. */
export interface RunDriverOptions<Definition> {
  readonly log: RunLog;
  readonly ownership: Ownership;
  readonly timers: Timers;
  readonly dispatcher: Dispatcher;
  readonly host: Host;
  readonly program: Program<Definition>;
  readonly definition: Definition;
  /** For a new run. */
  readonly created?: RunBirth;
  /** Limits that replace the recorded ones from here on. */
  readonly limits?: RunLimits;
  /** Steps that the definition has, for the summary of the run. */
  readonly stepTotal?: number;
  /** Let go as soon as only people can move the run on. */
  readonly suspendsWhenWaiting: boolean;
  /** Carries out a pattern that a program asks for by name. */
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
  /** What the run came to, from its state and, unless it was cut short, from the program. */
  readonly toResult: (state: RunState, result: ProgramResult | undefined) => Json;
  /** Time that shielded scopes have after a cancellation. Defaults to 30 s. */
  readonly cleanupMs?: number;
  /** Takes secrets out of what is about to be written; programs get what is written. */
  readonly mask?: JournalMask;
  /** Sees every group of events once it is durable. */
  readonly onCommitted?: (events: readonly JournalEvent[]) => void;
}
