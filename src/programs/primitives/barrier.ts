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
  /** Agents whose signal is still missing. */
  missing(): readonly string[];
  /** Resolves when it is open. Rejects with WORKFLOW_BARRIER_TIMEOUT. */
  opened(context: Context): Promise<void>;
}

/** Starts to listen for a barrier's signals; nothing that is said from here on is missed. */
export function createBarrier(context: Context, spec: BarrierSpec): Barrier {
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
