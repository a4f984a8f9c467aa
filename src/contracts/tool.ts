import type { z } from "zod";
import type { Json } from "../foundation/json.ts";
import type { DocumentEdit, DocumentRevision } from "./document.ts";
import type { Message, MessageDraft, PostReceipt } from "./message.ts";

/** What a tool may do, always as the agent that called it. */
export interface ToolContext {
  readonly run: string;
  readonly agent: string;
  post(draft: MessageDraft): Promise<PostReceipt>;
  /** Messages of a channel after `since` (id or seq), oldest first. */
  readChannel(query: {
    readonly channel?: string;
    readonly since?: string | number;
    readonly limit?: number;
  }): { readonly messages: readonly Message[]; readonly next: number; readonly hasMore: boolean };
  readDocument(name: string | undefined): DocumentRevision;
  editDocument(edit: DocumentEdit): Promise<DocumentRevision>;
  agents(): readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

/** Something that agents can call. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly input: z.ZodType<Input>;
  call(input: Input, context: ToolContext): Promise<Json>;
}

/** Declares a tool; gives its handler the type of its schema. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
