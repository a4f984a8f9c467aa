import type { Context, Scope } from "../../contracts/ports/context.ts";
import type { Subscription } from "../../contracts/selector.ts";
import type { BarrierSpec } from "../../contracts/step.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { kindOfMarker } from "../../signals/signal-forms.ts";
import { barrierTimeout, barrierUnmet } from "../errors.ts";

/** A barrier that listens from its making on. */
export interface Barrier {
  readonly spec: BarrierSpec;
  /** Signals that it has heard so far. */
  readonly heard: number;
  /** Agents whose signal is still missing. */
  missing(): readonly string[];
  /** Resolves when it is open. Rejects with WORKFLOW_BARRIER_TIMEOUT. */
  opened(context: Context): Promise<void>;
}

/** Starts to listen for a barrier's signals; nothing that is said from here on is missed. */
function createBarrier(context: Context, spec: BarrierSpec): Barrier {
  const signals = [kindOfMarker(spec.signal)];
  const subscription = context.subscribe({ kinds: ["signal"], from: spec.waitFor, signals });
  const seen = new Set<string>();
  let heard = 0;
  const missing = () => spec.waitFor.filter((agent) => !seen.has(agent.toLowerCase()));
  return {
    spec,
    get heard() {
      return heard;
    },
    missing,
    opened: async (branch) => {
      const waitUntilMs = spec.timeoutMs === undefined ? undefined : context.now() + spec.timeoutMs;
      while (!isOpen(spec, seen.size)) {
        await waitForOne(branch, { spec, subscription, seen, waitUntilMs, missing });
        heard += 1;
      }
    },
  };
}

interface Waiting {
  readonly spec: BarrierSpec;
  readonly subscription: Subscription;
  readonly seen: Set<string>;
  readonly waitUntilMs: number | undefined;
  readonly missing: () => readonly string[];
}

async function waitForOne(context: Context, waiting: Waiting): Promise<void> {
  const { spec, subscription, seen, waitUntilMs, missing } = waiting;
  const options =
    waitUntilMs === undefined ? {} : { timeoutMs: Math.max(0, waitUntilMs - context.now()) };
  const event = await context.next(subscription, options);
  if (event === undefined) {
    const { id: barrier, signal, timeoutMs = 0 } = spec;
    throw barrierTimeout({ barrier, signal, missing: missing(), timeoutMs });
  }
  if (event.type === "signal-received") seen.add(event.agent.toLowerCase());
}

function isOpen({ type, waitFor }: BarrierSpec, seen: number): boolean {
  if (type === "any") return seen > 0;
  return type === "all" ? seen >= waitFor.length : seen > waitFor.length / 2;
}

/** Watches the barriers of a run until each is open or can never open. */
export class BarrierWatch {
  readonly #context: Context;
  readonly #barriers: readonly Barrier[];
  readonly #scopes = new Map<string, Scope<void>>();
  readonly #failures = new Map<string, ErrorReport>();

  /** Listens from here on. */
  constructor(context: Context, specs: readonly BarrierSpec[]) {
    this.#context = context;
    this.#barriers = specs.map((spec) => createBarrier(context, spec));
  }

  /** Barriers that did not open, with the reason, by id. */
  get failures(): ReadonlyMap<string, ErrorReport> {
    return this.#failures;
  }

  /** Waits for all barriers; calls `onOver` for each that has opened or failed. */
  async start(onOver: (id: string) => Promise<void>): Promise<void> {
    const over = this.#barriers.map(async (barrier) => {
      const { id } = barrier.spec;
      const scope = this.#context.scope(`barrier-${id}`, (branch) => this.#wait(branch, barrier));
      this.#scopes.set(id, scope);
      await scope.result;
      this.#scopes.delete(id);
      await onOver(id);
    });
    await Promise.all(over);
  }

  /** Whether a barrier waits that only steps can end. */
  get isHeld(): boolean {
    return this.#barriers.some(({ spec }) => this.#waitsForSteps(spec));
  }

  /** Signals that all barriers together have heard. */
  get heard(): number {
    return this.#barriers.reduce((sum, barrier) => sum + barrier.heard, 0);
  }

  /** No step runs: barriers without a timeout that still wait have failed. */
  nobodyWorks(): void {
    for (const barrier of this.#barriers) {
      const { id, signal } = barrier.spec;
      if (!this.#waitsForSteps(barrier.spec)) continue;
      const error = barrierUnmet({ barrier: id, signal, missing: barrier.missing() });
      this.#giveUp(id, toErrorReport(error), "nobody works any more");
    }
  }

  /** The rest of the run is called off. */
  cancel(reason: string): void {
    for (const id of [...this.#scopes.keys()]) {
      this.#giveUp(id, { code: "ENGINE_CANCELLED", message: reason }, reason);
    }
  }

  #waitsForSteps({ id, timeoutMs }: BarrierSpec): boolean {
    return timeoutMs === undefined && this.#scopes.has(id) && !this.#failures.has(id);
  }

  #giveUp(id: string, error: ErrorReport, reason: string): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined || this.#failures.has(id)) return;
    this.#failures.set(id, error);
    scope.cancel(reason);
  }

  async #wait(branch: Context, barrier: Barrier): Promise<void> {
    const { id } = barrier.spec;
    try {
      await barrier.opened(branch);
      this.#context.note({ type: "pattern-advanced", kind: "barrier", data: { barrier: id } });
    } catch (error) {
      if (this.#failures.has(id)) return;
      const report = toErrorReport(error);
      if (report.code === "ENGINE_CANCELLED") throw error;
      this.#failures.set(id, report);
    }
  }
}
