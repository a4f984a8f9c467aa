import { z } from "zod";
import type { Json } from "../../../../foundation/json.ts";

/** What a provider wants to see again. */
export const optionsSchema = z.record(z.string(), z.record(z.string(), z.json()));

const options = optionsSchema.exactOptional();

const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), options }),
  z.object({ type: z.literal("reasoning"), text: z.string(), options }),
  z.object({
    type: z.literal("call"),
    /** Troupe's own name of the call, unique in the session. */
    call: z.string(),
    /** The provider's. */
    id: z.string(),
    tool: z.string(),
    /** As the model wrote it. */
    input: z.string(),
    options,
  }),
]);

const plainSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("told"),
    turn: z.number(),
    why: z.enum(["prompt", "message", "continue", "empty"]),
    text: z.string(),
    /** What the model is told before everything else, with the first words of its session. */
    system: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("answer"),
    turn: z.number(),
    /** `cut`: it was not let finish. */
    finish: z.enum(["stop", "calls", "length", "refusal", "cut"]),
    parts: z.array(partSchema).readonly(),
    /** All that the model was shown and has said, in tokens. */
    tokens: z.number().exactOptional(),
  }),
  z.object({ kind: z.literal("started"), call: z.string() }),
  z.object({
    kind: z.literal("result"),
    call: z.string(),
    isError: z.boolean(),
    /** The call named no tool, or gave it what it does not take. */
    isBad: z.boolean(),
    text: z.string(),
    /** Under which the whole of it can be read where this is a part. */
    rest: z.string().exactOptional(),
    /** Hashes of the files that were seen meanwhile, by real path: whoever goes on has seen them too. */
    seen: z.record(z.string(), z.string()).exactOptional(),
  }),
  /** All before it is the conversation of another agent. */
  z.object({ kind: z.literal("forked"), from: z.string() }),
  /** What tools of servers said of themselves when it was agreed to: hashes. */
  z.object({ kind: z.literal("pinned"), tools: z.record(z.string(), z.string()) }),
  z.object({ kind: z.literal("summary"), turn: z.number(), text: z.string() }),
]);

const compactedSchema = z.object({
  kind: z.literal("compacted"),
  turn: z.number(),
  /** How often the model was asked in the turn before. */
  asked: z.number(),
  /** Of all that came before; absent when shortening results was enough. */
  summary: z.string().exactOptional(),
  system: z.string().exactOptional(),
  /** What stays as it was. */
  rest: z.array(plainSchema).readonly(),
});

const entrySchema = z.union([plainSchema, compactedSchema]);

/** An entry that a compaction may hold. */
export type PlainEntry = z.infer<typeof plainSchema>;

/** One entry of the record of a model's session. */
export type SessionEntry = z.infer<typeof entrySchema>;

export type AnswerEntry = Extract<SessionEntry, { readonly kind: "answer" }>;
export type AnswerPart = z.infer<typeof partSchema>;
export type CallPart = Extract<AnswerPart, { readonly type: "call" }>;

/** The entry that was kept; undefined for what is none. */
export function readEntry(kept: unknown): SessionEntry | undefined {
  return entrySchema.safeParse(kept).data;
}

/** Whether nothing before this entry is shown to the model any more. */
export function isBeginning(kept: Json): boolean {
  return compactedSchema.safeParse(kept).success;
}

/** The calls of an answer, in order. */
export function callsOf({ parts }: AnswerEntry): readonly CallPart[] {
  return parts.filter((part) => part.type === "call");
}

/** What an answer says. */
export function answerText({ parts }: AnswerEntry): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** An entry of another agent's session, whose turns and calls are none of this one. */
export function asForeign(entry: SessionEntry, from: string): SessionEntry {
  const rename = (call: string) => `${from}/${call}`;
  switch (entry.kind) {
    case "started":
    case "result":
      return { ...entry, call: rename(entry.call) };
    case "answer": {
      const parts = entry.parts.map((part) =>
        part.type === "call" ? { ...part, call: rename(part.call) } : part,
      );
      return { ...entry, turn: FOREIGN_TURN, parts };
    }
    case "compacted": {
      const rest = entry.rest.map((each) => asForeign(each, from)).filter(isPlain);
      return { ...withoutSystem(entry), turn: FOREIGN_TURN, rest };
    }
    case "told":
      return { ...withoutSystem(entry), turn: FOREIGN_TURN };
    case "summary":
      return { ...entry, turn: FOREIGN_TURN };
    case "forked":
    case "pinned":
      return entry;
  }
}

/** What another agent was told that it is does not hold for this one. */
function withoutSystem<Entry extends { readonly system?: string }>(
  entry: Entry,
): Omit<Entry, "system"> {
  const { system: _, ...rest } = entry;
  return rest;
}

/** Turns of an agent count from 1. */
const FOREIGN_TURN = 0;

/** Whether a compaction may hold it. */
export function isPlain(entry: SessionEntry): entry is PlainEntry {
  return entry.kind !== "compacted";
}
