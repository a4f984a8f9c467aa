import type { AccountChange, AccountLedger, AccountRecord } from "../../contracts/accounts.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";
import type { Clock, Timer } from "../../foundation/clock.ts";
import type { Random } from "../../foundation/random.ts";
import { decideEntry, type Entry, rememberedPace, slowDown, speedUp } from "./account-pace.ts";

/**
 * Keeps the turns of each account to what its provider takes: a provider that asks one agent to wait makes all
 * agents of the account wait, and then lets them come back little by little (LOOP-5).
 */
export interface RateGovernor {
  /** The gate of an account, by the name that its backend gives it. */
  account(label: string): AccountGate;
}

/** A governor; all that share its ledger share their accounts. */
export function createRateGovernor(options: AccountGateOptions): RateGovernor {
  const gates = new Map<string, AccountGate>();
  return {
    account: (label) => {
      const gate = gates.get(label) ?? new AccountGate(label, options);
      gates.set(label, gate);
      return gate;
    },
  };
}

/** What gates of accounts are made from. */
interface AccountGateOptions {
  readonly ledger: () => AccountLedger;
  readonly clock: Clock;
  readonly random: Random;
  /** Turns of one account at the same time. */
  readonly places: number;
  /** Makes an id that no other turn has, in no process. */
  readonly newId: () => string;
}

/** A turn that runs on an account. */
export interface AccountTurn {
  /** The provider asked to wait; everybody does. */
  slowDown(retryAfterMs?: number): void;
  /** The provider has answered. */
  speedUp(): void;
  /** The turn is over. Idempotent. */
  leave(): void;
}

/** A turn that may begin, or why it may not yet. */
type AccountEntry =
  | { readonly status: "entered"; readonly turn: AccountTurn }
  | Exclude<Entry, { readonly status: "entered" }>;

/** How often it is looked whether another process has made room. */
const POLL_MS = 1_000;

/** Where the turns of one account begin. Whoever finds no room waits in line; one at a time is let try again. */
export class AccountGate {
  /** Names the account; never a secret. */
  readonly label: string;
  readonly #options: AccountGateOptions;
  readonly #waiting = new Set<() => void>();
  #timer: Timer | undefined;

  constructor(label: string, options: AccountGateOptions) {
    this.label = label;
    this.#options = options;
  }

  /** Begins a turn, if one may begin now. */
  tryEnter(): AccountEntry {
    const { newId } = this.#options;
    const id = newId();
    const enteredMs = this.#nowMs;
    const entry = this.#update<Entry>((record) => {
      const decided = this.#decide(record);
      if (decided.status !== "entered") return { record, result: decided };
      const turns = [...record.turns, { id, enteredMs }];
      return { record: { ...record, turns }, result: decided };
    });
    this.#callNext();
    return entry.status === "entered"
      ? { status: "entered", turn: this.#turn(id, enteredMs) }
      : entry;
  }

  /** Resolves when it is worth trying to enter again; rejects with the signal's reason. */
  async whenRoom(signal: AbortSignal): Promise<void> {
    const aborted = rejectOnAbort(signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    this.#callNext();
    try {
      await Promise.race([promise, aborted.promise]);
    } finally {
      aborted.stop();
      this.#waiting.delete(resolve);
      if (this.#waiting.size === 0) this.#stopTimer();
    }
  }

  #turn(id: string, enteredMs: number): AccountTurn {
    let isOver = false;
    let isProven = false;
    const change = (alter: (record: AccountRecord) => AccountRecord) => {
      this.#update((record) => ({ record: alter(record), result: null }));
      this.#callNext();
    };
    const { random } = this.#options;
    return {
      slowDown: (retryAfterMs) => {
        const throttling = { enteredMs, nowMs: this.#nowMs, retryAfterMs, random };
        change((record) => ({ ...record, pace: slowDown(record.pace, throttling) }));
      },
      speedUp: () => {
        if (isProven || isOver) return;
        isProven = true;
        change((record) => ({ ...record, pace: speedUp(record.pace, enteredMs) }));
      },
      leave: () => {
        if (isOver) return;
        isOver = true;
        change((record) => ({ ...record, turns: record.turns.filter((turn) => turn.id !== id) }));
      },
    };
  }

  /** Lets the first in line try, if there is room, and looks again later for the others. */
  #callNext(): void {
    this.#stopTimer();
    const [first] = this.#waiting;
    if (first === undefined) return;
    const entry = this.#update((record) => ({ record, result: this.#decide(record) }));
    if (entry.status === "entered") {
      this.#waiting.delete(first);
      first();
    }
    if (this.#waiting.size === 0) return;
    const waitMs = entry.status === "cooling" ? entry.untilMs - this.#nowMs : POLL_MS;
    this.#timer = this.#options.clock.startTimer(waitMs, () => this.#callNext());
  }

  #decide(record: AccountRecord): Entry {
    return decideEntry(record, { nowMs: this.#nowMs, places: this.#options.places });
  }

  #update<Result>(change: (record: AccountRecord) => AccountChange<Result>): Result {
    return this.#options.ledger().update(this.label, ({ pace, turns }) => {
      return change({ pace: rememberedPace(pace, this.#nowMs), turns });
    });
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
