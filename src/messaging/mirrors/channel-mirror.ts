import type { FileHandle } from "node:fs/promises";
import type { Message } from "../../contracts/message.ts";
import { isFenceEnd, readFence } from "../../signals/code-fence.ts";
import { endOf, type FileEnd, type MirrorDirectory } from "./mirror-directory.ts";

// Owns the file of a channel: one entry per durable message, in order, and nothing else.
// C1: a message costs one write of its own entry, however long the channel is.
// C2: a file that is not as it was left is written anew from the messages.

export interface ChannelMirrorOptions {
  readonly directory: MirrorDirectory;
  readonly file: string;
  /** How many messages the channel has. */
  readonly count: () => number;
  /** A stretch of them, in their order. */
  readonly messages: (from: number, until: number) => Iterable<Message>;
  /** The whole text of a message. */
  readonly textOf: (message: Message) => string;
  /** Tells people that the file was not as it was left. */
  readonly onChanged: () => void;
}

const CHUNK_CHARS = 65_536;

/** The file of one channel. */
export class ChannelMirror {
  readonly file: string;
  readonly #options: ChannelMirrorOptions;
  #durable: number;
  #written = 0;
  #end: FileEnd | undefined;

  constructor(options: ChannelMirrorOptions) {
    this.#options = options;
    this.file = options.file;
    this.#durable = options.count();
  }

  /** From here on so many messages may be shown. */
  durable(count: number): void {
    this.#durable = Math.max(this.#durable, count);
  }

  /** Makes the file show all that may be shown. Calls must not overlap. */
  async sync(): Promise<void> {
    this.#end ??= await this.#adopt();
    while (this.#end === undefined || this.#written < this.#durable) {
      if (this.#end === undefined) await this.#rewrite();
      else await this.#append(this.#end);
    }
  }

  async #append(before: FileEnd): Promise<void> {
    const { directory, file, onChanged } = this.#options;
    const until = this.#durable;
    // Not known again before all is written: what fails half-way is written anew.
    this.#end = undefined;
    let end = before;
    for (const text of this.#texts(this.#written, until)) {
      const after = await directory.append(file, text, end);
      if (after === undefined) return onChanged();
      end = after;
    }
    this.#written = until;
    this.#end = end;
  }

  async #rewrite(): Promise<void> {
    const { directory, file } = this.#options;
    const until = this.#durable;
    this.#end = await directory.replace(file, this.#texts(0, until));
    this.#written = until;
  }

  /** The end of the file that the last owner left, if it shows exactly the messages. */
  async #adopt(): Promise<FileEnd | undefined> {
    const { directory, file: name } = this.#options;
    if (directory.look(name) === undefined) return undefined;
    const until = this.#durable;
    const file = await directory.open(name);
    try {
      const end = await endOf(file);
      if (!(await this.#isSame(file, { end, until }))) return undefined;
      this.#written = until;
      return end;
    } finally {
      await file.close();
    }
  }

  async #isSame(
    file: FileHandle,
    { end, until }: { readonly end: FileEnd; readonly until: number },
  ): Promise<boolean> {
    let position = 0;
    for (const text of this.#texts(0, until)) {
      const wanted = Buffer.from(text);
      const found = Buffer.alloc(wanted.length);
      await file.read(found, 0, found.length, position);
      if (!wanted.equals(found)) return false;
      position += found.length;
    }
    return BigInt(position) === end.sizeBytes;
  }

  /** The entries of a stretch of messages, joined to texts of some length. */
  *#texts(from: number, until: number): Generator<string> {
    const { messages, textOf } = this.#options;
    let joined = "";
    let isFirst = from === 0;
    for (const message of messages(from, until)) {
      joined += renderEntry({ ...message, text: textOf(message) }, isFirst);
      isFirst = false;
      if (joined.length < CHUNK_CHARS) continue;
      yield joined;
      joined = "";
    }
    if (joined !== "") yield joined;
  }
}

/** What the channel's file shows of a message. */
interface ChannelEntry {
  readonly from: string;
  /** ISO time. */
  readonly timestamp: string;
  readonly text: string;
}

