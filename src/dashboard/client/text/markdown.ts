/**
 * Reads the part of Markdown that agents use, into data: nothing here or later becomes HTML text.
 *
 * K1 Every character of the source is in the result, but for the marks that were understood.
 * K2 Links lead to http and https only; anything else stays as it was written. There are no images.
 * K3 The time is linear in the length of the text: no mark is looked for beyond its line.
 */

/** A piece of a line. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly url: string };

/** A part of a text that stands by itself. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly ListItem[] }
  | { readonly kind: "rule" };

/** One entry of a list; `depth` counts from 0, `number` is that of an ordered list. */
export interface ListItem {
  readonly depth: number;
  readonly number: number | undefined;
  readonly inlines: readonly Inline[];
}

const FENCE = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/;

const MAX_QUOTE_DEPTH = 8;

/** The blocks of a text. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.split("\n"), 0);
}

function parseBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    const [block, next] = readBlock(lines, index, depth);
    if (block !== undefined) blocks.push(block);
    index = next;
  }
  return blocks;
}

/** The block that begins at a line, none for an empty one, and the line after it. */
function readBlock(
  lines: readonly string[],
  index: number,
  depth: number,
): readonly [Block | undefined, number] {
  const line = lines[index] ?? "";
  const fence = FENCE.exec(line);
  if (fence !== null) {
    const [, ticks, afterTicks, tildes = "", afterTildes = ""] = fence;
    const language = (afterTicks ?? afterTildes).trim();
    return readCode(lines, index + 1, { mark: ticks ?? tildes, language });
  }
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const [, marks = "", title = ""] = heading;
    const inlines = parseInlines(title.replace(/[ \t]#+[ \t]*$/, ""));
    return [{ kind: "heading", level: marks.length, inlines }, index + 1];
  }
  if (RULE.test(line)) return [{ kind: "rule" }, index + 1];
  if (QUOTE.test(line) && depth < MAX_QUOTE_DEPTH) return readQuote(lines, index, depth);
  if (ITEM.test(line)) return readList(lines, index);
  if (line.trim() === "") return [undefined, index + 1];
  return readParagraph(lines, index);
}

interface Fence {
  readonly mark: string;
  readonly language: string;
}

function readCode(
  lines: readonly string[],
  start: number,
  { mark, language }: Fence,
): readonly [Block, number] {
  let end = start;
  while (end < lines.length && !isClosing(lines[end] ?? "", mark)) end += 1;
  return [{ kind: "code", language, text: lines.slice(start, end).join("\n") }, end + 1];
}

function isClosing(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.startsWith(fence) && mark.replaceAll(fence.charAt(0), "") === "";
}

function readQuote(
  lines: readonly string[],
  start: number,
  depth: number,
): readonly [Block, number] {
  let end = start;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end += 1;
  const inner = lines.slice(start, end).map((line) => line.replace(QUOTE, ""));
  return [{ kind: "quote", blocks: parseBlocks(inner, depth + 1) }, end];
}

function readList(lines: readonly string[], start: number): readonly [Block, number] {
  const items: ListItem[] = [];
  const isOrdered = /^\s*\d/.test(lines[start] ?? "");
  let end = start;
  for (; end < lines.length; end += 1) {
    const item = ITEM.exec(lines[end] ?? "");
    if (item === null) break;
    const [, indent = "", mark = "", text = ""] = item;
    const number = /^\d/.test(mark) ? Number.parseInt(mark, 10) : undefined;
    const depth = Math.min(6, Math.floor(indent.length / 2));
    items.push({ depth, number, inlines: parseInlines(text) });
  }
  return [{ kind: "list", isOrdered, items }, end];
}

function readParagraph(lines: readonly string[], start: number): readonly [Block, number] {
  let end = start + 1;
  while (end < lines.length && !isBreak(lines[end] ?? "")) end += 1;
  const text = lines.slice(start, end).join("\n");
  return [{ kind: "paragraph", inlines: parseInlines(text) }, end];
}

function isBreak(line: string): boolean {
  return line.trim() === "" || [FENCE, HEADING, RULE, QUOTE, ITEM].some((mark) => mark.test(line));
}

// Each alternative ends within its line and none lies inside of another.
const INLINE = new RegExp(
  [
    "`([^`\\n]{1,2000})`",
    "\\*\\*(?=\\S)([^*\\n]{1,2000})\\*\\*",
    "(?<![\\w*])\\*(?=\\S)([^*\\n]{1,2000})\\*",
    "(?<!\\w)_(?=\\S)([^_\\n]{1,2000})_(?!\\w)",
    "\\[([^[\\]\\n]{1,500})\\]\\(([^()\\s]{1,2000})\\)",
    "(https?://[^\\s<>\"'`)\\]]{1,2000})",
  ].join("|"),
  "g",
);

function parseInlines(text: string): readonly Inline[] {
  const inlines: Inline[] = [];
  let rest = 0;
  for (const match of text.matchAll(INLINE)) {
    const inline = toInline(match);
    if (inline === undefined) continue;
    if (match.index > rest) inlines.push({ kind: "text", text: text.slice(rest, match.index) });
    inlines.push(inline);
    rest = match.index + match[0].length;
  }
  if (rest < text.length) inlines.push({ kind: "text", text: text.slice(rest) });
  return inlines;
}

function toInline([whole, code, strong, star, underscore, label, target, bare]: RegExpExecArray):
  | Inline
  | undefined {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  const emphasis = star ?? underscore;
  if (emphasis !== undefined) return { kind: "emphasis", text: emphasis };
  const url = safeUrl(target ?? bare ?? "");
  if (url === undefined) return undefined;
  return { kind: "link", text: label ?? whole, url };
}

/** The address if it leads to a web page; undefined for everything that could do something else. */
function safeUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
