import type { JournalEvent } from "../contracts/events/event.ts";
import { awakeConnections } from "./awake-connections.ts";
import { corruptAfter, storeUnwritable } from "./errors.ts";
import type { ChainEnd } from "./event-log.ts";
import { type JournalConnection, reconnect } from "./journal-connection.ts";
import { footprintOf, type RunFiles } from "./run-files.ts";
import { closeOnError } from "./sqlite-connection.ts";

// 3 to 6 s: whoever is asked again at once is not kept waiting.
const QUIET_RENEWALS = 2;
// 0.5 to 1 s, where many are awake.
const QUIET_LOOKS = 2;

/** How a journal was left. */
interface Rest {
  readonly epoch: number;
  readonly end: ChainEnd;
  readonly footprint: string;
}

/**
 * The connection of one journal, which comes to rest while its owner does nothing but renew its lease: then there is none,
 * until it is used again or somebody has written into the files. It goes on only where it ended. Where many are awake, one
 * that is not used comes to rest without a renewal.
 */
export class RestingConnection {
  readonly #files: RunFiles;
  /** Undefined at rest. */
  #connection: JournalConnection | undefined;
  #rest: Rest | undefined;
  /** Renewals since it was used for anything else. */
  #quietRenewals = 0;
  /** Looks at those that are awake since then. */
  #quietLooks = 0;
  /** Undefined while nobody owns the run through it. */
  #epoch: number | undefined;
  #readers = 0;
  #isClosed = false;

  constructor(connection: JournalConnection, files: RunFiles) {
    this.#connection = connection;
    this.#files = files;
  }

  /** The connection, made anew after a rest. Raises what `reconnect` raises, and STORE_CORRUPT for another history. */
  use(): JournalConnection {
    this.#quietRenewals = 0;
    this.#quietLooks = 0;
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

  /** Takes note of who owns the run: from here on it may come to rest. */
  owned(epoch: number): void {
    this.#epoch = epoch;
    awakeConnections.add(this);
  }

  /** Takes note of a renewal under an epoch; `assertHeld` is called unless it rests and is as it was left. */
  renewed(epoch: number, assertHeld: () => void): void {
    const [quietRenewals, quietLooks] = [this.#quietRenewals, this.#quietLooks];
    if (!this.#isAsItWasLeft()) assertHeld();
    this.#epoch = epoch;
    this.#quietRenewals = quietRenewals + 1;
    this.#quietLooks = quietLooks;
    if (this.#isQuiet()) awakeConnections.restInTurn(this);
  }

  /** Takes note of a look, which is taken where many are awake. */
  lookedAt(): void {
    this.#quietLooks += 1;
    if (this.#isQuiet()) awakeConnections.restInTurn(this);
  }

  /** Closes it, unless it has been used since it was found to be quiet. Raises nothing. */
  comeToRest(): void {
    const [connection, epoch] = [this.#connection, this.#epoch];
    if (connection === undefined || epoch === undefined || !this.#isQuiet()) return;
    try {
      const end = connection.events.last();
      this.#rest = { epoch, end, footprint: "unknown" };
      this.#connection = undefined;
      awakeConnections.delete(this);
      connection.db.close();
      this.#rest = { ...this.#rest, footprint: footprintOf(this.#files) };
    } catch {
      // The log holds what could not be written back, and the next renewal looks again.
    }
  }

  /** For good. */
  close(): void {
    this.#isClosed = true;
    awakeConnections.delete(this);
    this.#connection?.db.close();
  }

  /** Whether it rests and nobody has written into the files since. */
  #isAsItWasLeft(): boolean {
    return this.#rest !== undefined && this.#rest.footprint === footprintOf(this.#files);
  }

  #isQuiet(): boolean {
    if (this.#connection === undefined || this.#readers > 0 || this.#isClosed) return false;
    return this.#quietRenewals >= QUIET_RENEWALS || this.#quietLooks >= QUIET_LOOKS;
  }

  #wakeUp(): JournalConnection {
    const { where } = this.#files;
    if (this.#isClosed) throw storeUnwritable({ ...where, problem: "it was closed meanwhile" });
    const connection = reconnect(this.#files);
    if (connection === undefined) throw storeUnwritable({ ...where, problem: "it is gone" });
    return closeOnError(connection.db, () => {
      this.#assertSameHistory(connection);
      this.#rest = undefined;
      awakeConnections.add(this);
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
