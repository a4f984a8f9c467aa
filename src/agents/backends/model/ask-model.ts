import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { rejectOnAbort } from "../../../foundation/abort.ts";
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

/** Asks once and reads the answer as it comes; an abort closes the connection. */
export async function askModel(request: ModelRequest, work: TurnWork): Promise<AskOutcome> {
  const reader = new AnswerReader(request.callPrefix);
  const ending = new AbortController();
  const abortSignal = AbortSignal.any([work.signal, ending.signal]);
  try {
    const { stream } = await request.model.doStream({ ...request.options, abortSignal });
    await readAll(stream, (part) => take(part, { reader, request, work }), work.signal);
    const { whole } = reader;
    if (whole !== undefined) return { status: "answered", answer: whole };
    return { status: "broken", error: new Error(NO_END), reader };
  } catch (error) {
    return { status: "broken", error, reader };
  } finally {
    ending.abort();
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

async function readAll(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  take: (part: LanguageModelV4StreamPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader();
  const aborted = rejectOnAbort(signal);
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), aborted.promise]);
      if (next.done) return;
      take(next.value);
    }
  } finally {
    aborted.stop();
    reader.releaseLock();
  }
}
