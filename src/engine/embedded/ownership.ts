import type {
  Journal,
  LeaseAttempt,
  LeaseClaim,
  LeaseHolder,
} from "../../contracts/ports/store.ts";
import { delay } from "../../foundation/abort.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { outlastShortage } from "../../foundation/shortage.ts";
import { OWNER_TTL_MS } from "../../host/owner-beats.ts";
import type { ProcessTable } from "../../host/system/process-entry.ts";
import {
  bootClockMs,
  describeElsewhere,
  type Liveness,
  livenessOf,
} from "../../host/system/process-identity.ts";
import { holderIdentity } from "../../journal/lease-rules.ts";
import { isStoreBusy, retryWhileBusy } from "../../journal/sqlite-errors.ts";
import { ownerAwaited, ownerFrozen, runOwned } from "../errors.ts";
import type { Ownership, Timers } from "../ports.ts";

const RENEW_MS = 3000;
// Two looks in the life of a beat.
const LOOK_MS = 500;

/** Who wants to own a run. */
export interface OwnershipRequest {
  readonly journal: Journal;
  readonly claim: Omit<LeaseClaim, "nowMs">;
  readonly timers: Timers;
  readonly table: ProcessTable;
  /** Gets ENGINE_OWNER_ELSEWHERE once if only time can tell whether the owner is gone. Defaults to nothing. */
  readonly onWait?: (notice: TroupeError) => void;
  /** Ends such a wait. Defaults to never. */
  readonly signal?: AbortSignal | undefined;
  /** The clock of this boot, in ms. Defaults to the machine's. */
  readonly nowMs?: () => number;
}

/**
 * Takes the lease of a run and keeps renewing it. If the holder is on another host, boot or pid namespace, waits for up to
 * one TTL for its lease to lapse. Raises ENGINE_RUN_OWNED when a living process holds it, ENGINE_OWNER_FROZEN when the
 * holder is elsewhere and keeps the journal locked, STORE_* errors when the journal cannot be written, and the reason of
 * an aborted `signal`.
 */
export async function takeOwnership(request: OwnershipRequest): Promise<Ownership> {
  const attempt = await outwait(request, await attemptLease(request));
  if (attempt.status === "held") {
    const { run } = request.journal;
    const { pid, command } = attempt.holder;
    throw runOwned({ run, pid, command, where: describeElsewhere(request.table, attempt.holder) });
  }
  return new LeaseOwnership(request, attempt.epoch);
}

/** Repeats a claim until the lease of an owner elsewhere has lapsed, or was renewed, which shows that it lives. */
async function outwait(request: OwnershipRequest, first: LeaseAttempt): Promise<LeaseAttempt> {
  let attempt = first;
  if (attempt.status === "taken") return attempt;
  const { epoch, pid } = attempt.holder;
  const where = describeElsewhere(request.table, attempt.holder);
  if (where === undefined) return attempt;
  const { run } = request.journal;
  const longestMs = OWNER_TTL_MS - attempt.renewedAgoMs;
  request.onWait?.(ownerAwaited({ run, pid, where, longestMs }));
  const signal = request.signal ?? new AbortController().signal;
  for (;;) {
    const silentMs = attempt.renewedAgoMs;
    await delay(request.timers, LOOK_MS, signal);
    attempt = await attemptLease(request);
    if (attempt.status === "taken") return attempt;
    if (attempt.holder.epoch !== epoch || attempt.renewedAgoMs < silentMs) return attempt;
  }
}

async function attemptLease(request: OwnershipRequest): Promise<LeaseAttempt> {
  const before = request.journal.leaseHolder();
  try {
    return await tryLease(request);
  } catch (error) {
    if (!isStoreBusy(error)) throw error;
    // The lock is held although the lease has run out: its owner is frozen inside a transaction.
    if (before === undefined) return tryLease(request);
    const where = describeElsewhere(request.table, before);
    if (where === undefined) {
      endFrozenOwner(request, before);
      return tryLease(request);
    }
    const { pid, command } = before;
    throw ownerFrozen({ run: request.journal.run, pid, command, where }, { cause: error });
  }
}

function tryLease(request: OwnershipRequest): Promise<LeaseAttempt> {
  const { journal, claim, timers, table, nowMs = bootClockMs } = request;
  const rules = {
    ttlMs: OWNER_TTL_MS,
    isGone: (holder: LeaseHolder) => livenessOfHolder(table, holder) === "gone",
  };
  const never = new AbortController().signal;
  return retryWhileBusy(() => journal.takeLease({ ...claim, nowMs: nowMs() }, rules), {
    clock: timers,
    signal: never,
  });
}

/** Another rival may have ended it meanwhile and hold the lease now: only the owner of before is frozen. */
function endFrozenOwner({ journal, table }: OwnershipRequest, before: LeaseHolder): void {
  const holder = journal.leaseHolder();
  if (holder?.epoch !== before.epoch || livenessOfHolder(table, holder) !== "alive") return;
  process.kill(holder.pid, "SIGKILL");
}

function livenessOfHolder(table: ProcessTable, holder: LeaseHolder): Liveness {
  return livenessOf(table, holderIdentity(holder));
}

/** The lease in this process's hands. */
class LeaseOwnership implements Ownership {
  readonly epoch: number;
  readonly #request: OwnershipRequest;
  readonly #stopping = new AbortController();
  readonly #listeners: ((error: unknown) => void)[] = [];
  #timer: { cancel(): void } | undefined;

  constructor(request: OwnershipRequest, epoch: number) {
    this.#request = request;
    this.epoch = epoch;
    this.#schedule();
  }

  onLost(listener: (error: unknown) => void): void {
    this.#listeners.push(listener);
  }

  release(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#timer?.cancel();
    try {
      this.#request.journal.releaseLease(this.epoch);
    } catch (error) {
      // A lock or a broken disk must not keep a run from being let go: the lease runs out by itself, or
      // with this process.
      if (!isStoreBusy(error) && !isStoreError(error)) throw error;
    }
  }

  #schedule(): void {
    // All owners of a process renew in the same moment: it wakes once, however many they are.
    const untilNextMs = RENEW_MS - (this.#request.timers.monotonic() % RENEW_MS);
    this.#timer = this.#request.timers.startTimer(untilNextMs, () => {
      // Errors reach the listeners.
      void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { journal, timers, nowMs = bootClockMs } = this.#request;
    const { signal } = this.#stopping;
    try {
      // A beat needs a descriptor for a moment, and the lease lasts longer than most shortages.
      await outlastShortage(() =>
        retryWhileBusy(() => journal.renewLease(this.epoch, nowMs()), {
          clock: timers,
          signal,
        }),
      );
      if (!signal.aborted) this.#schedule();
    } catch (error) {
      if (signal.aborted) return;
      for (const listener of this.#listeners) listener(error);
    }
  }
}

function isStoreError(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    /^(STORE|ENGINE_LEASE)_/.test(String(error.code))
  );
}
