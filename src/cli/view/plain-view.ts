import type { BudgetOwner } from "../../contracts/budget.ts";
import { amountText, useText } from "../../contracts/budget-words.ts";
import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import { MAIN_CHANNEL } from "../../contracts/message.ts";
import { shownMessage } from "../../fold/failed-output.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { type Glyphs, UNICODE_GLYPHS } from "../terminal/glyphs.ts";
import { localClock } from "../terminal/local-time.ts";
import type { Settings } from "../terminal/settings.ts";
import { loadFit } from "../terminal/write-lines.ts";
import { agentEventLines } from "./lines/agent-lines.ts";
import { inboxEventLines } from "./lines/inbox-lines.ts";
import { runLines } from "./lines/run-lines.ts";
import { answerCommands, describeItem } from "./parts/answer-commands.ts";
import { excerpt, wholeLine } from "./parts/excerpt.ts";
import {
  type LineContext,
  type LineTable,
  linesOf,
  type ProgressLine,
} from "./parts/line-table.ts";

/** How steps go. */
const stepEventLines: LineTable = {
  "step-started": ({ path, execution, attempt, agent, label }, { glyphs, excerpt }) => {
    const often = execution > 1 ? ` ${glyphs.times}${execution}` : "";
    const again = attempt > 1 ? `, attempt ${attempt}` : "";
    const by = agent === undefined || agent === path ? "" : ` (${excerpt(agent)})`;
    const of = label === undefined ? "" : ` ${glyphs.dot} ${excerpt(label)}`;
    return [{ who: path, what: `${glyphs.working} started${often}${again}${by}${of}` }];
  },
  "step-completed": ({ path, output, durationMs, reusedFrom }, { glyphs, excerpt }) => {
    const how =
      reusedFrom === undefined
        ? `completed in ${formatDuration(durationMs)}`
        : `completed, reused from ${excerpt(reusedFrom.run)}`;
    const result = excerpt(output);
    const tail = result === "" ? "" : ` ${glyphs.dot} ${result}`;
    return [{ who: path, what: `${glyphs.done} ${how}${tail}` }];
  },
  "step-failed": ({ path, attempt, durationMs, error }, { glyphs, excerpt }) => {
    const tries = attempt > 1 ? ` after ${attempt} attempts` : ` in ${formatDuration(durationMs)}`;
    const why = `${excerpt(shownMessage(error))} [${error.code}]`;
    return [{ who: path, what: `${glyphs.failed} failed${tries}: ${why}` }];
  },
  "step-retrying": ({ path, attempt, delayMs, error }, { glyphs, excerpt }) => {
    const wait = delayMs === 0 ? "" : ` in ${formatDuration(delayMs)}`;
    const why = `${excerpt(shownMessage(error))} [${error.code}]`;
    const next = `${glyphs.arrow} attempt ${attempt + 1}${wait}`;
    return [{ who: path, what: `${glyphs.retry} attempt ${attempt} failed: ${why} ${next}` }];
  },
  "step-skipped": ({ path, reason }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.skipped} skipped: ${excerpt(reason)}` },
  ],
  "step-blocked": ({ path, by }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.failed} blocked by ${excerpt(by.join(", "))}` },
  ],
  "step-cancelled": ({ path, reason }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.failed} cancelled: ${excerpt(reason)}` },
  ],
  "tests-changed": ({ step, files, more }, { glyphs, excerpt }) => [
    {
      who: step,
      what: `${glyphs.attention} changed tests: ${excerpt(namedFiles({ files, more }))}`,
    },
  ],
  "verification-passed": ({ step, check }, { glyphs, excerpt }) => [
    { who: step, what: `${glyphs.done} verified: ${excerpt(check)}` },
  ],
  "verification-failed": ({ step, check, output }, { glyphs, excerpt }) => {
    // What a check says last is what it found.
    const last = excerpt(output.trimEnd().split("\n").at(-1) ?? "");
    const tail = last === "" ? "" : ` ${glyphs.dot} ${last}`;
    return [{ who: step, what: `${glyphs.failed} verification failed: ${excerpt(check)}${tail}` }];
  },
};

/** What agents and people say and write down. */
const messageLines: LineTable = {
  "message-posted": ({ from, to, channel = MAIN_CHANNEL, text }, { glyphs, excerpt }) => {
    const addressees = to?.map((agent) => `@${excerpt(agent)}`).join(" ");
    const place = channel === MAIN_CHANNEL ? "" : `#${excerpt(channel)}: `;
    const target = addressees === undefined ? place : `${addressees}: `;
    return [{ who: from, what: `${glyphs.arrow} ${target}${excerpt(text)}` }];
  },
  "message-dead": ({ agent, id, attempts }, { glyphs }) => [
    {
      who: agent,
      what: `${glyphs.attention} message ${id} was given up after ${attempts} attempts`,
    },
  ],
  "document-changed": ({ by, document, revision, change }, { glyphs, excerpt }) => {
    const verb = change.kind === "append" ? "added" : "wrote";
    const text = `${document} revision ${revision}, ${verb} ${change.text.length} characters`;
    return [{ who: by, what: `${glyphs.edit} ${excerpt(text)}` }];
  },
};

