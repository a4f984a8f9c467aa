import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { ModelAnswer, ModelRequest } from "../../../clients/model-server/model-request.ts";
import type { ModelProtocol, StreamEvent } from "../../../clients/model-server/protocol.ts";
import { anthropicMessages } from "../../../clients/model-server/protocols/anthropic-messages.ts";
import { gemini } from "../../../clients/model-server/protocols/gemini.ts";
import { openAiChat } from "../../../clients/model-server/protocols/openai-chat.ts";
import { openAiResponses } from "../../../clients/model-server/protocols/openai-responses.ts";
import type { Dialect } from "./model-run.ts";

/** What is sent back to one request, piece by piece. */
export interface RawReply {
  readonly status?: number;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
  /** `broken`: the connection is cut. `ended`: it ends as if that were all. */
  readonly ending: "broken" | "ended";
}

const PROTOCOLS: { readonly [dialect in Dialect]: ModelProtocol } = {
  anthropic: anthropicMessages,
  responses: openAiResponses,
  chat: openAiChat,
  "openai-chat": openAiChat,
  google: gemini,
};

const REQUEST: ModelRequest = { model: "scripted", isStream: true, entries: [], tools: [] };

/** An answer as a provider streams it: an event in each piece. */
export function toPieces(dialect: Dialect, answer: ModelAnswer): readonly string[] {
  return PROTOCOLS[dialect].toStream(answer, REQUEST).map(toText);
}

/** A reply that is known from the start. */
export interface WholeReply extends RawReply {
  readonly pieces: readonly string[];
}

/** A whole stream with this answer. */
export function streamOf(dialect: Dialect, answer: ModelAnswer): WholeReply {
  return { pieces: toPieces(dialect, answer), ending: "ended" };
}

/** A refusal to answer, in the words of the dialect. */
export function errorOf(dialect: Dialect, status: number, message: string): WholeReply {
  const body = PROTOCOLS[dialect].toErrorBody(status, message);
  return { status, pieces: [JSON.stringify(body)], ending: "ended" };
}

/** An event as it is sent. */
export function toText({ event, data }: StreamEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** A server on this machine that sends what it is told to, byte for byte. */
export interface RawModelServer {
  readonly url: string;
  /** What it was asked last, oldest first. */
  readonly bodies: readonly string[];
}

const MAX_BODIES = 100;

/** Answers each request with what `reply` says; it ends with the test. */
export async function rawModelServer(
  reply: (body: string) => RawReply | Promise<RawReply>,
): Promise<RawModelServer> {
  const bodies: string[] = [];
  const server = createServer(async (message, response) => {
    const body = await text(message);
    bodies.push(body);
    if (bodies.length > MAX_BODIES) bodies.shift();
    const { status = 200, pieces, ending } = await reply(body);
    const contentType = status === 200 ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": contentType });
    response.flushHeaders();
    for await (const piece of pieces) response.write(piece);
    if (ending === "ended") return void response.end();
    // What was written reaches the client before the connection breaks.
    response.write("", () => setImmediate(() => response.destroy()));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return { url: `http://127.0.0.1:${address.port}`, bodies };
}
