import type { JournalEvent } from "../contracts/events/event.ts";
import type { OperationCall, OperationHandler } from "../contracts/operation.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";

/** One group of events that becomes durable together. */
export interface LogBatch {
  readonly events: readonly NewEvent[];
  readonly head: Json;
  readonly blobs?: { readonly [hash: string]: string };
}

/** The run's log as its owner sees it: appends carry the owner's epoch (I5). */
export interface RunLog {
  readonly run: string;
  /**
   * Durable when it resolves, with how long the event loop stood still for a disk, in ms; 0 where it did not. Raises
   * ENGINE_LEASE_LOST and STORE_* errors.
   */
  append(batch: LogBatch): Promise<number>;
  /** Events after `afterSeq`, 0 unless given. Raises STORE_* errors. */
  read(afterSeq?: number): Iterable<JournalEvent>;
  /** A text of an earlier batch by its hash. Raises STORE_* errors. */
  blob(hash: string): string | undefined;
  /** Marks what is durable now as the least that a later reader must find. */
  seal(): void;
  /** Notes that the run is carried out from here on. Whether its last owner said that it gave up. Raises STORE_* errors. */
  beginWork(): boolean;
  /** Says that the owner gives up for lack of a place to write to. Raises STORE_* errors. */
  giveUpWork(): void;
}

/** Timers of the run. Embedded they are those of the process; elsewhere they may be durable themselves. */
export type Timers = Clock;

/** Hands the effect of an operation to whoever carries it out. */
export interface Dispatcher {
  dispatch(handler: OperationHandler, input: Json, call: OperationCall): Promise<Json> | Json;
}

/** The right to append to a run's log. */
export interface Ownership {
  readonly epoch: number;
  /** Called once if the right is lost; nothing may be written after. */
  onLost(listener: (error: unknown) => void): void;
  release(): void;
}
