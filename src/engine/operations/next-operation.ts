import { z } from "zod";
import type { OperationCall, OperationHandler } from "../../contracts/operation.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";
import type { RunJournal } from "../run-journal.ts";
import type { RunningClock } from "../running-clock.ts";

const selectorSchema = z.object({
  kinds: z.array(
    z.enum([
      "message",
      "turn-started",
      "turn-ended",
      "agent-status",
      "agent-exited",
      "request",
      "signal",
      "child-ended",
      "document",
      "file",
      "dead-letter",
    ]),
  ),
  from: z.array(z.string()).exactOptional(),
  to: z.array(z.string()).exactOptional(),
  channel: z.string().exactOptional(),
  signals: z.array(z.string()).exactOptional(),
});

const nextInput = z.object({
  selector: selectorSchema,
  after: z.number(),
  timeoutMs: z.number().exactOptional(),
});

/** `next`: the first matching fact after the cursor; settled in the transaction of that fact. */
export function nextHandler(journal: RunJournal, clock: RunningClock): OperationHandler {
  const { facts } = journal;
  return {
    kind: "next",
    effect: "journal",
    waitsFor: "others",
    execute: (input, call) => {
      const { selector, after, timeoutMs } = nextInput.parse(input);
      const found = facts.firstAfter(selector, after);
      if (found !== undefined) return { seq: found.seq };
      // Running time stands still while a person is asked; whoever only looks must not wait for that.
      if (timeoutMs !== undefined && timeoutMs <= waitedMs(journal, call)) return null;
      const aborted = rejectOnAbort(call.signal);
      const { promise: arrived, resolve } = Promise.withResolvers<{ seq: number } | null>();
      const stopWaiting = facts.wait(selector, (event) => resolve({ seq: event.seq }));
      const timer =
        timeoutMs === undefined
          ? undefined
          : clock.startTimer(timeoutMs - waitedMs(journal, call), () => resolve(null));
      return Promise.race([arrived, aborted.promise]).finally(() => {
        stopWaiting();
        timer?.cancel();
        aborted.stop();
      });
    },
  };
}

/** Earlier owners have waited too. */
function waitedMs({ runningMs }: RunJournal, call: OperationCall): number {
  return runningMs - call.scheduledAtRunningMs;
}
