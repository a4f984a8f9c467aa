import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { type Glyphs, UNICODE_GLYPHS } from "../terminal/glyphs.ts";
import { agentEventLines } from "./lines/agent-lines.ts";
import { budgetLines } from "./lines/budget-lines.ts";
import { childLines } from "./lines/child-lines.ts";
import { askedLines } from "./lines/inbox-lines.ts";
import { messageLines } from "./lines/message-lines.ts";
import { runLines } from "./lines/run-lines.ts";
import { stepEventLines } from "./lines/step-lines.ts";
import { excerpt, wholeLine } from "./parts/excerpt.ts";
import { type LineTable, linesOf } from "./parts/line-table.ts";

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
  askedLines,
  budgetLines,
  childLines,
];

const WHO_COLUMNS = 8;
const MOST_WHO_COLUMNS = 20;
const MIN_TEXT_CHARS = 20;
// A time, a name, and the words around a text.
const COLUMNS_AROUND_TEXT = 40;

/** A view that writes `HH:MM:SS who what` for each event that people want to know about. */
export function createPlainView(options: PlainViewOptions): PlainView {
  const { width = 120, glyphs = UNICODE_GLYPHS, formatTime = formatLocalTime } = options;
  const { compose = ({ time, who, what }) => `${time} ${who} ${what}` } = options;
  const maxChars = Math.max(MIN_TEXT_CHARS, width - COLUMNS_AROUND_TEXT);
  const shorten = (text: string) => excerpt(text, { maxChars, ellipsis: glyphs.ellipsis });
  const told = (event: JournalEvent, state: RunState) =>
    linesOf(TABLES, event, { state, glyphs, excerpt: shorten, whole: wholeLine });
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
        options.write(compose({ ...parts, what: toPrintable(what) }));
      }
    },
  };
}

/** `HH:MM:SS` in the time zone of this machine. */
function formatLocalTime(atMs: number): string {
  const date = new Date(atMs);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
