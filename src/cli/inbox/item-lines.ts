import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable, toVisibleText } from "../../foundation/printable.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import { answerCommands } from "../view/parts/answer-commands.ts";
import type { InboxEntry } from "./list-inbox.ts";

/** How an item is shown whole. */
export interface ItemLinesOptions {
  /** For its age, in ms since the epoch. */
  readonly nowMs: number;
  readonly glyphs: Glyphs;
}

/**
 * All of one item: who asks for what, since when and until when, what exactly is to be decided, and the
 * commands that do. Nothing is cut, and no character can do anything but be read.
 */
export function itemLines(item: InboxEntry, options: ItemLinesOptions): readonly string[] {
  const { glyphs } = options;
  const lines = [
    headOf(item, glyphs),
    timesOf(item, options),
    ...(item.tool === undefined ? indent(item.text) : []),
    ...shownOf(item),
    `  ${answerCommands(item, item.run).join(` ${glyphs.dot} `)}`,
  ];
  return lines.map((line) => toPrintable(line).trimEnd());
}

/** What is to be decided on beside the text: the data of an approval, the call of a permission. */
export function shownOf({ tool, input, show, hash = "" }: InboxEntry): readonly string[] {
  if (tool !== undefined) return [`wants to call ${tool} with`, ...dataLines(input ?? null)];
  if (show === undefined) return [];
  return [`to be approved, sha256 ${hash}`, ...dataLines(show)];
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
  { nowMs, glyphs }: ItemLinesOptions,
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

function dataLines(data: Json): readonly string[] {
  return indent(typeof data === "string" ? data : JSON.stringify(data, null, 2));
}

function indent(text: string): readonly string[] {
  return toVisibleText(text.trimEnd())
    .split("\n")
    .map((line) => `  ${line.replaceAll("\t", "  ")}`);
}
