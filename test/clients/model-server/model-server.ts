import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createFailureCounter } from "./failure-counter.ts";
import type { ModelRequest } from "./model-request.ts";
import { type IncomingCall, replyTo } from "./reply.ts";
import { sendReply } from "./send-reply.ts";

/** A request as the server saw it. */
export interface RecordedCall extends IncomingCall {
  readonly status: number;
  /** Absent for what is none of a model's requests. */
  readonly request?: ModelRequest;
}

/** A model on loopback that says what the prompts tell it to say. */
export interface ModelServer {
  /** Base URL that keeps the traffic of one agent apart. */
  urlFor(agent: string): string;
  /** The newest calls, of one agent or of all, oldest first. */
  calls(agent?: string): readonly RecordedCall[];
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

const MAX_RECORDED_CALLS = 200;
const MAX_ANSWER_MS = 120_000;
const AGENT_PATTERN = /^\/s\/([^/]+)(\/.*)$/;

/** Listens on a free port of 127.0.0.1. Whoever starts it closes it. */
export async function startModelServer(): Promise<ModelServer> {
  const recorded: RecordedCall[] = [];
  const failures = createFailureCounter();
  const closing = new AbortController();

  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const call = { ...addressOf(message), body: await text(message) };
    const reply = replyTo(call, failures);
    const { status, request } = reply;
    recorded.push({ ...call, status, ...(request === undefined ? {} : { request }) });
    if (recorded.length > MAX_RECORDED_CALLS) recorded.shift();
    const deadline = AbortSignal.timeout(MAX_ANSWER_MS);
    await sendReply(response, reply, AbortSignal.any([closing.signal, deadline]));
  };
  // Only a connection that ends early fails: by its client, its deadline, or the end of the server.
  const server = createServer((message, response) => {
    answer(message, response).catch(() => response.destroy());
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
    });
  });

  return {
    urlFor: (agent) => `http://127.0.0.1:${port}/s/${encodeURIComponent(agent)}`,
    calls: (agent) =>
      agent === undefined ? [...recorded] : recorded.filter((call) => call.agent === agent),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function addressOf({ method = "GET", url = "/" }: IncomingMessage): Omit<IncomingCall, "body"> {
  const [, agent = "", rest = url] = AGENT_PATTERN.exec(url) ?? [];
  const [path = "/"] = rest.split("?");
  return { agent: decodeURIComponent(agent), method, path };
}
