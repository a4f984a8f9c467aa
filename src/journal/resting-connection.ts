import type { JournalEvent } from "../contracts/events/event.ts";
import { systemClock } from "../foundation/clock.ts";
import { corruptAfter, storeUnwritable } from "./errors.ts";
import type { ChainEnd } from "./event-log.ts";
import { type JournalConnection, reconnect } from "./journal-connection.ts";
import { footprintOf, type RunFiles } from "./run-files.ts";
import { closeOnError } from "./sqlite-connection.ts";

// 3 to 6 s: whoever is asked again at once is not kept waiting.
const QUIET_RENEWALS = 2;

/** How a journal was left. */
interface Rest {
  readonly epoch: number;
  readonly end: ChainEnd;
  readonly footprint: string;
}

/**
 * The connection of one journal, which comes to rest while its owner does nothing but renew its lease: then there is none,
 * until it is used again or somebody has written into the files. It goes on only where it ended.
 */
export class RestingConnection {
  readonly #files: RunFiles;
  /** Undefined at rest. */
  #connection: JournalConnection | undefined;
  #rest: Rest | undefined;
  /** Renewals since it was used for anything else. */
  #quietRenewals = 0;
  #renewedEpoch = 0;
  #readers = 0;
  #isClosed = false;

  constructor(connection: JournalConnection, files: RunFiles) {
    this.#connection = connection;
    this.#files = files;
  }

  /** The connection, made anew after a rest. Raises what `reconnect` raises, and STORE_CORRUPT for another history. */
  use(): JournalConnection {
    this.#quietRenewals = 0;
    this.#connection ??= this.#wakeUp();
    return this.#connection;
  }

  /** Events after `afterSeq`; it does not come to rest before they are read or given up. */
  *read(afterSeq: number): Generator<JournalEvent, void, undefined> {
    this.#readers += 1;
    try {
      yield* this.use().events.read(afterSeq);
    } finally {
      this.#readers -= 1;
    }
  }

  /** Takes note of a renewal under an epoch; `assertHeld` is called unless it rests and is as it was left. */
  renewed(epoch: number, assertHeld: () => void): void {
    const quietRenewals = this.#quietRenewals;
    if (!this.#isAsItWasLeft()) assertHeld();
    this.#renewedEpoch = epoch;
    this.#quietRenewals = quietRenewals + 1;
    if (this.#connection !== undefined && this.#isQuiet()) restInTurn(this);
  }

  /** Closes it, unless it has been used since it was renewed. Raises nothing. */
  comeToRest(): void {
    const connection = this.#connection;
    if (connection === undefined || !this.#isQuiet()) return;
    try {
      const end = connection.events.last();
      this.#rest = { epoch: this.#renewedEpoch, end, footprint: "unknown" };
      this.#connection = undefined;
      connection.db.close();
      this.#rest = { ...this.#rest, footprint: footprintOf(this.#files) };
    } catch {
      // The log holds what could not be written back, and the next renewal looks again.
    }
  }

  /** For good. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.db.close();
  }

  /** Whether it rests and nobody has written into the files since. */
  #isAsItWasLeft(): boolean {
    return this.#rest !== undefined && this.#rest.footprint === footprintOf(this.#files);
  }

  #isQuiet(): boolean {
    return this.#quietRenewals >= QUIET_RENEWALS && this.#readers === 0 && !this.#isClosed;
  }

  #wakeUp(): JournalConnection {
    const { where } = this.#files;
    if (this.#isClosed) throw storeUnwritable({ ...where, problem: "it was closed meanwhile" });
    const connection = reconnect(this.#files);
    if (connection === undefined) throw storeUnwritable({ ...where, problem: "it is gone" });
    return closeOnError(connection.db, () => {
      this.#assertSameHistory(connection);
      this.#rest = undefined;
      return connection;
    });
  }

  /** Where somebody has taken the run over, the lease says so. */
  #assertSameHistory({ events, lease }: JournalConnection): void {
    const [rest, end] = [this.#rest, events.last()];
    if (rest === undefined || (end.seq === rest.end.seq && end.hash === rest.end.hash)) return;
    if (lease.state().epoch !== rest.epoch) return;
    const intactUpTo = Math.min(end.seq, rest.end.seq);
    throw corruptAfter(this.#files.where, "it was replaced while its run waited", intactUpTo);
  }
}

// Whoever closes the last connection to a log syncs twice. The runs of a process come to rest in one moment, and what
// else it does must not wait for all of them: this is the one state that they share.
const LEAST_PAUSE_MS = 10;
const PAUSE_FACTOR = 4;

const waiting = new Set<RestingConnection>();
let isTakingTurns = false;

/** Lets it come to rest when this process has time for that: one at a time, for a fifth of its time at most. */
function restInTurn(connection: RestingConnection): void {
  waiting.add(connection);
  if (isTakingTurns) return;
  isTakingTurns = true;
  systemClock.startTimer(0, takeTurn);
}

function takeTurn(): void {
  const [next] = waiting;
  isTakingTurns = next !== undefined;
  if (next === undefined) return;
  waiting.delete(next);
  const startMs = systemClock.monotonic();
  next.comeToRest();
  const tookMs = systemClock.monotonic() - startMs;
  systemClock.startTimer(Math.max(LEAST_PAUSE_MS, tookMs * PAUSE_FACTOR), takeTurn);
}
