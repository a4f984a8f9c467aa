import { z } from "zod";
import type { CollabAgent, ToldStatus } from "../../contracts/collab.ts";
import type { Json } from "../../foundation/json.ts";

const MAX_NAME_CHARS = 64;
const MAX_PROMPT_CHARS = 262_144;

/** An agent by its id or name. */
export const agentId = z.string().min(1).max(MAX_NAME_CHARS).describe("Id of the agent");

/** What an agent is told to do. */
export const collabPrompt = z
  .string()
  .max(MAX_PROMPT_CHARS)
  .refine((text) => text.trim() !== "", { error: "must say something" });

/** One agent, under either name of the field. */
export const targetFields = {
  id: agentId.exactOptional(),
  thread_id: agentId.exactOptional().describe("Another name for id"),
};

/** What is told of a target that is given twice or not at all. */
export const ONE_TARGET = { path: ["id"], error: "give the id of one agent" };

interface GivenTarget {
  readonly id?: string;
  readonly thread_id?: string;
}

/** Whether exactly one target is given. */
export function hasOneTarget({ id, thread_id: threadId }: GivenTarget): boolean {
  return (id === undefined) !== (threadId === undefined);
}

/** The target that is given. */
export function targetOf({ id, thread_id: threadId }: GivenTarget): string {
  return id ?? threadId ?? "";
}

/** An agent as the tools hand it out. */
export function toCollabEntry({ id, name, status }: CollabAgent): Json {
  return { id, name, status };
}

/** A status as the tools hand it out. */
export function toStatusEntry({ status, text, isCut, rest }: ToldStatus): Json {
  return {
    status,
    ...(text === undefined ? {} : { text }),
    ...(isCut === undefined ? {} : { cut: true }),
    ...(rest === undefined
      ? {}
      : { note: "the text is cut; call resource_read for the rest", resource: { ...rest } }),
  };
}
