import { z } from "zod";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import { elapsedMs, formatDuration } from "../../foundation/duration.ts";
import { fromIsoTime } from "../../foundation/iso-time.ts";
import { timeInvalid } from "./parts/errors.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const MAX_WAIT_MS = 10 * 366 * 24 * 3_600_000;

const settings = z.strictObject({
  duration_ms: z.int().min(0).max(MAX_WAIT_MS).optional().describe("How long, in ms."),
  until: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Until when: a time such as 2026-11-21T20:00:00Z, or a template that comes to one, or to ms since 1970.",
    ),
});

type WaitSettings = z.infer<typeof settings>;

/** Waits in calendar time, over any number of restarts; what is past does not wait. */
export const waitStep = {
  ...PLAIN_STEP,
  name: "wait",
  summary: "Waits for a time or until a time",
  settings,
  isLookedThrough: true,
  templates: ["until"],
  check: ({ duration_ms, until }) => {
    if (duration_ms === undefined && until === undefined)
      return [{ problem: "does not say how long", hint: "write duration_ms, or until" }];
    if (duration_ms !== undefined && until !== undefined)
      return [{ key: "until", problem: "stands beside duration_ms", hint: "keep one of the two" }];
    if (until === undefined || until.includes("{{") || timeOf(until) !== undefined) return [];
    return [
      {
        key: "until",
        problem: `${JSON.stringify(until)} is no time`,
        hint: "write 2026-11-21T20:00:00Z, with its zone, or {{context.<step>.<member>}}",
      },
    ];
  },
  run,
} as const satisfies StepType<WaitSettings>;

async function run(run: StepRun<WaitSettings>): Promise<StepOutcome> {
  const { context, settings: own } = run;
  const startedAt = context.now();
  const durationMs = own.duration_ms ?? timeLeft(run, startedAt);
  if (durationMs > 0) await context.sleep(durationMs);
  const waitedMs = elapsedMs(startedAt, context.now());
  return { data: { waitedMs }, output: `waited ${formatDuration(waitedMs)}` };
}

/** Raises STEP_TIME_INVALID. */
function timeLeft({ step, scope, settings: own }: StepRun<WaitSettings>, nowMs: number): number {
  const found = scope.text(own.until ?? "");
  const time = timeOf(found.trim());
  if (time === undefined || time - nowMs > MAX_WAIT_MS) throw timeInvalid({ step: step.id, found });
  return time - nowMs;
}

/** In ms since the epoch. */
function timeOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : fromIsoTime(text);
}
