import { z } from "zod";

/** A conversation as a test wants to have it, in the words of no protocol. */
export interface Conversation {
  readonly instructions?: string;
  readonly prompt: string;
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  /** What came after the prompt: results of the calls of one answer each. */
  readonly batches?: readonly (readonly string[])[];
  readonly isStream: boolean;
}

/** What was understood of an answer. */
export interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}

/** One protocol, spoken without any library. */
export interface RawClient {
  readonly protocol: string;
  path(conversation: Conversation): string;
  body(conversation: Conversation): unknown;
  hear(body: unknown): Heard;
  /** From the data of all events. */
  hearStream(events: readonly unknown[]): Heard;
}

/** Arguments as JSON text. */
export const args = z.string().transform((text): unknown => JSON.parse(text));

/** The events of one kind. */
export function parsed<Event>(
  schema: z.ZodType<Event>,
  events: readonly unknown[],
): readonly Event[] {
  return events.flatMap((event) => {
    const result = schema.safeParse(event);
    return result.success ? [result.data] : [];
  });
}
