import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { TurnWork } from "../parts/turn-gate.ts";
import { AnswerReader, type ReadAnswer } from "./loop/read-answer.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly model: LanguageModelV4;
  readonly options: Omit<LanguageModelV4CallOptions, "abortSignal">;
  /** Begins the names of the calls of its answer. */
  readonly callPrefix: string;
  /** Whether whoever watches sees what is said. */
  readonly isShown: boolean;
}

/** How one request went: with a whole answer, or broken off with what had come. */
export type AskOutcome =
  | { readonly status: "answered"; readonly answer: ReadAnswer }
  | { readonly status: "broken"; readonly error: unknown; readonly reader: AnswerReader };

/** All other parts of a stream are signs of life, also before the first word. */
const ENDS: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set(["finish", "error"]);

const NO_END = "the connection ended in the middle of the answer";
const BROKEN_OFF = new DOMException("the answer was broken off", "AbortError");

/** Asks once and reads the answer as it comes; an abort closes the connection. */
export async function askModel(request: ModelRequest, work: TurnWork): Promise<AskOutcome> {
  const reader = new AnswerReader(request.callPrefix);
  const connection = new AbortController();
  const leave = () => connection.abort(work.signal.reason);
  if (work.signal.aborted) leave();
  else work.signal.addEventListener("abort", leave, { once: true });
  try {
    const options = { ...request.options, abortSignal: connection.signal };
    const { stream } = await request.model.doStream(options);
    await readAll(stream, (part) => take(part, { reader, request, work }), connection.signal);
    const { whole } = reader;
    if (whole !== undefined) return { status: "answered", answer: whole };
    return { status: "broken", error: new Error(NO_END), reader };
  } catch (error) {
    // What was read to its end has no connection any more.
    connection.abort(BROKEN_OFF);
    return { status: "broken", error, reader };
  } finally {
    work.signal.removeEventListener("abort", leave);
  }
}

interface Taking {
  readonly reader: AnswerReader;
  readonly request: ModelRequest;
  readonly work: TurnWork;
}

function take(part: LanguageModelV4StreamPart, { reader, request, work }: Taking): void {
  reader.take(part);
  if (!request.isShown) return;
  if (part.type === "text-delta" && part.delta !== "")
    work.emit({ type: "text-delta", text: part.delta });
  else if (part.type === "reasoning-delta" && part.delta !== "")
    work.emit({ type: "thinking", text: part.delta });
  else if (!ENDS.has(part.type)) work.emit({ type: "activity" });
}

/** Rejects with the signal's reason when it aborts, also where the stream does not heed it. */
async function readAll(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  take: (part: LanguageModelV4StreamPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader();
  // A read that waits ends with that.
  const leave = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await reader.read();
      signal.throwIfAborted();
      if (next.done) return;
      take(next.value);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    reader.releaseLock();
  }
}
