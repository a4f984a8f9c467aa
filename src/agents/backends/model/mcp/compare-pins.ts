import type { PinnedTool } from "../../../../contracts/ports/server-pins.ts";
import { sha256 } from "../../../../foundation/hash.ts";
import { canonicalJson } from "../../../../foundation/json.ts";
import { diffLines } from "../../../../foundation/line-diff.ts";

/** A tool that is not what a project knows of it. */
export interface ToolChange {
  /** As it is now. */
  readonly now: PinnedTool;
  /** As it is pinned; undefined for a tool that is new. */
  readonly before: PinnedTool | undefined;
}

// A person reads all of this in an inbox before she agrees.
const MAX_LINES = 300;
const MIN_LINES_PER_TOOL = 12;
const MAX_CHARS = 16_000;
const MAX_NAMES = 10;
const MAX_NAME_CHARS = 100;
/** Descriptions are often one line of a thousand characters, in which nobody would find one word that changed. */
const MAX_LINE_CHARS = 160;
const CONTEXT_LINES = 1;

/** The tools whose description, schema or promise differs from what is pinned, and those that are not pinned at all. */
export function changesOf(
  pinned: readonly PinnedTool[],
  tools: readonly PinnedTool[],
): readonly ToolChange[] {
  const known = new Map(pinned.map((tool) => [tool.tool, tool]));
  return tools.flatMap((now) => {
    const before = known.get(now.tool);
    return before !== undefined && isSame(before, now) ? [] : [{ now, before }];
  });
}

/**
 * What a person is asked: which tools of a server changed and how, line by line. Characters that do not show are replaced
 * by their codes. The hash covers all of the new text, also the part that is too long to show, so an answer holds for this
 * change only.
 */
export function changeText(server: string, changes: readonly ToolChange[]): string {
  const share = Math.max(MIN_LINES_PER_TOOL, Math.floor(MAX_LINES / changes.length));
  const names = changes.slice(0, MAX_NAMES).map(({ now, before }) => {
    return `${nameOf(now.tool)} ${before === undefined ? "is new" : "has changed"}`;
  });
  const more = changes.length - names.length;
  const head = `${nameOf(server)}: ${names.join(", ")}${more > 0 ? `, ${more} more` : ""}`;
  const body = changes.flatMap((change) => linesOf(change, share)).join("\n");
  const shown = body.slice(0, MAX_CHARS).toWellFormed();
  const rest = body.length - shown.length;
  const hash = sha256(canonicalJson(changes.map(({ now }) => ({ ...now }))));
  return [
    head,
    shown,
    ...(rest > 0 ? [`(${rest} characters more are not shown)`] : []),
    `sha256 of the new text: ${hash}`,
  ].join("\n");
}

function isSame(before: PinnedTool, now: PinnedTool): boolean {
  return (
    before.description === now.description &&
    before.schema === now.schema &&
    before.isReadOnly === now.isReadOnly
  );
}

function linesOf({ now, before }: ToolChange, share: number): readonly string[] {
  const name = nameOf(now.tool);
  const lines = differenceOf(before === undefined ? "" : toText(before), toText(now));
  const rest = lines.length - share;
  return [
    `${name}:`,
    ...lines.slice(0, share),
    ...(rest > 0 ? [`  (${rest} lines more of ${name} are not shown)`] : []),
  ];
}

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** The lines that changed, each with a line around it that did not. */
function differenceOf(before: string, after: string): readonly string[] {
  const lines = diffLines(before, after);
  const changed = lines.flatMap(({ kind }, index) => (kind === "same" ? [] : [index]));
  const near = new Set(
    changed.flatMap((index) =>
      Array.from({ length: 2 * CONTEXT_LINES + 1 }, (_, step) => index + step - CONTEXT_LINES),
    ),
  );
  return lines.flatMap(({ kind, text }, index) => {
    if (near.has(index)) return [`${SIGNS[kind]} ${text}`];
    return near.has(index - 1) ? ["  …"] : [];
  });
}

function toText({ description, schema, isReadOnly }: PinnedTool): string {
  const parsed: unknown = JSON.parse(schema);
  const texts = [
    description,
    `input: ${JSON.stringify(parsed, null, 2)}`,
    `readOnlyHint: ${isReadOnly}`,
  ];
  return texts.flatMap(toLines).join("\n");
}

/** Sentences and lines of a text, none of them too long to compare by eye. */
function toLines(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const sentences = line.split(/(?<=[.!?;]) (?=\S)/u);
    return sentences.flatMap((sentence) => {
      const shown = showAll(sentence);
      const pieces = Math.max(1, Math.ceil(shown.length / MAX_LINE_CHARS));
      return Array.from({ length: pieces }, (_, index) =>
        shown.slice(index * MAX_LINE_CHARS, (index + 1) * MAX_LINE_CHARS),
      );
    });
  });
}

function nameOf(name: string): string {
  const shown = showAll(name);
  return shown.length <= MAX_NAME_CHARS ? shown : `${shown.slice(0, MAX_NAME_CHARS)}…`;
}

/** A text in which each character shows: controls, marks that reorder text and those without width by their code. */
function showAll(text: string): string {
  return text.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
