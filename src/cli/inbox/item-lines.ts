import { toAskedCall } from "../../foundation/asked-call.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable, toVisibleText } from "../../foundation/printable.ts";
import { readableJson } from "../../foundation/readable-json.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Settings } from "../terminal/settings.ts";
import { answerCommands } from "../view/parts/answer-commands.ts";
import type { InboxEntry } from "./list-inbox.ts";

/** How an item is shown whole. */
export interface ItemLinesOptions {
  /** For its age, in ms since the epoch. */
  readonly nowMs: number;
  readonly settings: Pick<Settings, "glyphs" | "paint">;
}

/**
 * All of one item: who asks for what, since when and until when, what exactly is to be decided, and the
 * commands that do. Nothing is cut, and no character can do anything but be read.
 */
export function itemLines(item: InboxEntry, options: ItemLinesOptions): readonly string[] {
  const { glyphs, paint } = options.settings;
  const show = (line: string) => toPrintable(line).trimEnd();
  return [
    paint(show(headOf(item, glyphs)), "attention"),
    paint(show(timesOf(item, options)), "aside"),
    ...(item.tool === undefined ? indent(item.text).map(show) : []),
    ...shownOf(item).map((line) => paintChange(show(line), item, paint)),
    paint(show(`  ${answerCommands(item, item.run).join(` ${glyphs.dot} `)}`), "hint"),
  ];
}

/** A line of an edit as what it is. */
function paintChange(line: string, { tool }: InboxEntry, paint: Paint): string {
  if (tool === undefined) return line;
  if (line.startsWith("  + ")) return paint(line, "done");
  return line.startsWith("  - ") ? paint(line, "failed") : line;
}

/** What is to be decided on beside the text: the data of an approval, the call of a permission. */
function shownOf({ tool, input, known = "", show, hash = "" }: InboxEntry): readonly string[] {
  if (tool !== undefined) {
    const { line, lines } = toAskedCall(tool, input ?? null);
    return [...indent(`wants to call ${line}`), ...indent(known), ...indent(lines.join("\n"))];
  }
  if (show === undefined) return [];
  return [`to be approved, sha256 ${hash}`, ...indent(readableJson(show))];
}

function headOf({ kind, id, run, workflow, instance, step, agent }: InboxEntry, glyphs: Glyphs) {
  const places = [
    `${workflow}@${instance}`,
    run,
    ...(step === null ? [] : [`step ${step}`]),
    ...(agent === null ? [] : [`from ${agent}`]),
  ];
  return `${glyphs.attention} ${[`${kind} ${id}`, ...places].join(` ${glyphs.dot} `)}`;
}

function timesOf(
  { createdAt, expiresAt, message }: InboxEntry,
  { nowMs, settings: { glyphs } }: ItemLinesOptions,
): string {
  const age = formatDuration(Math.max(0, nowMs - Date.parse(createdAt)));
  const parts = [
    `asked ${createdAt}, ${age} ago`,
    ...(expiresAt === null ? [] : [expiryText(expiresAt, nowMs)]),
    ...(message === undefined ? [] : [`by message ${message}; the answer is a message too`]),
  ];
  return `  ${parts.join(` ${glyphs.dot} `)}`;
}

/** When an item decides itself. */
export function expiryText(expiresAt: string, nowMs: number): string {
  const remainingMs = Date.parse(expiresAt) - nowMs;
  return remainingMs > 0
    ? `decides itself in ${formatDuration(remainingMs)}, at ${expiresAt}`
    : `its time was over at ${expiresAt}`;
}

function indent(text: string): readonly string[] {
  if (text === "") return [];
  return toVisibleText(text.trimEnd())
    .split("\n")
    .map((line) => `  ${line.replaceAll("\t", "  ")}`);
}