// What is not seen, moves what follows, or ends a line for some reader; joiners of emoji are left alone.
const HIDDEN = new RegExp(
  [
    "(?![\\n\\t\\u200c\\u200d])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]",
    // Letters of no width or without ink.
    ..."\\u034f \\u115f \\u1160 \\u17b4 \\u17b5 \\u2800 \\u3164 \\uffa0".split(" "),
  ].join("|"),
  "gu",
);
const WRITTEN_OUT = /\\(?=u\{)/g;
// Blank to the eye: all that may stand before a mark without hiding it.
const MARGIN = "[\\s\\p{M}\\u200c\\u200d]*";
// Headings in all their forms, HTML, fences and the lines that make a heading of the line above.
const MARKUP = new RegExp(
  `^${MARGIN}(?:[#\\uff03\\ufe5f\\u266f]|<[A-Za-z!?/]|\`\`\`|~~~|=+\\s*$|-+\\s*$)`,
  "u",
);
// Nobody takes a heading inside of code for one but a reader that knows no code.
const ENTRY_HEADING = new RegExp(`^${MARGIN}[#\\uff03\\ufe5f\\u266f]{3}`, "u");
const ESCAPED = new RegExp(`^${MARGIN}\\\\[#\\uff03\\ufe5f\\u266f<\`~=\\\\-]`, "u");
const MARGIN_OF_LINE = new RegExp(`^${MARGIN}`, "u");

/**
 * A message as an entry of the channel's file: a heading with the time in UTC and the sender, the text, an
 * empty line before all but the first. However a text is made, no line of it is a heading, and it opens no
 * code or markup that swallows the next entry: such lines start with a backslash, what is not seen is written
 * out as `\u{1b}`, and a backslash of the text that could be taken for either is written out too. So every text
 * can be told from its entry.
 */
export function renderEntry(entry: ChannelEntry, isFirst: boolean): string {
  const heading = `### ${entry.timestamp.slice(11, 19)} [${toName(entry.from)}]`;
  return `${isFirst ? "" : "\n"}${heading}\n${toBody(entry.text)}\n`;
}

function toName(from: string): string {
  return showHidden(from).replace(/[\n[\]]/g, writeOut);
}

function toBody(text: string): string {
  const lines = showHidden(text).split("\n");
  const closedUntil = endOfLastFence(lines);
  let isCode = false;
  let fence: ReturnType<typeof readFence>;
  return lines
    .map((line, index) => {
      if (fence !== undefined) {
        isCode = true;
        if (isFenceEnd(line, fence)) fence = undefined;
      } else {
        fence = index < closedUntil ? openFence(line) : undefined;
        isCode = fence !== undefined;
      }
      return mustEscape(line, isCode) ? escapeLine(line) : line;
    })
    .join("\n");
}

function showHidden(text: string): string {
  return text.replace(WRITTEN_OUT, writeOut).replace(HIDDEN, writeOut);
}

function writeOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}

function mustEscape(line: string, isCode: boolean): boolean {
  return ESCAPED.test(line) || (isCode ? ENTRY_HEADING : MARKUP).test(line);
}

function escapeLine(line: string): string {
  const margin = MARGIN_OF_LINE.exec(line)?.[0].length ?? 0;
  return `${line.slice(0, margin)}\\${line.slice(margin)}`;
}

// Only a fence at the very margin is the same to all readers of Markdown, whatever stands above it.
function openFence(line: string): ReturnType<typeof readFence> {
  return /^[`~]/.test(line) ? readFence(line, 0, line.length) : undefined;
}

/** Lines before this one are in order: every fence that they open is closed. */
function endOfLastFence(lines: readonly string[]): number {
  let fence: ReturnType<typeof readFence>;
  let openedAt = 0;
  for (const [index, line] of lines.entries()) {
    if (fence === undefined) {
      fence = openFence(line);
      openedAt = index;
    } else if (isFenceEnd(line, fence)) fence = undefined;
  }
  return fence === undefined ? lines.length : openedAt;
}
