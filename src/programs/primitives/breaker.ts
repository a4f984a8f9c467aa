import type { Context } from "../../contracts/ports/context.ts";

// Owns whether an agent is asked at all while it fails again and again.
// B1: while it is open, nobody is asked before the cool-down is over.
// B2: then one is tried alone; what it comes to closes the breaker, or opens it again.

/** When a breaker opens, and for how long. */
export interface BreakerRules {
  /** Failures one after the other that open it. */
  readonly threshold: number;
  readonly cooldownMs: number;
  /** Told of every change, with the failures that led to it. */
  readonly onChange: (status: BreakerState["status"], failures: number) => void;
}

/** Whether work goes through. */
export type BreakerState =
  | { readonly status: "closed"; readonly failures: number }
  | { readonly status: "open"; readonly failures: number; readonly untilMs: number }
  | { readonly status: "half-open"; readonly failures: number };

/** What came of work that was let through; `none`: it was not done after all. */
export type BreakerVerdict = "done" | "failed" | "none";

/** A breaker before work that may fail. */
export class Breaker {
  readonly #rules: BreakerRules;
  #state: BreakerState = { status: "closed", failures: 0 };
  #trial: PromiseWithResolvers<void> | undefined;

  constructor(rules: BreakerRules) {
    this.#rules = rules;
  }

  get status(): BreakerState["status"] {
    return this.#state.status;
  }

  /** Whether work goes through at this time; a trial counts as begun (B2). */
  isLetThrough(nowMs: number): boolean {
    if (this.#state.status === "closed") return true;
    if (this.#state.status === "half-open" || nowMs < this.#state.untilMs) return false;
    this.#trial = Promise.withResolvers();
    this.#change({ status: "half-open", failures: this.#state.failures });
    return true;
  }

  /** Resolves when work goes through, which it then does. */
  async untilLetThrough(context: Context): Promise<void> {
    while (!this.isLetThrough(context.now())) {
      if (this.#state.status === "open") await context.sleep(this.#state.untilMs - context.now());
      else await this.#trial?.promise;
    }
  }

  /** Takes in what came of work that was let through. */
  over(verdict: BreakerVerdict, nowMs: number): void {
    const { status, failures } = this.#state;
    const isTrial = status === "half-open";
    if (verdict === "done") this.#close(isTrial);
    // What began before it opened says nothing of how things are now.
    else if (status !== "open") this.#fail({ verdict, isTrial, nowMs, failures });
    if (isTrial) this.#trial?.resolve();
  }

  #close(isTrial: boolean): void {
    if (isTrial) this.#change({ status: "closed", failures: 0 });
    else if (this.#state.status === "closed") this.#state = { status: "closed", failures: 0 };
  }

  #fail({ verdict, isTrial, nowMs, failures }: Failing): void {
    const all = verdict === "failed" ? failures + 1 : failures;
    if (isTrial || all >= this.#rules.threshold) {
      // A trial that came to nothing leaves the next one free at once.
      const untilMs = verdict === "failed" ? nowMs + this.#rules.cooldownMs : nowMs;
      this.#change({ status: "open", failures: all, untilMs });
    } else this.#state = { status: "closed", failures: all };
  }

  #change(state: BreakerState): void {
    this.#state = state;
    this.#rules.onChange(state.status, state.failures);
  }
}

interface Failing {
  readonly verdict: "failed" | "none";
  readonly isTrial: boolean;
  readonly nowMs: number;
  readonly failures: number;
}
