import type {
  Journal,
  LeaseAttempt,
  LeaseClaim,
  LeaseHolder,
} from "../../contracts/ports/store.ts";
import { outlastShortage } from "../../foundation/shortage.ts";
import type { ProcessTable } from "../../host/system/process-entry.ts";
import { bootClockMs, isAlive } from "../../host/system/process-identity.ts";
import { isStoreBusy, retryWhileBusy } from "../../journal/sqlite-errors.ts";
import { runOwned } from "../errors.ts";
import type { Ownership, Timers } from "../ports.ts";

/** A lease that was not renewed for this long may be taken from a living process. */
const LEASE_TTL_MS = 10_000;
const RENEW_MS = 3000;

/** Who wants to own a run. */
export interface OwnershipRequest {
  readonly journal: Journal;
  readonly claim: Omit<LeaseClaim, "nowMs">;
  readonly timers: Timers;
  readonly table: ProcessTable;
}

/** Whether the process that holds a lease is gone. */
export function isHolderGone(table: ProcessTable, holder: LeaseHolder): boolean {
  return (
    holder.bootId !== table.bootId() ||
    !isAlive(table, { pid: holder.pid, startedAt: holder.pidStartedAt })
  );
}

/**
 * Takes the lease of a run and keeps renewing it. Raises ENGINE_RUN_OWNED when a living process holds it,
 * STORE_* errors when the journal cannot be written.
 */
export async function takeOwnership(request: OwnershipRequest): Promise<Ownership> {
  const attempt = await attemptLease(request);
  if (attempt.status === "held") {
    const { pid, command } = attempt.holder;
    throw runOwned({ run: request.journal.run, pid, command });
  }
  return new LeaseOwnership(request, attempt.epoch);
}

async function attemptLease(request: OwnershipRequest): Promise<LeaseAttempt> {
  const before = request.journal.leaseHolder();
  try {
    return await tryLease(request);
  } catch (error) {
    if (!isStoreBusy(error)) throw error;
    // The lock is held although the lease has run out: its owner is frozen inside a transaction.
    if (before !== undefined) endFrozenOwner(request, before);
    return tryLease(request);
  }
}

function tryLease({ journal, claim, timers, table }: OwnershipRequest): Promise<LeaseAttempt> {
  const rules = {
    ttlMs: LEASE_TTL_MS,
    isGone: (holder: LeaseHolder) => isHolderGone(table, holder),
  };
  const never = new AbortController().signal;
  return retryWhileBusy(() => journal.takeLease({ ...claim, nowMs: bootClockMs() }, rules), {
    clock: timers,
    signal: never,
  });
}

/** Another rival may have ended it meanwhile and hold the lease now: only the owner of before is frozen. */
function endFrozenOwner({ journal, table }: OwnershipRequest, before: LeaseHolder): void {
  const holder = journal.leaseHolder();
  if (holder?.epoch !== before.epoch || isHolderGone(table, holder)) return;
  process.kill(holder.pid, "SIGKILL");
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
    const { journal, timers } = this.#request;
    const { signal } = this.#stopping;
    try {
      // A beat needs a descriptor for a moment, and the lease lasts longer than most shortages.
      await outlastShortage(() =>
        retryWhileBusy(() => journal.renewLease(this.epoch, bootClockMs()), {
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
