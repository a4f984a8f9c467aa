import { z } from "zod";
import type { OperationHandler } from "../../contracts/operation.ts";
import { delay, rejectOnAbort } from "../../foundation/abort.ts";
import { leftMs } from "../../foundation/duration.ts";
import type { Timers } from "../ports.ts";
import type { RunJournal } from "../run-journal.ts";
import type { RunningClock } from "../running-clock.ts";

const timerInput = z.object({ durationMs: z.number() });

/** `sleep`: calendar time from its scheduling; what fell due while nobody ran the run fires at once. */
export function sleepHandler(timers: Timers): OperationHandler {
  return {
    kind: "sleep",
    effect: "journal",
    execute: async (input, call) => {
      const { durationMs } = timerInput.parse(input);
      await delay(timers, leftMs(call.scheduledAt, durationMs, timers.now()), call.signal);
      return null;
    },
  };
}

/** `deadline`: running time from its scheduling; its outcome cancels the scope that it guards. */
export function deadlineHandler(journal: RunJournal, clock: RunningClock): OperationHandler {
  return {
    kind: "deadline",
    effect: "journal",
    waitsFor: "others",
    execute: async (input, call) => {
      const { durationMs } = timerInput.parse(input);
      const aborted = rejectOnAbort(call.signal);
      const elapsedMs = journal.runningMs - call.scheduledAtRunningMs;
      const fired = Promise.withResolvers<null>();
      const timer = clock.startTimer(durationMs - elapsedMs, () => fired.resolve(null));
      try {
        return await Promise.race([fired.promise, aborted.promise]);
      } finally {
        timer.cancel();
        aborted.stop();
      }
    },
  };
}
