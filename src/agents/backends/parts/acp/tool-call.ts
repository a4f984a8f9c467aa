import { isRecord } from "../../../../foundation/json.ts";

/** A file that a tool call changes. */
export interface AcpDiff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A tool call as far as the program has told it. */
export interface AcpToolCall {
  readonly id: string;
  readonly name?: string;
  readonly kind?: string;
  /** For people: a command, a path, or the name of the tool. */
  readonly title?: string;
  /** The first title: some programs begin with the name of the tool and go on with what it does. */
  readonly firstTitle?: string;
  readonly status?: string;
  readonly input?: { readonly [name: string]: unknown };
  readonly output?: unknown;
  readonly paths: readonly string[];
  readonly texts: readonly string[];
  readonly diffs: readonly AcpDiff[];
}

/** What is known of a call after one more message about it. Members that the message does not have stay. */
export function mergeToolCall(
  known: AcpToolCall | undefined,
  told: { readonly [name: string]: unknown },
): AcpToolCall {
  const before = known ?? { id: callIdOf(told), paths: [], texts: [], diffs: [] };
  const { rawInput, rawOutput, locations, content } = told;
  const title = textOf(told["title"]);
  return {
    ...before,
    ...given("name", textOf(told["name"])),
    ...given("kind", textOf(told["kind"])),
    ...given("title", title),
    ...given("firstTitle", before.firstTitle ?? title),
    ...given("status", textOf(told["status"])),
    ...given("input", isRecord(rawInput) ? { ...before.input, ...rawInput } : undefined),
    ...given("output", rawOutput ?? undefined),
    ...given(
      "paths",
      listOf(locations, (item) => textOf(item["path"])),
    ),
    ...given("texts", listOf(content, textOfContent)),
    ...given("diffs", listOf(content, diffOfContent)),
  };
}

/** The id of the call that a message is about; one that is no text is told apart all the same. */
export function callIdOf({ toolCallId }: { readonly [name: string]: unknown }): string {
  return typeof toolCallId === "string" ? toolCallId : `${JSON.stringify(toolCallId)}`;
}

/** What the call gave back, as text. */
export function resultText({ texts, output }: AcpToolCall): string {
  if (texts.length > 0) return texts.join("\n");
  if (typeof output === "string") return output;
  if (isRecord(output) && typeof output["output"] === "string") return output["output"];
  return output === undefined ? "" : JSON.stringify(output);
}

function textOfContent(item: Record<string, unknown>): string | undefined {
  const { content } = item;
  return isRecord(content) ? textOf(content["text"]) : undefined;
}

function diffOfContent(item: Record<string, unknown>): AcpDiff | undefined {
  const path = textOf(item["path"]);
  if (item["type"] !== "diff" || path === undefined) return undefined;
  return { path, before: textOf(item["oldText"]) ?? "", after: textOf(item["newText"]) ?? "" };
}

function given<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [key in Key]?: Value } {
  const member: { [key in Key]?: Value } = {};
  if (value !== undefined) member[key] = value;
  return member;
}

/** Undefined for what is no list, and for an empty one: an update without content does not take any away. */
function listOf<Item>(
  value: unknown,
  read: (item: Record<string, unknown>) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  const found = items.filter(isRecord).flatMap((item) => read(item) ?? []);
  return found.length === 0 ? undefined : found;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
