import { dirname } from "node:path";
import type { LeaseAttempt, LeaseClaim, LeaseHolder } from "../contracts/ports/store.ts";
import type { OwnerBeats } from "../host/owner-beats.ts";
import type { ProcessIdentity } from "../host/system/process-identity.ts";
import {
  claimed,
  holderIdentity,
  judgeClaim,
  type LeaseRules,
  type LeaseState,
  signOf,
} from "./lease-rules.ts";
import type { LeaseTable } from "./lease-table.ts";
import { changedAtMs, isThere, makePrivateFile, type RunFiles, removeFile } from "./run-files.ts";

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
    const { holding } = this.#state();
    if (holding === undefined) return undefined;
    const lastSeenAt = this.#beats.read(
      this.#runsDirectory,
      holderIdentity(holding.holder),
    )?.writtenAtMs;
    return { ...holding.holder, lastSeenAt: lastSeenAt ?? changedAtMs(this.#files) };
  }

  /** Raises ENGINE_LEASE_LOST unless `epoch` holds the lease (I5). */
  assertHeldBy(epoch: number): void {
    this.#table().assertHeldBy(epoch);
  }

  /** What would become of a claim now. */
  judge(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const state = this.#state();
    return judgeClaim(state, claim, { ...rules, unchangedMs: this.#unchangedMs(claim) });
  }

  /** In a transaction. */
  take(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const attempt = this.judge(claim, rules);
    if (attempt.status === "held") return attempt;
    this.#table().write(claimed(claim, attempt.epoch));
    this.#owner = holderIdentity({ ...claim, epoch: attempt.epoch });
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

  /**
   * The sign of a process covers all leases that it took before, so that a family of runs is waited for once. One that it
   * took since is seen by its row alone: a process that owned nothing gave no sign.
   */
  #unchangedMs({ nowMs }: LeaseClaim): number {
    const row = this.#row();
    if (row.holding === undefined) return 0;
    const { holder, renewedAtMs } = row.holding;
    const rowMs = this.#beats.unchangedMs(this.#files.journal, signOf(row), nowMs);
    const owner = holderIdentity(holder);
    const silentMs = this.#beats.silentMs(this.#runsDirectory, owner, nowMs);
    if (silentMs === undefined) return rowMs;
    const sign = this.#beats.read(this.#runsDirectory, owner);
    return sign !== undefined && sign.atMs >= renewedAtMs ? silentMs : Math.min(rowMs, silentMs);
  }

  #state(): LeaseState {
    const { epoch, holding } = this.#row();
    if (holding === undefined) return { epoch };
    const { holder, renewedAtMs } = holding;
    const sign = this.#beats.read(this.#runsDirectory, holderIdentity(holder));
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
