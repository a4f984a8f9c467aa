import { shownMessage } from "../../fold/failed-output.ts";
import { hasResult, readableResult } from "../../fold/result-output.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState, StepStatus } from "../../fold/state/step-state.ts";
import { findItem, isEditable, isLetGo, toWaitingItem, waitingItems } from "../../fold/waiting.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { type Glyphs, UNICODE_GLYPHS } from "../terminal/glyphs.ts";
import { answerCommands, describeItem } from "./parts/answer-commands.ts";
import { excerpt, wholeLine } from "./parts/excerpt.ts";
import { failureLines } from "./parts/failure-lines.ts";
import { callLinesOf } from "./parts/inbox-text.ts";
import type { LineContext } from "./parts/line-table.ts";
import {
  endSentence,
  goOnSentence,
  standingSentence,
  suspensionSentence,
} from "./parts/run-sentences.ts";

export interface FinalSummaryOptions {
  /** Columns to fill. Defaults to 120. */
  readonly width?: number;
  /** Defaults to UNICODE_GLYPHS. */
  readonly glyphs?: Glyphs;
  /** Whether a process carries the run out. One that none does is not running, whatever it said last. Defaults to true. */
  readonly isCarriedOut?: boolean;
}

// Beyond these a summary is no longer one; `troupe show` has everything.
const MAX_STEPS = 50;
const MAX_OUTPUT_LINES = 100;

const MIN_TEXT_CHARS = 20;
const COLUMNS_AROUND_TEXT = 60;

/** What stays on the screen when a process is done with a run: steps, result, what needs people, how it ended. */
export function finalSummary(
  state: RunState,
  { width = 120, glyphs = UNICODE_GLYPHS, isCarriedOut = true }: FinalSummaryOptions = {},
): readonly string[] {
  const context = contextOf(state, { width, glyphs });
  const lines = [
    ...stepSection(context, { width, isAtRest: !isCarriedOut || isLetGo(state) }),
    ...outputSection(context),
    ...needsSection(context),
    ...unansweredSection(context),
    ...endSection(context, isCarriedOut),
    ...failureLines(context),
  ];
  // Again, whatever a section forgot: a line can do nothing but be read.
  return lines.map((line) => toPrintable(line));
}

/** The result, or why there is none, for whoever has seen the rest. */
export function resultLines(
  state: RunState,
  { width = 120, glyphs = UNICODE_GLYPHS }: FinalSummaryOptions = {},
): readonly string[] {
  const context = contextOf(state, { width, glyphs });
  const lines = [...outputSection(context), ...failureLines(context)];
  return lines.map((line) => toPrintable(line));
}

/** Why the run failed and what to do next, for whoever has seen the rest and no result. */
export function failureSummary(
  state: RunState,
  { width = 120, glyphs = UNICODE_GLYPHS }: FinalSummaryOptions = {},
): readonly string[] {
  return failureLines(contextOf(state, { width, glyphs })).map((line) => toPrintable(line));
}

function contextOf(
  state: RunState,
  options: Required<Pick<FinalSummaryOptions, "width" | "glyphs">>,
): LineContext {
  const { width, glyphs } = options;
  const maxChars = Math.max(MIN_TEXT_CHARS, width - COLUMNS_AROUND_TEXT);
  return {
    state,
    glyphs,
    excerpt: (text) => excerpt(text, { maxChars, ellipsis: glyphs.ellipsis }),
    whole: wholeLine,
  };
}

interface StepTelling {
  readonly width: number;
  /** Whether nobody carries the run out, so that no step is running. */
  readonly isAtRest: boolean;
}

function stepSection(context: LineContext, telling: StepTelling): readonly string[] {
  const { state, glyphs } = context;
  const all = [...state.steps.byPath.values()];
  // In a long list those that went well say the least.
  const wanted = all.length > MAX_STEPS ? all.filter(({ status }) => status !== "completed") : all;
  const shown = wanted.slice(0, MAX_STEPS);
  const columns = Math.max(0, ...shown.map((step) => labelledPath(step).length));
  const more = all.length - shown.length;
  return [
    ...shown.map((step) => stepLine(step, { columns, ...telling }, context)),
    ...(more === 0 ? [] : [`  ${glyphs.ellipsis} ${more} more: ${TROUPE} show ${state.run.id}`]),
  ];
}

