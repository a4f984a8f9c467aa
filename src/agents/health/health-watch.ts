import type { RetryReason, TurnUpdate } from "../../contracts/backend.ts";
import type { Timers } from "../../engine/ports.ts";
import type { Timer } from "../../foundation/clock.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { sha256 } from "../../foundation/hash.ts";

/** What is watched. */
export interface HealthWatchOptions {
  readonly timers: Timers;
  /** Longest time without a sign of life; also how long its program may go on asking its model in vain. */
  readonly idleTimeoutMs: number;
  /** Tools that may be called again and again: who asks Troupe for news waits for others. */
  readonly isPatientTool: (tool: string) => boolean;
  readonly onObservation: (observation: Observation) => void;
}

/** So many equal calls of a tool in a row are no progress. */
const MAX_EQUAL_CALLS = 5;

/** Looks within the idle time: a longer freeze of this process than between two of them is noticed. */
const LOOKS = 10;

/**
 * Tells a turn that works from one that is stuck, by the updates that come from it.
 * H1 What it sees starts over after each observation: the next one takes as long as the first.
 * H2 Nothing is seen while the turn waits for somebody else.
 */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  #seenMs: number;
  #timer: Timer | undefined;
  #waits = 0;
  #isOver = false;
  #retriesSince: number | undefined;
  #lastCall = "";
  #equalCalls = 0;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    this.#seenMs = this.#nowMs;
    this.#arm();
  }

  /** Takes an update of the turn in. */
  take(update: TurnUpdate): void {
    const nowMs = this.#nowMs;
    this.#seenMs = nowMs;
    if (update.type === "retrying") this.#takeRetry(update.reason, update.delayMs ?? 0);
    else if (update.type !== "activity") this.#retriesSince = undefined;
    if (update.type === "tool-call") this.#takeCall(update.tool, JSON.stringify(update.input));
  }

  /** Runs `wait`, during which the turn is not stuck. */
  async standDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#waits += 1;
    this.#disarm();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      this.#seenMs = this.#nowMs;
      this.#arm();
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#disarm();
  }

  #takeRetry(reason: RetryReason, delayMs: number): void {
    const { idleTimeoutMs } = this.#options;
    const nowMs = this.#nowMs;
    this.#retriesSince ??= nowMs;
    const forMs = nowMs - this.#retriesSince;
    if (forMs >= idleTimeoutMs) {
      this.#retriesSince = undefined;
      this.#observe({ kind: "retrying", reason, forMs });
      return;
    }
    // It said how long it will be silent; what nobody would wait for is not believed.
    if (delayMs > 0) this.#seenMs = nowMs + Math.min(delayMs, idleTimeoutMs);
  }

  #takeCall(tool: string, input: string): void {
    const call = sha256(`${tool}\n${input}`);
    this.#equalCalls = call === this.#lastCall ? this.#equalCalls + 1 : 1;
    this.#lastCall = call;
    if (this.#equalCalls < MAX_EQUAL_CALLS || this.#options.isPatientTool(tool)) return;
    this.#equalCalls = 0;
    this.#observe({ kind: "repeating", tool, times: MAX_EQUAL_CALLS });
  }

  #look(dueMs: number): void {
    this.#forgiveFreeze(this.#nowMs - dueMs);
    const forMs = this.#nowMs - this.#seenMs;
    const isSilent = forMs >= this.#options.idleTimeoutMs;
    if (isSilent) this.#observe({ kind: "silent", forMs });
    this.#arm();
  }

  /** A timer that is late by more than its length says that this process was frozen, and the agent most likely too. */
  #forgiveFreeze(lateMs: number): void {
    if (lateMs <= this.#options.idleTimeoutMs / LOOKS) return;
    if (this.#seenMs < this.#nowMs) this.#seenMs = Math.min(this.#nowMs, this.#seenMs + lateMs);
    if (this.#retriesSince !== undefined) this.#retriesSince += lateMs;
  }

  #observe(observation: Observation): void {
    this.#seenMs = this.#nowMs;
    if (!this.#isOver) this.#options.onObservation(observation);
  }

  /** Timers for many updates: when one fires, what came meanwhile tells how long is still to wait. */
  #arm(): void {
    if (this.#isOver || this.#waits > 0) return;
    const { timers, idleTimeoutMs } = this.#options;
    const leftMs = idleTimeoutMs - (this.#nowMs - this.#seenMs);
    const waitMs = Math.min(leftMs, idleTimeoutMs / LOOKS);
    const dueMs = this.#nowMs + waitMs;
    this.#timer = timers.startTimer(waitMs, () => this.#look(dueMs));
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  get #nowMs(): number {
    return this.#options.timers.monotonic();
  }
}

/** Why a turn seems stuck. */
export type Observation =
  | { readonly kind: "silent"; readonly forMs: number }
  | { readonly kind: "repeating"; readonly tool: string; readonly times: number }
  | { readonly kind: "retrying"; readonly reason: RetryReason; readonly forMs: number };

const MAX_TOOL_CHARS = 80;

/** An observation in words that follow the name of the agent. */
export function tellObservation(observation: Observation): string {
  switch (observation.kind) {
    case "silent":
      return `no sign of life for ${formatDuration(observation.forMs)}`;
    case "repeating": {
      const tool = observation.tool.slice(0, MAX_TOOL_CHARS).toWellFormed();
      return `called ${tool} ${observation.times} times in a row with the same input`;
    }
    case "retrying":
      return `its model has not answered for ${formatDuration(observation.forMs)} (${observation.reason})`;
  }
}
