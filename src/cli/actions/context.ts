import { isRecord, type Json } from "../../foundation/json.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { contextCommand } from "../commands/context.ts";
import { callToolOfRun, findDoor } from "../context/agent-door.ts";
import { readCall } from "../context/read-call.ts";

/** `troupe context`: exit code 1 when others came first, and nothing was sent or written. */
export const contextAction: ActionOf<typeof contextCommand> = async (invocation) => {
  const { agent, json, ...options } = invocation.options;
  const { io } = invocation;
  const door = findDoor("context", agent, io);
  const { tool, input } = await readCall(invocation.args, options, invocation);
  const result = await callToolOfRun(door, tool, input);
  const lines = json ? [JSON.stringify({ v: 1, result })] : toolResultLines(result);
  for (const line of lines) io.stdout.write(`${line}\n`);
  return isDone(result) ? EXIT.completed : EXIT.failed;
};

/** The answer of a tool as lines to read. */
function toolResultLines(result: Json): readonly string[] {
  if (!isRecord(result)) return toPrintableLines(toText(result));
  const { messages, documents, content, ...others } = result;
  if (typeof content === "string")
    return [...fieldLines(others, ["note"]), ...toPrintableLines(content)];
  if (Array.isArray(messages))
    return [...fieldLines(others, ["note", "warning"]), ...messages.flatMap(messageLines)];
  if (Array.isArray(documents))
    return documents.map((document) => toPrintable(documentLine(document)));
  return fieldLines(others, Object.keys(others));
}

/** Whether a tool did what was asked for, as opposed to telling what is in the way. */
function isDone(result: Json): boolean {
  return !isRecord(result) || (result["sent"] !== false && result["written"] !== false);
}

function messageLines(message: unknown): readonly string[] {
  if (!isRecord(message)) return [];
  const { timestamp, from, message: text } = message;
  // Below each other and indented: no text can pass for the head of another message.
  return [
    toPrintable(`${toText(timestamp)} ${toText(from)}:`),
    ...toPrintableLines(toText(text)).map((line) => `  ${line}`),
  ];
}

function documentLine(document: unknown): string {
  if (!isRecord(document)) return "";
  const { name, revision, chars, by } = document;
  return `${toText(name)}  revision ${toText(revision)}  ${toText(chars)} chars  ${toText(by)}`.trimEnd();
}

function fieldLines(
  fields: { readonly [name: string]: unknown },
  shown: readonly string[],
): readonly string[] {
  return shown
    .filter((name) => fields[name] !== undefined)
    .map((name) => toPrintable(`${name}: ${toText(fields[name])}`));
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