function stepLine(
  step: StepState,
  { columns, width, isAtRest }: StepTelling & { readonly columns: number },
  context: LineContext,
): string {
  const status = shownStepStatus(step, isAtRest);
  const duration = "durationMs" in step ? formatDuration(step.durationMs) : "";
  const before = [
    `  ${context.glyphs[STEP_GLYPHS[status]]}`,
    labelledPath(step).padEnd(columns),
    status.padEnd("completed".length),
    duration.padStart("59m59s".length),
    context.excerpt(step.agent ?? "").padEnd("reviewer".length),
  ].join(" ");
  const code = "error" in step ? ` [${step.error.code}]`.length : 0;
  const room = width - before.length - code - " ".length - ` ${context.glyphs.ellipsis}`.length;
  const maxChars = Math.max(MIN_TEXT_CHARS, Math.min(room, width - COLUMNS_AROUND_TEXT));
  const shorten = (text: string) => excerpt(text, { maxChars, ellipsis: context.glyphs.ellipsis });
  return `${before} ${stepText(step, { ...context, excerpt: shorten })}`.trimEnd();
}

const STEP_GLYPHS: { readonly [status in ShownStepStatus]: keyof Glyphs } = {
  suspended: "paused",
  running: "working",
  retrying: "retry",
  completed: "done",
  failed: "failed",
  skipped: "skipped",
  blocked: "failed",
  cancelled: "failed",
};

function stepText(step: StepState, { excerpt: shorten }: LineContext): string {
  switch (step.status) {
    case "running":
      return "";
    case "retrying":
    case "failed":
      return `${shorten(shownMessage(step.error))} [${step.error.code}]`;
    case "completed":
      return shorten(step.output);
    case "blocked":
      return shorten(`waits for ${step.by.join(", ")}`);
    case "skipped":
    case "cancelled":
      return shorten(step.reason);
  }
}

function outputSection({ state, glyphs }: LineContext): readonly string[] {
  const output = readableResult(state).trim();
  if (output === "") return [];
  const lines = toPrintableLines(output);
  const more = lines.length - MAX_OUTPUT_LINES;
  const rest = `  ${glyphs.ellipsis} ${more} more lines: ${TROUPE} show ${state.run.id}`;
  return [
    hasResult(state) ? "result" : "last output",
    ...lines.slice(0, MAX_OUTPUT_LINES).map((line) => `  ${line}`.trimEnd()),
    ...(more > 0 ? [rest] : []),
  ];
}

function needsSection({ state, glyphs, whole }: LineContext): readonly string[] {
  const items = waitingItems(state, MAX_STEPS);
  if (items.length === 0) return [];
  const lines = items.flatMap((item) => [
    `  ${glyphs.attention} ${describeItem(item, whole(item.text))}`,
    `    ${[...showCommands(item.id, state), ...answerCommands(item, state.run.id)].join(` ${glyphs.dot} `)}`,
  ]);
  return ["needs you", ...lines];
}

/** The command that shows an item whole, if its line does not. */
function showCommands(id: string, state: RunState): readonly string[] {
  const item = findItem(state, id);
  const hasMore = isEditable(item) || (item !== undefined && callLinesOf(item).length > 0);
  return hasMore ? [`${TROUPE} inbox ${id}`] : [];
}

/** The run is over, so nobody can answer any more; that somebody asked is still told. */
function unansweredSection({ state, glyphs, excerpt: shorten }: LineContext): readonly string[] {
  if (state.unanswered.length === 0) return [];
  const shown = state.unanswered.slice(0, MAX_STEPS);
  const lines = shown.map((item) => `  ${describeItem(toWaitingItem(item), shorten(item.text))}`);
  const more = state.unanswered.length - shown.length;
  const rest = `  ${glyphs.ellipsis} ${more} more: ${TROUPE} show ${state.run.id} --json`;
  return ["unanswered", ...lines, ...(more === 0 ? [] : [rest])];
}

function endSection(context: LineContext, isCarriedOut: boolean): readonly string[] {
  const { state } = context;
  const { phase } = state;
  switch (phase.status) {
    case "created":
    case "running":
      return [standingSentence(context, isCarriedOut)];
    case "suspended":
      return [suspensionSentence(context, phase)];
    case "ended":
      return phase.resumable
        ? [endSentence(context, phase), goOnSentence(state, phase)]
        : [endSentence(context, phase)];
  }
}

/** What a step is called for people. */
export type ShownStepStatus = StepStatus | "suspended";

/** The word for a step: of a run that nobody carries out none is at work, whatever the journal said of it last. */
export function shownStepStatus({ status }: StepState, isAtRest: boolean): ShownStepStatus {
  return isAtRest && (status === "running" || status === "retrying") ? "suspended" : status;
}

const MAX_LABEL_CHARS = 30;

/** The place of a step, and for which item of a list it is. */
export function labelledPath({ path, label }: Pick<StepState, "path" | "label">): string {
  if (label === undefined) return toPrintable(path);
  const cut = label.length > MAX_LABEL_CHARS;
  const shown = cut ? `${label.slice(0, MAX_LABEL_CHARS - 1).toWellFormed()}…` : label;
  return toPrintable(`${path} (${shown})`);
}
