import { z } from "zod";
import type { Json } from "../../../src/foundation/json.ts";
import type { ModelAnswer, ModelRequest } from "./model-request.ts";

/** One event of a stream; a text as data is sent as it is. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: { readonly [name: string]: Json } | string;
}

/** A request that is always answered alike, such as a count of tokens. */
export interface FixedRoute {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly body: Json;
}

/** How one maker's clients talk to a model. Pure: the server does the sending. */
export interface ModelProtocol {
  readonly name: string;
  /** Path of requests for an answer. */
  readonly path: RegExp;
  readonly fixedRoutes: readonly FixedRoute[];
  /** Raises when the body is none of this protocol. */
  read(body: unknown, path: string): ModelRequest;
  toBody(answer: ModelAnswer, request: ModelRequest): Json;
  /** The first event begins the answer and says nothing of it yet. */
  toStream(answer: ModelAnswer, request: ModelRequest): readonly StreamEvent[];
  toErrorBody(status: number, message: string): Json;
}

/** A text, or parts of which some have a text: all of it as one text. */
export const textSchema = z.union([
  z.string(),
  z
    .array(z.looseObject({ text: z.string().optional() }))
    .transform((parts) => parts.map(({ text = "" }) => text).join("\n")),
]);

const PIECE_CHARS = 12;

/** A text in the small pieces in which models stream. */
export function inPieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / PIECE_CHARS);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS),
  );
}

/** An id as the protocols have them, never the same twice. */
export function newId(prefix: string): string {
  return `${prefix}${crypto.randomUUID().replaceAll("-", "")}`;
}
