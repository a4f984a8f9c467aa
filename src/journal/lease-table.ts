import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type JournalPlace, leaseLost, storeCorrupt } from "./errors.ts";
import type { LeaseState } from "./lease-rules.ts";

/** The lease row of one open journal. Errors of SQLite come out as they are. */
export class LeaseTable {
  readonly #place: JournalPlace;
  readonly #select: StatementSync;
  readonly #selectHeld: StatementSync;
  readonly #update: StatementSync;

  constructor(db: DatabaseSync, place: JournalPlace) {
    this.#place = place;
    this.#select = db.prepare("SELECT * FROM lease WHERE id = 1");
    this.#selectHeld = db.prepare(
      "SELECT 1 FROM lease WHERE id = 1 AND epoch = ? AND pid IS NOT NULL",
    );
    this.#update = db.prepare(
      `UPDATE lease SET epoch = ?, pid = ?, pid_started_at = ?, boot_id = ?, socket_path = ?,
       command = ?, renewed_at_ms = ? WHERE id = 1`,
    );
  }

  state(): LeaseState {
    const row = this.#select.get() ?? {};
    const { epoch, pid, boot_id: bootId, command } = row;
    const {
      pid_started_at: pidStartedAt,
      socket_path: socketPath,
      renewed_at_ms: renewedAtMs,
    } = row;
    if (typeof epoch !== "number") throw this.#damaged();
    if (pid === null) return { epoch };
    if (
      typeof pid !== "number" ||
      typeof bootId !== "string" ||
      typeof command !== "string" ||
      typeof pidStartedAt !== "string" ||
      typeof socketPath !== "string" ||
      typeof renewedAtMs !== "number"
    )
      throw this.#damaged();
    const holder = { epoch, pid, pidStartedAt, bootId, socketPath, command };
    return { epoch, holding: { holder, renewedAtMs } };
  }

  /** Raises ENGINE_LEASE_LOST unless `epoch` holds the lease (I5). */
  assertHeldBy(epoch: number): void {
    if (this.#selectHeld.get(epoch) !== undefined) return;
    throw leaseLost({ run: this.#place.run, epoch, currentEpoch: this.state().epoch });
  }

  write({ epoch, holding }: LeaseState): void {
    if (holding === undefined) {
      this.#update.run(epoch, null, null, null, null, null, null);
      return;
    }
    const { pid, pidStartedAt, bootId, socketPath, command } = holding.holder;
    const owner = [pid, pidStartedAt, bootId, socketPath, command];
    this.#update.run(epoch, ...owner, holding.renewedAtMs);
  }

  #damaged(): Error {
    const problem = "its lease cannot be read";
    return storeCorrupt({ ...this.#place, problem, firstBadSeq: 1, intactUpTo: 0 });
  }
}
