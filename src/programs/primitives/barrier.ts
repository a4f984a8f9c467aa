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
  /** Agents whose signal is still missing, and steps that are not completed. */
  missing(): readonly string[];
  /** What its being open depends on, in a word for people. */
  readonly awaited: string;
  /** Takes note of a step that is over: whether it opens the barrier, or keeps it from ever opening. */
  over(step: string, isCompleted: boolean): "open" | "waiting" | "hopeless";
  /** Resolves when it is open. Rejects with WORKFLOW_BARRIER_TIMEOUT. */
  opened(context: Context): Promise<void>;
}

/** Starts to listen for a barrier's signals; nothing that is said from here on is missed. */
function createBarrier(context: Context, spec: BarrierSpec): Barrier {
  const signals = [kindOfMarker(spec.signal)];
  const subscription = context.subscribe({ kinds: ["signal"], from: spec.waitFor, signals });
  const { waitFor, steps = [] } = spec;
  const seen = new Set<string>();
  const completed = new Set<string>();
  const lost = new Set<string>();
  let heard = 0;
  const missing = () => [
    ...waitFor.filter((agent) => !seen.has(agent.toLowerCase())),
    ...steps.filter((step) => !completed.has(step)),
  ];
  const isOpenNow = () => isOpen(spec, seen.size + completed.size);
  const awaited = waitFor.length === 0 ? "completion" : spec.signal;
  return {
    spec,
    get heard() {
      return heard;
    },
    missing,
    awaited,
    over: (step, isCompleted) => {
      if (!steps.includes(step)) return "waiting";
      (isCompleted ? completed : lost).add(step);
      if (isCompleted && isOpenNow()) return "open";
      return isOpen(spec, countOf(spec) - lost.size) ? "waiting" : "hopeless";
    },
    opened: async (branch) => {
      const waitUntilMs = spec.timeoutMs === undefined ? undefined : context.now() + spec.timeoutMs;
      while (!isOpenNow()) {
        await waitForOne(branch, { spec, subscription, seen, waitUntilMs, missing, awaited });
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
  readonly awaited: string;
}

async function waitForOne(context: Context, waiting: Waiting): Promise<void> {
  const { spec, subscription, seen, waitUntilMs, missing, awaited } = waiting;
  const options =
    waitUntilMs === undefined ? {} : { timeoutMs: Math.max(0, waitUntilMs - context.now()) };
  const event = await context.next(subscription, options);
  if (event === undefined) {
    const { id: barrier, timeoutMs = 0 } = spec;
    throw barrierTimeout({ barrier, signal: awaited, missing: missing(), timeoutMs });
  }
  if (event.type === "signal-received") seen.add(event.agent.toLowerCase());
}

function countOf({ waitFor, steps = [] }: BarrierSpec): number {
  return waitFor.length + steps.length;
}

function isOpen(spec: BarrierSpec, seen: number): boolean {
  const { type } = spec;
  if (type === "any") return seen > 0;
  return type === "all" ? seen >= countOf(spec) : seen > countOf(spec) / 2;
}

/** Watches the barriers of a run until each is open or can never open. */
export class BarrierWatch {
  readonly #context: Context;
  readonly #barriers: readonly Barrier[];
  readonly #scopes = new Map<string, Scope<void>>();
  readonly #failures = new Map<string, ErrorReport>();
  /** Those that a step has opened. */
  readonly #opened = new Set<string>();

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

  /** A step is over: what waited for it may be open now, or can never be. */
  stepOver(step: string, isCompleted: boolean): void {
    for (const barrier of this.#barriers) {
      const { id } = barrier.spec;
      const scope = this.#scopes.get(id);
      if (scope === undefined || this.#failures.has(id) || this.#opened.has(id)) continue;
      const state = barrier.over(step, isCompleted);
      if (state === "hopeless") this.#cannotOpen(barrier, `step "${step}" was not completed`);
      if (state !== "open") continue;
      this.#opened.add(id);
      scope.cancel("open");
    }
  }

  /** No step runs: barriers without a timeout that still wait have failed. */
  nobodyWorks(): void {
    for (const barrier of this.#barriers) {
      if (this.#waitsForSteps(barrier.spec)) this.#cannotOpen(barrier, "nobody works any more");
    }
  }

  /** The rest of the run is called off. */
  cancel(reason: string): void {
    for (const id of [...this.#scopes.keys()]) {
      this.#giveUp(id, { code: "ENGINE_CANCELLED", message: reason }, reason);
    }
  }

  #waitsForSteps({ id, timeoutMs }: BarrierSpec): boolean {
    const isOver = this.#failures.has(id) || this.#opened.has(id);
    return timeoutMs === undefined && this.#scopes.has(id) && !isOver;
  }

  #cannotOpen({ spec: { id }, awaited, missing }: Barrier, reason: string): void {
    const error = barrierUnmet({ barrier: id, signal: awaited, missing: missing(), reason });
    this.#giveUp(id, toErrorReport(error), reason);
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
    } catch (error) {
      if (this.#failures.has(id)) return;
      if (this.#opened.has(id)) return this.#noteOpen(id);
      const report = toErrorReport(error);
      if (report.code === "ENGINE_CANCELLED") throw error;
      this.#failures.set(id, report);
      return;
    }
    this.#noteOpen(id);
  }

  #noteOpen(id: string): void {
    this.#context.note({ type: "pattern-advanced", kind: "barrier", data: { barrier: id } });
  }
}