/** Child runs: their beginning, what they ask people for, and their end. */
const childLines: LineTable = {
  "child-started": ({ child, workflow, path = "run" }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.working} runs ${excerpt(workflow)} as ${child}` },
  ],
  "child-waiting": ({ waitingFor }, { glyphs, whole }) =>
    waitingFor.flatMap((item) => [
      {
        who: item.run ?? "run",
        what: `${glyphs.attention} ${describeItem(item, whole(item.text))}`,
      },
      {
        who: item.run ?? "run",
        what: `  ${answerCommands(item, item.run ?? "").join(` ${glyphs.dot} `)}`,
      },
    ]),
  "child-ended": ({ child, outcome, reason }, { glyphs, excerpt }) => [
    {
      who: child,
      what: `${outcome === "completed" ? glyphs.done : glyphs.failed} ${outcome}: ${excerpt(reason)}`,
    },
  ],
};

/** Limits that come near and limits that are reached; what is set aside and given back is not told. */
const budgetLines: LineTable = {
  "budget-warned": (event, context) => [
    { who: whoOf(event, context), what: `${context.glyphs.attention} ${warningOf(event)}` },
  ],
  "budget-exceeded": (event, context) => {
    const { glyphs } = context;
    const limit = `limit of ${amountText(event.meter, event.limit)} reached`;
    const effect = event.of === "run" ? "nothing new starts" : "no turn is left for it";
    return [{ who: whoOf(event, context), what: `${glyphs.attention} ${limit}; ${effect}` }];
  },
};

function whoOf(
  { of, agent = "run", step = "run" }: { of: BudgetOwner["of"]; agent?: string; step?: string },
  { excerpt }: LineContext,
): string {
  switch (of) {
    case "run":
      return "run";
    case "agent":
      return excerpt(agent);
    case "step":
      return excerpt(step);
  }
}

function warningOf(event: EventOf<"budget-warned">): string {
  const { cause, meter, limit, spent, agent } = event;
  if (cause === "soft") return `budget: ${useText(meter, { spent, limit })} used`;
  const what = meter === "cost" ? "cost" : "use of tokens";
  return `the ${what} of ${agent ?? "an agent"} is unknown: its turns count with what they reserve`;
}

/** Progress as lines that stay where they are: for pipes, logs and CI. */
export interface PlainView {
  /** Tells one event. `state` is the run after it. */
  show(event: JournalEvent, state: RunState): void;
}

export interface PlainViewOptions {
  /** Takes one line without its end. */
  write(line: string): void;
  /** Columns to fill; texts of others are cut to fit, ids and commands never. Defaults to 120. */
  readonly width?: number;
  /** Whether texts of others give way until a line fits `width`. Defaults to false: what is piped is not cut more. */
  readonly shrinks?: boolean;
  /** Makes lines of one that is wider than the terminal. Defaults to leaving it as it is. */
  fitLine?(line: string): readonly string[];
  /** Defaults to UNICODE_GLYPHS. */
  readonly glyphs?: Glyphs;
  /** The label of a time in ms since the epoch. Defaults to the local time as HH:MM:SS. */
  formatTime?(atMs: number): string;
  /** Makes a line of its parts, which are safe for a terminal. Defaults to spaces between them. */
  compose?(parts: LineParts): string;
}

/** The parts of a line, `who` filled up to its column. */
export interface LineParts {
  readonly time: string;
  readonly who: string;
  readonly what: string;
}

const TABLES: readonly LineTable[] = [
  runLines,
  agentEventLines,
  messageLines,
  stepEventLines,
  inboxEventLines,
  budgetLines,
  childLines,
];

const TIME_COLUMNS = "HH:MM:SS ".length;
const WHO_COLUMNS = 8;
const MOST_WHO_COLUMNS = 20;
const MIN_TEXT_CHARS = 20;
// A time, a name, and the words around a text.
const COLUMNS_AROUND_TEXT = 40;

/** A view that writes `HH:MM:SS who what` for each event that people want to know about. */
export function createPlainView(options: PlainViewOptions): PlainView {
  const { width = 120, glyphs = UNICODE_GLYPHS, formatTime = localClock } = options;
  const { compose = ({ time, who, what }) => `${time} ${who} ${what}` } = options;
  const { fitLine = (line: string) => [line], shrinks = false } = options;
  const widest = Math.max(MIN_TEXT_CHARS, width - COLUMNS_AROUND_TEXT);
  const shortener = (maxChars: number) => (text: string) =>
    excerpt(text, { maxChars, ellipsis: glyphs.ellipsis });
  const shorten = shortener(widest);
  const tell = (event: JournalEvent, state: RunState, maxChars: number) =>
    linesOf(TABLES, event, { state, glyphs, excerpt: shortener(maxChars), whole: wholeLine });
  /** Texts of others give way until the line fits, as far as that makes sense. */
  const told = (event: JournalEvent, state: RunState) => {
    const lines = tell(event, state, widest);
    const excess = Math.max(0, ...lines.map((line) => columnsOf(line) - width));
    if (!shrinks || excess === 0 || widest === MIN_TEXT_CHARS) return lines;
    return tell(event, state, Math.max(MIN_TEXT_CHARS, widest - excess));
  };
  const columnsOf = ({ who, what }: ProgressLine) =>
    TIME_COLUMNS + Math.max(whoColumns, Math.min(who.length, MOST_WHO_COLUMNS)) + 1 + what.length;
  let whoColumns = WHO_COLUMNS;
  return {
    show: (event, state) => {
      const time = formatTime(event.at);
      // Again, whatever a table forgot: a line can do nothing but be read.
      for (const { who, what } of told(event, state)) {
        const actor = toPrintable(shorten(who));
        // Lines that are written stay; those that follow a longer name stand under it.
        whoColumns = Math.max(whoColumns, Math.min(actor.length, MOST_WHO_COLUMNS));
        const parts = { time: toPrintable(time), who: actor.padEnd(whoColumns) };
        for (const line of fitLine(compose({ ...parts, what: toPrintable(what) })))
          options.write(line);
      }
    },
  };
}

/** How lines of plain progress look by the settings: in a terminal they fit and have its colours. */
export async function plainStyle(
  settings: Settings,
): Promise<
  Required<Pick<PlainViewOptions, "width" | "glyphs" | "fitLine" | "shrinks">> &
    Pick<PlainViewOptions, "compose">
> {
  const { width, glyphs, paint, maxColumns } = settings;
  const style = {
    width,
    glyphs,
    shrinks: maxColumns !== Infinity,
    fitLine: await loadFit(settings),
  };
  // Nothing to paint: what paints is not even loaded.
  if (paint("x", "done") === "x") return style;
  const { paintSign } = await import("../terminal/paint-sign.ts");
  return {
    ...style,
    compose: ({ time, who, what }) =>
      `${paint(time, "aside")} ${paint(who, "message")} ${paintSign(what, settings)}`,
  };
}
