import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { ReachRefusal } from "../../contracts/host.ts";
import { type DialPorts, dialTarget } from "./dial-target.ts";
import { judgeTarget } from "./judge-target.ts";
import { splice } from "./splice.ts";

// The outer end of the line of one confined program, which is all the network that it has. What comes in over
// the line was written by the program: nothing of it is believed.
// E1: every connection is decided here, by the list alone; whoever holds the inner end gains nothing by that.
// E2: what is connected to is the address that was judged.
// E3: streams, headers, waiting and memory are bounded; what breaks the rules loses its line, nothing else.

/** What the outer end of a line works with. */
export interface EgressOptions extends DialPorts {
  /** Told once per target, for the first hundred of them. */
  readonly onRefused?: (refusal: ReachRefusal) => void;
}

const MAX_STREAMS = 256;
// One by one; streams that end count until all of them is gone.
const MAX_REJECTED_STREAMS = 1000;
const MAX_MEMORY_MEGABYTES = 64;
const STREAM_WINDOW_BYTES = 256 * 1024;
const MAX_HEADER_BYTES = 4096;
const MAX_HEADERS = 16;
const IDLE_MS = 15 * 60_000;
const MAX_TOLD = 100;
const MAX_TOLD_CHARS = 120;

/** Serves a line until it ends. */
export function serveEgress(line: Duplex, options: EgressOptions): void {
  const tell = createTeller(options.onRefused);
  const server = createServer({
    maxHeaderListPairs: MAX_HEADERS,
    maxSessionMemory: MAX_MEMORY_MEGABYTES,
    maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: MAX_HEADER_BYTES,
      enablePush: false,
    },
  });
  // Whoever wrote something else than HTTP/2 has no network any more, and sees that.
  server.on("sessionError", (_error, session: ServerHttp2Session) => session.destroy());
  server.on("stream", (stream, headers) => {
    stream.on("error", () => stream.destroy());
    const isTunnel = headers[":method"] === "CONNECT";
    const asked = isTunnel ? String(headers[":authority"] ?? "") : "";
    answer(stream, asked, { ...options, onRefused: tell }).catch(() => stream.destroy());
  });
  line.on("error", () => line.destroy());
  server.emit("connection", line);
}

async function answer(
  stream: ServerHttp2Stream,
  asked: string,
  options: EgressOptions,
): Promise<void> {
  const verdict = judgeTarget(asked, options.reach);
  const gone = new AbortController();
  stream.once("close", () => gone.abort());
  const dialled =
    verdict.status === "allowed"
      ? await dialTarget({ ...verdict, signal: gone.signal }, options)
      : verdict;
  if (dialled.status === "connected") {
    if (stream.destroyed) return void dialled.socket.destroy();
    stream.respond({ ":status": 200 });
    splice(dialled.socket, stream, IDLE_MS);
    return;
  }
  if (dialled.status === "refused")
    options.onRefused?.({ target: printable(asked), reason: dialled.reason });
  if (stream.destroyed) return;
  stream.respond({ ":status": dialled.status === "refused" ? 403 : 502 });
  stream.end(`${dialled.reason}\n`);
}

function createTeller(onRefused: EgressOptions["onRefused"]): (refusal: ReachRefusal) => void {
  const told = new Set<string>();
  return (refusal) => {
    if (told.size >= MAX_TOLD || told.has(refusal.target)) return;
    told.add(refusal.target);
    onRefused?.(refusal);
  };
}

function printable(text: string): string {
  return text.replace(/[^ -~]/g, "?").slice(0, MAX_TOLD_CHARS);
}
