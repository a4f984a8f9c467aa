import type { Message, ReceivedMessage } from "../contracts/message.ts";
import type { MessageCopy } from "../contracts/shadow.ts";
import { describeRest } from "./message-body.ts";

// All that any reader might show as the start of a line.
const LINE_END_PATTERN = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const CONTROL_CLASS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
const DIRECTION_CLASS = "\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
// Terminal sequences and marks that reorder what is shown.
const INVISIBLE_PATTERN = new RegExp(`[${CONTROL_CLASS}${DIRECTION_CLASS}]`, "g");

/**
 * Messages as they stand in a prompt: one entry each, a head line by Troupe and below it the body, every
 * line quoted with `> `, so that nothing in a body can pass for another entry, for Troupe or, when it is
 * repeated, for a signal of the agent. Control characters are written out as `\u{1b}`. Empty without
 * messages.
 */
export function renderInbox(messages: readonly ReceivedMessage[]): string {
  if (messages.length === 0) return "";
  const noun = messages.length === 1 ? "1 new message" : `${messages.length} new messages`;
  const intro = `You have ${noun}. Lines that start with ">" are what the sender wrote.`;
  const entries = messages.map((message, index) => {
    const mark = message.copy === undefined ? "" : `${copyMark(message.copy)}: `;
    const head = `[${index + 1}/${messages.length}] ${mark}${headOf(message)}`;
    const body = message.text.split(LINE_END_PATTERN).map(quoteLine);
    const rest = describeRest(message);
    return [head, ...body, ...(rest === undefined ? [] : [`(${rest})`])].join("\n");
  });
  return [intro, ...entries].join("\n\n");
}

function copyMark({ of, direction }: MessageCopy): string {
  return `copy of what ${of} ${direction === "outgoing" ? "wrote" : "got"}`;
}

function headOf(message: Message): string {
  const place =
    message.to === undefined
      ? `in #${message.channel ?? ""}`
      : `directly to ${message.to.join(", ")}`;
  const thread = message.threadId === undefined ? "" : `, thread ${message.threadId}`;
  return toOneLine(`${message.from} ${place} at ${message.timestamp}, id ${message.id}${thread}`);
}

/** A line that somebody else wrote: behind `>`, with what cannot be seen written out. */
export function quoteLine(line: string): string {
  const text = showInvisible(line);
  return text === "" ? ">" : `> ${text}`;
}

function toOneLine(text: string): string {
  return showInvisible(text.split(LINE_END_PATTERN).join(" "));
}

function showInvisible(text: string): string {
  return text.replace(
    INVISIBLE_PATTERN,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}
