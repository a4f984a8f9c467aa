import type { Machine } from "../../app/machine/machine.ts";
import type { CommandReceipt } from "../../app/run/commands/command-run.ts";
import { followEvents, readEvents } from "../../app/runs/run-events.ts";
import { fold } from "../../fold/fold.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";

/** What became of something that was told to stop. */
export type Stopped =
  /** It is over. */
  | "stopped"
  /** An agent finishes the turn that it works on. */
  | "stopping"
  /** Nobody carries the run out: it takes effect at resume. */
  | "recorded";

// Longer than an agent may take for its turn, and its program to end.
const PATIENCE_MS = 40_000;

/**
 * Waits until what a command was to stop has stopped: an agent, or without one the run. Resolves with
 * `stopping` if that takes too long.
 */
export async function waitForStop(
  machine: Machine,
  receipt: CommandReceipt,
  agent: string | undefined,
): Promise<Stopped> {
  if (receipt.status === "recorded") return "recorded";
  if (receipt.status === "ended") return "stopped";
  const state = emptyRunState(receipt.run, NO_MESSAGES);
  for (const event of readEvents(machine, receipt.run)) fold(state, event);
  const over = new AbortController();
  const timer = machine.clock.startTimer(PATIENCE_MS, () => over.abort());
  try {
    if (hasStopped(state, agent)) return "stopped";
    const position = { afterSeq: state.lastSeq, signal: over.signal };
    for await (const event of followEvents(machine, receipt.run, position))
      if (hasStopped(fold(state, event), agent)) return "stopped";
    return "stopping";
  } finally {
    timer.cancel();
  }
}

function hasStopped(state: RunState, agent: string | undefined): boolean {
  if (state.phase.status === "ended" || state.phase.status === "suspended") return true;
  return agent !== undefined && findAgent(state, agent)?.status === "exited";
}
