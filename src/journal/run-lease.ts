import { dirname } from "node:path";
import type { LeaseAttempt, LeaseClaim, LeaseHolder } from "../contracts/ports/store.ts";
import { claimed, judgeClaim, type LeaseRules, type LeaseState } from "./lease-rules.ts";
import type { LeaseTable } from "./lease-table.ts";
import type { OwnerBeats } from "./owner-beats.ts";
import { isThere, makePrivateFile, type RunFiles, removeFile } from "./run-files.ts";

/**
 * The lease of one open journal: its row, the beats of whoever holds it, and a file in place of the row where that cannot
 * be written any more. Errors of SQLite and of the system come out as they are.
 */
export class RunLease {
  readonly #table: () => LeaseTable;
  readonly #files: RunFiles;
  readonly #runsDirectory: string;
  readonly #beats: OwnerBeats;
  /** Who took the lease here. */
  #owner: LeaseClaim | undefined;

  constructor(table: () => LeaseTable, files: RunFiles, beats: OwnerBeats) {
    this.#table = table;
    this.#files = files;
    this.#runsDirectory = dirname(files.directory);
    this.#beats = beats;
  }

  holder(): LeaseHolder | undefined {
    return this.#row().holding?.holder;
  }

  /** Raises ENGINE_LEASE_LOST unless `epoch` holds the lease (I5). */
  assertHeldBy(epoch: number): void {
    this.#table().assertHeldBy(epoch);
  }

  /** What would become of a claim now. */
  judge(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    return judgeClaim(this.#state(), claim, rules);
  }

  /** In a transaction. */
  take(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const attempt = this.judge(claim, rules);
    if (attempt.status === "held") return attempt;
    this.#table().write(claimed(claim, attempt.epoch));
    this.#owner = claim;
    removeFile(this.#files.letGo(attempt.epoch - 1));
    return attempt;
  }

  /** Says that whoever took the lease is at work. Neither looks at the journal nor writes into it. */
  beat(nowMs: number): void {
    if (this.#owner !== undefined) this.#beats.beat(this.#runsDirectory, this.#owner, nowMs);
  }

  /** In a transaction. */
  release(epoch: number): void {
    if (this.#table().state().epoch === epoch) this.#table().write({ epoch });
  }

  /**
   * Gives the lease back without the journal, for an owner that lives on and renews what else it holds. An empty file
   * needs no space.
   */
  letGo(epoch: number): void {
    makePrivateFile(this.#files.letGo(epoch));
  }

  #state(): LeaseState {
    const { epoch, holding } = this.#row();
    if (holding === undefined) return { epoch };
    const { holder, renewedAtMs } = holding;
    const beatMs = this.#beats.last(this.#runsDirectory, holder) ?? renewedAtMs;
    return { epoch, holding: { holder, renewedAtMs: Math.max(renewedAtMs, beatMs) } };
  }

  #row(): LeaseState {
    const { epoch, holding } = this.#table().state();
    if (holding === undefined || isThere(this.#files.letGo(epoch))) return { epoch };
    return { epoch, holding };
  }
}
