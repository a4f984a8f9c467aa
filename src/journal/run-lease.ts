import { dirname } from "node:path";
import type { LeaseAttempt, LeaseClaim, LeaseHolder } from "../contracts/ports/store.ts";
import type { OwnerBeats } from "../host/owner-beats.ts";
import type { ProcessIdentity } from "../host/system/process-identity.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import {
  claimed,
  judgeClaim,
  type LeaseRules,
  type LeaseState,
  ownerOf,
  signOf,
} from "./lease-rules.ts";
import type { LeaseTable } from "./lease-table.ts";
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
  /** The process that took the lease here. */
  #owner: ProcessIdentity | undefined;

  constructor(table: () => LeaseTable, files: RunFiles, beats: OwnerBeats) {
    this.#table = table;
    this.#files = files;
    this.#runsDirectory = dirname(files.directory);
    this.#beats = beats;
  }

  holder(): LeaseHolder | undefined {
    return this.#state().holding?.holder;
  }

  /** Raises ENGINE_LEASE_LOST unless `epoch` holds the lease (I5). */
  assertHeldBy(epoch: number): void {
    this.#table().assertHeldBy(epoch);
  }

  /** What would become of a claim now. */
  judge(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const state = this.#state();
    return judgeClaim(state, claim, { ...rules, unchangedMs: this.#unchangedMs(state, claim) });
  }

  /** In a transaction. */
  take(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const attempt = this.judge(claim, rules);
    if (attempt.status === "held") return attempt;
    this.#table().write(claimed(claim, attempt.epoch));
    this.#owner = ownerOf({ ...claim, epoch: attempt.epoch });
    removeFile(this.#files.letGo(attempt.epoch - 1));
    this.#showTaken(claim.nowMs);
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

  /**
   * For whoever has watched this process for a while: it was silent because it owned nothing. Without this sign, which a
   * full disk may refuse, the row is the sign.
   */
  #showTaken(nowMs: number): void {
    try {
      this.beat(nowMs);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  }

  /** The sign of a process covers all its leases, so that a family of runs is waited for once. */
  #unchangedMs(state: LeaseState, { nowMs }: LeaseClaim): number {
    const { holding } = state;
    if (holding === undefined) return 0;
    return (
      this.#beats.silentMs(this.#runsDirectory, ownerOf(holding.holder), nowMs) ??
      this.#beats.unchangedMs(this.#files.journal, signOf(state), nowMs)
    );
  }

  #state(): LeaseState {
    const { epoch, holding } = this.#row();
    if (holding === undefined) return { epoch };
    const { holder, renewedAtMs } = holding;
    const sign = this.#beats.read(this.#runsDirectory, ownerOf(holder));
    if (sign === undefined) return { epoch, holding };
    const { host } = sign.owner ?? {};
    const known = host === undefined ? holder : { ...holder, host };
    return { epoch, holding: { holder: known, renewedAtMs: Math.max(renewedAtMs, sign.atMs) } };
  }

  #row(): LeaseState {
    const { epoch, holding } = this.#table().state();
    if (holding === undefined || isThere(this.#files.letGo(epoch))) return { epoch };
    return { epoch, holding };
  }
}
