import type { Guess, RunEstimate } from "../../app/plan/run-plan.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";

/** An estimate with what each figure rests on. */
export function estimateLines(estimate: RunEstimate): readonly string[] {
  const { min, likely, max } = estimate.turns;
  const { earlierTurns, costUsd, tokens, durationMs } = estimate;
  const past =
    earlierTurns.basis === "earlier-runs"
      ? `; ${round(earlierTurns.value)} in the middle of ${count(earlierTurns.runs, "ended run")}`
      : "";
  const most =
    max === null
      ? "as many as its rounds and lists ask for"
      : `at most ${max} with all retries, reminders and helpers`;
  return [
    `  turns   ${likely} if all goes well, at least ${min}, ${most}${past}`,
    `  cost    ${guessText(costUsd, (value) => `$${value.toFixed(2)}`)}`,
    `  tokens  ${guessText(tokens, round)}`,
    `  time    ${guessText(durationMs, formatDuration)}`,
  ];
}

function guessText(guess: Guess, format: (value: number) => string): string {
  switch (guess.basis) {
    case "earlier-runs":
      return `${guess.isEstimate === true ? "~" : ""}${format(guess.value)} (median of ${count(guess.runs, "ended run")} of this workflow in this project)`;
    case "budget":
      return `at most ${format(guess.atMost)} (what the limits allow; no earlier run tells more)`;
    case "free":
      return `${format(guess.value)} (no agent uses a model)`;
    case "unknown":
      return "unknown (no ended run of this workflow tells, and no limit is set)";
  }
}

function round(value: number): string {
  return String(Math.round(value));
}
