import { z } from "zod";
import type { ConversationMessage } from "../../../../contracts/conversation.ts";
import { isJsonObject, type Json } from "../../../../foundation/json.ts";
import { settingsInvalid } from "../../parts/errors.ts";
import { type AnswerPart, callsOf, optionsSchema, type SessionEntry } from "./entry.ts";
import { flatten } from "./next-step.ts";
import { summaryText } from "./to-prompt.ts";

const options = optionsSchema.exactOptional();
const messageSchema = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), text: z.string() }),
  z.strictObject({
    role: z.literal("assistant"),
    parts: z.array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("text"), text: z.string(), options }),
        z.strictObject({ type: z.literal("reasoning"), text: z.string(), options }),
        z.strictObject({
          type: z.literal("call"),
          ...{ id: z.string(), tool: z.string(), input: z.string() },
          options,
        }),
      ]),
    ),
  }),
  z.strictObject({
    role: z.literal("tool"),
    ...{ id: z.string(), isError: z.boolean(), text: z.string() },
  }),
]);

/** Before all turns of an agent, which count from 1. */
const BEFORE = 0;

/** What a session has said, as messages. */
export function toConversation(entries: readonly SessionEntry[]): readonly ConversationMessage[] {
  const shown = flatten(entries);
  const ids = new Map(
    shown.flatMap((entry) =>
      entry.kind === "answer" ? callsOf(entry).map(({ call, id }) => [call, id] as const) : [],
    ),
  );
  return shown.flatMap((entry) => toMessages(entry, ids));
}

function toMessages(
  entry: SessionEntry,
  ids: ReadonlyMap<string, string>,
): readonly ConversationMessage[] {
  switch (entry.kind) {
    case "told":
      return [{ role: "user", text: entry.text }];
    case "compacted":
      return entry.summary === undefined
        ? []
        : [{ role: "user", text: summaryText(entry.summary) }];
    case "answer":
      return [{ role: "assistant", parts: entry.parts.map(toSaid) }];
    case "result": {
      const { call, isError, text } = entry;
      return [{ role: "tool", id: ids.get(call) ?? call, isError, text }];
    }
    case "started":
    case "forked":
    case "pinned":
    case "summary":
      return [];
  }
}

function toSaid(part: AnswerPart) {
  if (part.type !== "call") return part;
  const { call: _, ...said } = part;
  return said;
}

/**
 * What a session begins with that is given a conversation (`settings.context`); nothing without one. Raises
 * BACKEND_SETTINGS_INVALID.
 */
export function entriesBefore(
  agent: string,
  settings: { readonly [key: string]: Json } | undefined,
): readonly SessionEntry[] {
  const given = isJsonObject(settings ?? null) ? settings?.["context"] : undefined;
  if (given === undefined) return [];
  const read = z.array(messageSchema).safeParse(given);
  if (!read.success) {
    const problem = `the conversation that it is to go on with is none: ${z.prettifyError(read.error)}`;
    throw settingsInvalid({ agent, problem });
  }
  const calls = new Map<string, string>();
  return read.data.map((message, index) => toEntry(message, { index, calls }));
}

/** Where a message stands, and what the calls before it are called here. */
interface EntryPlace {
  readonly index: number;
  readonly calls: Map<string, string>;
}

function toEntry(
  message: z.infer<typeof messageSchema>,
  { index, calls }: EntryPlace,
): SessionEntry {
  switch (message.role) {
    case "user":
      return { kind: "told", turn: BEFORE, why: "prompt", text: message.text };
    case "assistant": {
      const parts = message.parts.map((part, place): AnswerPart => {
        if (part.type !== "call") return part;
        const call = `before.${index}.${place}`;
        calls.set(part.id, call);
        return { ...part, call };
      });
      const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop";
      return { kind: "answer", turn: BEFORE, finish, parts };
    }
    case "tool": {
      const { id, isError, text } = message;
      return { kind: "result", call: calls.get(id) ?? id, isError, isBad: false, text };
    }
  }
}
