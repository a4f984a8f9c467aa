import type { Context } from "../../contracts/ports/context.ts";
import type { Subscription } from "../../contracts/selector.ts";
import type { BarrierSpec } from "../../contracts/step.ts";
import { kindOfMarker } from "../../signals/signal-forms.ts";
import { barrierTimeout } from "../errors.ts";

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
export function createBarrier(context: Context, spec: BarrierSpec): Barrier {
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
