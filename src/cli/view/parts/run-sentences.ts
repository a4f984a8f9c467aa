import type { BudgetMeter } from "../../../contracts/budget.ts";
import { useText } from "../../../contracts/budget-words.ts";
import type { Outcome, SuspendReason, WaitingItem } from "../../../contracts/run.ts";
import { shownReason } from "../../../fold/failed-output.ts";
import { runningMsAt } from "../../../fold/running-time.ts";
import { type MeterUse, runBudget } from "../../../fold/state/budget-reading.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { runStatus } from "../../../fold/waiting.ts";
import { count } from "../../../foundation/count.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";
import { formatCost } from "../../../foundation/money.ts";
import { resumeCommandOf } from "../../command/resume-command.ts";
import { asCalled } from "../../command/suggested-commands.ts";
import type { Glyphs } from "../../terminal/glyphs.ts";
import type { LineContext } from "./line-table.ts";

/** The end of a run, from its last event or from its state. */
export interface RunEnd {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly durationMs: number;
  readonly error?: ErrorReport | undefined;
}

/** How a run ended, with what it took: `✔ done in 1m44s · 2 agents · 11 messages · $0.42`. */
export function endSentence(context: LineContext, end: RunEnd): string {
  const { state, glyphs, excerpt, whole } = context;
  const duration = formatDuration(end.durationMs);
  const isLimit = end.outcome === "limit-reached";
  // What is said of a limit is Troupe's own words, and short.
  const told = shownReason(state, end);
  const reason = isLimit ? whole(told) : excerpt(told);
  const code = isLimit && end.error !== undefined ? ` [${end.error.code}]` : "";
  const parts =
    end.outcome === "completed"
      ? [`${glyphs.done} done in ${duration}`]
      : [`${glyphs.failed} ${failureOf(end.outcome, reason)}${code}`, duration];
  return [...parts, ...totals(state)].join(` ${glyphs.dot} `);
}

/** Why a process let go of the run, and how to go on. */
export function suspensionSentence(
  { state, glyphs, whole }: LineContext,
  suspension: {
    readonly reason: SuspendReason;
    readonly waitingFor: readonly WaitingItem[];
    readonly error?: ErrorReport | undefined;
  },
): string {
  const resume = resumeCommandOf(state);
  const { error } = suspension;
  if (error !== undefined) {
    const hint = error.hint === undefined ? resume : asCalled(error.hint);
    return `${glyphs.paused} suspended: ${whole(error.message)} [${error.code}]; ${hint}`;
  }
  switch (suspension.reason) {
    case "interrupted":
      return `${glyphs.paused} suspended, state is saved: ${resume}`;
    case "paused":
      return `${glyphs.paused} paused: ${resume}`;
    case "waiting":
      return `${glyphs.attention} waiting for ${count(suspension.waitingFor.length, "decision")}: ${resume}`;
  }
}

/** How to go on with a run that ended resumably: with more, if a limit stopped it. */
export function goOnSentence(state: RunState, { error }: Pick<RunEnd, "error">): string {
  return error?.hint === undefined ? `to go on: ${resumeCommandOf(state)}` : asCalled(error.hint);
}

/** What the run took so far, in words: `2 agents`, `1 retry`, `$0.42`. Nothing stands for zero. */
function totals(state: RunState): readonly string[] {
  return [
    count(state.agents.size, "agent"),
    count(state.messages.count, "message"),
    count(state.steps.retries, "retry", "retries"),
    count(state.deadLetters.length, "dead letter"),
    ...spent(state),
  ].filter((part) => part !== "" && !part.startsWith("0 "));
}

const STANDING: { readonly [word: string]: keyof Glyphs } = {
  waiting: "attention",
  suspended: "paused",
};

/** How a run stands that is not over and that no process let go of: in the word by which lists call it. */
export function standingSentence({ state, glyphs }: LineContext, isCarriedOut: boolean): string {
  const status = runStatus(state);
  const word = status === "running" && !isCarriedOut ? "suspended" : status;
  const sign = glyphs[STANDING[word] ?? "working"];
  const time = formatDuration(runningMsAt(state, state.lastAt));
  const since = word === "suspended" ? `${word} after` : word;
  return [`${sign} ${since} ${time}`, ...totals(state)].join(` ${glyphs.dot} `);
}

/** The cost, and what else the run has limits for: `$0.42 of $2.00`, `3 of 8 turns`. */
function spent(state: RunState): readonly string[] {
  const limits = runBudget(state).filter(({ meter }) => SHOWN_METERS.has(meter));
  const hasCost = limits.some(({ meter }) => meter === "cost");
  return [...(hasCost ? [] : [cost(state)]), ...limits.map(limitText)];
}

// Agents and messages are counted anyway, and time stands beside them.
const SHOWN_METERS: ReadonlySet<BudgetMeter> = new Set(["cost", "tokens", "turns"]);

function limitText(use: MeterUse): string {
  return `${useText(use.meter, use)}${use.isEstimate ? " (partly assumed)" : ""}`;
}

function cost({ usage, unpricedTurns }: RunState): string {
  const told = formatCost({ ...usage, unpricedTurns });
  return told === "unknown" ? "cost unknown" : told;
}

function failureOf(outcome: Outcome, reason: string): string {
  return reason === "" || reason === outcome ? outcome : `${outcome}: ${reason}`;
}
