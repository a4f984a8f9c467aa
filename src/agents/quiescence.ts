import { z } from "zod";
import type { OperationHandler } from "../contracts/operation.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { hasWakingMessages } from "../fold/message-reading.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { isAskedByShadow } from "../fold/waiting.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import type { Timer } from "../foundation/clock.ts";

const quiescentInput = z.object({ quietMs: z.number() });

/** `quiescent`: nobody works, nobody has anything to read, and that has been so for a while. */
export function quiescentHandler(runtime: RunRuntime): OperationHandler {
  return {
    kind: "quiescent",
    effect: "journal",
    waitsFor: "others",
    execute: async (input, call) => {
      const { quietMs } = quiescentInput.parse(input);
      const aborted = rejectOnAbort(call.signal);
      let stop = () => {};
      const quiet = new Promise<null>((resolve) => {
        stop = watchQuiet(runtime, quietMs, () => resolve(null));
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

function watchQuiet(runtime: RunRuntime, quietMs: number, onQuiet: () => void): () => void {
  let timer: Timer | undefined;
  const restart = () => {
    timer?.cancel();
    timer = isQuiet(runtime.state) ? runtime.runningClock.startTimer(quietMs, onQuiet) : undefined;
  };
  const stopListening = runtime.onAppended(restart);
  restart();
  return () => {
    stopListening();
    timer?.cancel();
  };
}
