import { isJsonArray, type Json } from "./json.ts";

// What lies deeper is shown as JSON: indentation would leave it no room.
const MAX_DEPTH = 12;

const PLAIN_KEY = /^[\p{L}\p{N}_.$@/ -]+$/u;

/**
 * A value as people read it: texts as they are, with their line breaks, members as `key: value`, items behind a dash.
 * A text of several lines stands indented below its key, so that it cannot pass for another member.
 */
export function readableJson(value: Json): string {
  return linesOf(value, 0).join("\n");
}

/** A value in one line: a text as it is, flat members as `key: value`, all else as JSON. */
export function toReadableLine(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object" || isJsonArray(value))
    return JSON.stringify(value);
  const members = Object.entries(value);
  if (!members.every(([key, member]) => PLAIN_KEY.test(key) && isShort(member)))
    return JSON.stringify(value);
  return members.map(([key, member]) => `${key}: ${scalarText(member)}`).join(", ");
}

/** A text in which every control character but line breaks and tabs stands as JSON writes it: nothing drops or obeys it. */
export function withEscapes(text: string): string {
  return text.replace(/[^\P{Cc}\n\r\t]/gu, (control) => {
    const code = control.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Whether a value says all of itself in one line that nothing else can be taken for. */
function isShort(value: Json): boolean {
  if (typeof value === "string") return value !== "" && !/[\r\n,:]/u.test(value);
  return value === null || typeof value !== "object";
}

function linesOf(value: Json, depth: number): readonly string[] {
  if (typeof value === "string") {
    const text = depth === 0 ? value : withEscapes(value);
    return text.split(/\r\n|[\n\r]/u);
  }
  if (value === null || typeof value !== "object") return [String(value)];
  if (depth >= MAX_DEPTH) return [JSON.stringify(value)];
  if (isJsonArray(value))
    return value.length === 0 ? ["[]"] : value.flatMap((item) => itemLines(item, depth));
  const members = Object.entries(value);
  return members.length === 0
    ? ["{}"]
    : members.flatMap(([key, member]) => memberLines(key, member, depth));
}

function itemLines(item: Json, depth: number): readonly string[] {
  const [first = "", ...rest] = isBare(item) ? [scalarText(item)] : linesOf(item, depth + 1);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function memberLines(key: string, member: Json, depth: number): readonly string[] {
  const name = PLAIN_KEY.test(key) ? key : JSON.stringify(key);
  if (isBare(member)) return [`${name}: ${scalarText(member)}`];
  return [`${name}:`, ...linesOf(member, depth + 1).map((line) => `  ${line}`)];
}

/** Whether a value has room behind its key. */
function isBare(value: Json): boolean {
  if (typeof value === "string") return !/[\r\n]/u.test(value);
  if (value === null || typeof value !== "object") return true;
  return Object.keys(value).length === 0;
}

function scalarText(value: Json): string {
  if (typeof value === "string") return value === "" ? '""' : withEscapes(value);
  return JSON.stringify(value);
}
