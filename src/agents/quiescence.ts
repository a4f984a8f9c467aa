import { z } from "zod";
import type { OperationHandler } from "../contracts/operation.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { hasWakingMessages } from "../fold/message-reading.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { isAskedByShadow } from "../fold/waiting.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import type { Timer } from "../foundation/clock.ts";

const quiescentInput = z.object({
  quietMs: z.number(),
  agents: z.array(z.string()).exactOptional(),
});
const wokenInput = z.object({ agent: z.string() });

/** `quiescent`: nobody works, nobody has anything to read, and that has been so for a while. */
export function quiescentHandler(runtime: RunRuntime): OperationHandler {
  return {
    kind: "quiescent",
    effect: "journal",
    waitsFor: "others",
    execute: async (input, call) => {
      const { quietMs, agents } = quiescentInput.parse(input);
      const isStill = (state: RunState) =>
        agents === undefined ? isQuiet(state) : isQuietAmong(state, agents);
      const aborted = rejectOnAbort(call.signal);
      let stop = () => {};
      const quiet = new Promise<null>((resolve) => {
        const onQuiet = () => resolve(null);
        stop = watchQuiet(runtime, { quietMs, isStill, onQuiet });
      });
      try {
        return await Promise.race([quiet, aborted.promise]);
      } finally {
        stop();
        aborted.stop();
      }
    },
  };
}

/** `woken`: something waits in an agent's inbox that is worth a turn. */
export function wokenHandler(runtime: RunRuntime): OperationHandler {
  return {
    kind: "woken",
    effect: "journal",
    waitsFor: "others",
    execute: (input, call) => {
      const { agent } = wokenInput.parse(input);
      const isWoken = () => hasWakingMessages(runtime.state, agent);
      if (isWoken()) return null;
      const aborted = rejectOnAbort(call.signal);
      let stop = () => {};
      const woken = new Promise<null>((resolve) => {
        stop = runtime.onAppended(() => {
          if (isWoken()) resolve(null);
        });
      });
      return Promise.race([woken, aborted.promise]).finally(() => {
        stop();
        aborted.stop();
      });
    },
  };
}

/** Whether a subagent in the background has not come to its end: its run waits for it (SUB-9). */
export function hasBackgroundWork({ agents }: RunState): boolean {
  for (const { spec, status } of agents.values())
    if (spec.subagent === "background" && status !== "exited") return true;
  return false;
}

/** Whether no turn runs and no live agent has an unseen item or waits for a decision that will be one. */
function isQuiet(state: RunState): boolean {
  if (state.activity.runningTurns > 0 || state.activity.work > 0) return false;
  for (const agent of state.agents.values()) {
    if (agent.status !== "exited" && hasWakingMessages(state, agent.id)) return false;
  }
  for (const item of state.inbox.values())
    if (item.kind === "approval" && item.agent !== undefined && !isAskedByShadow(state, item))
      return false;
  return true;
}

/** Whether none of these agents, nor any that they have spawned, works, is about to, or waits for a decision. */
function isQuietAmong(state: RunState, agents: readonly string[]): boolean {
  const among = withSpawned(state, agents);
  for (const id of among) {
    const agent = state.agents.get(id);
    if (agent === undefined || agent.status === "exited") continue;
    const isAtWork = agent.turns.size > 0 || agent.activity.queuedPrompts > 0;
    if (isAtWork || hasWakingMessages(state, id)) return false;
  }
  return ![...state.inbox.values()].some(
    ({ kind, agent }) => kind === "approval" && agent !== undefined && among.has(agent),
  );
}

/** An agent is spawned after the one that asks for it. */
function withSpawned({ agents }: RunState, roots: readonly string[]): ReadonlySet<string> {
  const among = new Set(roots);
  for (const { id, spec } of agents.values())
    if (spec.spawnedBy !== undefined && among.has(spec.spawnedBy)) among.add(id);
  return among;
}

interface QuietWatch {
  readonly quietMs: number;
  readonly isStill: (state: RunState) => boolean;
  readonly onQuiet: () => void;
}

function watchQuiet(runtime: RunRuntime, { quietMs, isStill, onQuiet }: QuietWatch): () => void {
  let timer: Timer | undefined;
  const restart = () => {
    timer?.cancel();
    timer = isStill(runtime.state) ? runtime.runningClock.startTimer(quietMs, onQuiet) : undefined;
  };
  const stopListening = runtime.onAppended(restart);
  restart();
  return () => {
    stopListening();
    timer?.cancel();
  };
}
