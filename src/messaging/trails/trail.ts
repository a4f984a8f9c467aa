import type { StigmergySpec } from "../../contracts/stigmergy.ts";

// Marks that fade. Pure: what lies at a key follows from the deposits, in their order, and the time (PRM-stigmergy).

/** How marks fade, and what deposits do to each other. */
export type TrailRules = Omit<StigmergySpec, "namespace">;

/** What an agent leaves at a key. */
export interface Deposit {
  readonly key: string;
  readonly value: number;
  readonly agent: string;
  /** In ms since the epoch. */
  readonly atMs: number;
}

/** What lies at a key. */
export interface Mark {
  readonly key: string;
  readonly value: number;
  readonly lastUpdatedBy: string;
}

/** The marks of one place. */
export class Trail {
  readonly #rules: TrailRules;
  readonly #laid = new Map<string, Deposit>();

  constructor(rules: TrailRules) {
    this.#rules = rules;
  }

  /** Adds to what lies there, as it is by then. Deposits count in the order in which they come. */
  deposit({ key, value, agent, atMs }: Deposit): void {
    const before = this.read(key, atMs);
    this.#laid.set(key, { key, value: this.#joined(before, value), agent, atMs });
  }

  /** What lies at a key; 0 where nothing does. */
  read(key: string, nowMs: number): number {
    const laid = this.#laid.get(key);
    if (laid === undefined) return 0;
    const value = faded(laid, nowMs, this.#rules.decayRate);
    return value < this.#rules.minThreshold ? 0 : value;
  }

  /** All that lies somewhere, the strongest first; of equals the key that comes first. */
  readAll(nowMs: number): readonly Mark[] {
    return [...this.#laid.values()]
      .map(({ key, agent }) => ({ key, value: this.read(key, nowMs), lastUpdatedBy: agent }))
      .filter(({ value }) => value !== 0)
      .toSorted((left, right) => right.value - left.value || compare(left.key, right.key));
  }

  #joined(before: number, value: number): number {
    if (before === 0) return value;
    switch (this.#rules.reinforcement) {
      case "additive":
        return bounded(before + value);
      case "multiplicative":
        return bounded(before * value);
      case "max":
        return Math.max(before, value);
    }
  }
}

/** A clock that was put back lets nothing grow. */
function faded({ value, atMs }: Deposit, nowMs: number, decayRate: number): number {
  return value * (1 - decayRate) ** (Math.max(0, nowMs - atMs) / 1000);
}

/** What is stored must be a number of JSON. */
function bounded(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : 1;
}
