import { connect, type Socket } from "node:net";
import { z } from "zod";
import { errorReport } from "../contracts/error-report.ts";
import { startAwakeTimer } from "../foundation/awake-timer.ts";
import type { Clock, Timer } from "../foundation/clock.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { createLineSplitter } from "../foundation/line-splitter.ts";
import { controlMessageInvalid, controlRefused } from "./errors.ts";

/** Where a line server listens, and how it is spoken to. */
export interface LinePlace {
  readonly socketPath: string;
  readonly version: number;
  /** Longest answer that is read. */
  readonly maxLineChars: number;
  readonly clock: Clock;
  /** Hangs up when nothing was asked for so long, in ms. Defaults to never. */
  readonly idleMs?: number;
}

/** `absent`: nobody listens, so nothing was sent. Everything else that goes wrong rejects. */
export type LineAnswer =
  | { readonly status: "answered"; readonly result: Json }
  | { readonly status: "absent"; readonly problem: string };

interface Question {
  readonly resolve: (answer: LineAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: Timer;
}

// Errors are told whatever the version of the other side is: they say what to do about it.
const response = z.union([
  z.object({ id: z.number(), ok: z.literal(true), result: z.json() }),
  z.object({ id: z.number(), ok: z.literal(false), error: errorReport }),
]);

type Answer = z.infer<typeof response>;

/** One connection to a line server: any number of requests at the same time, each with its own answer. */
export class LineConnection {
  readonly #place: LinePlace;
  readonly #socket: Socket;
  readonly #questions = new Map<number, Question>();
  #lastId = 0;
  #isConnected = false;
  #isOver = false;

  constructor(place: LinePlace) {
    this.#place = place;
    this.#socket = connect(place.socketPath);
    const lines = createLineSplitter(place.maxLineChars, (line) => this.#take(line));
    this.#socket.on("connect", () => {
      this.#isConnected = true;
    });
    this.#socket.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#socket.on("error", (error) => this.#fail(error.message, error));
    this.#socket.on("close", () => this.#fail("it hung up"));
    this.#socket.on("timeout", () => this.close());
  }

  /** Whether it may still be asked something. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /**
   * Sends one request (plain JSON; `v` and `id` are added) and waits for its answer. Raises RUN_OWNER_UNREACHABLE
   * when there is none in time, which ends the connection, RUN_CONTROL_MESSAGE_INVALID, and what the server raises.
   */
  ask(request: { readonly [name: string]: unknown }, timeoutMs: number): Promise<LineAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = startAwakeTimer(this.#place.clock, timeoutMs, () =>
        this.#fail(`no answer within ${Math.round(timeoutMs)} ms`),
      );
      this.#questions.set(id, { resolve, reject, timer });
      this.#socket.setTimeout(0);
      this.#socket.ref();
      this.#socket.write(`${JSON.stringify({ v: this.#place.version, id, ...request })}\n`);
    });
  }

  /** Hangs up. Whoever waits for an answer is told so. Idempotent. */
  close(): void {
    this.#fail("it was hung up");
  }

  #take(line: string): void {
    if (this.#isOver) return;
    let answer: Answer;
    try {
      answer = readAnswer(line);
    } catch (error) {
      this.#end(() => error);
      return;
    }
    const question = this.#questions.get(answer.id);
    if (question === undefined) this.#end(() => toError(answer));
    else this.#settle(question, answer);
  }

  #settle(question: Question, answer: Answer): void {
    this.#questions.delete(answer.id);
    question.timer.cancel();
    if (this.#questions.size === 0) this.#rest();
    if (answer.ok) question.resolve({ status: "answered", result: answer.result });
    else question.reject(toError(answer));
  }

  /** A connection at rest keeps no process alive. */
  #rest(): void {
    const { idleMs } = this.#place;
    if (idleMs !== undefined) this.#socket.setTimeout(idleMs);
    this.#socket.unref();
  }

  #fail(problem: string, cause?: unknown): void {
    // Hanging up ourselves is no failure, and an error that nobody gets costs as much as one.
    if (this.#isOver) return;
    const { socketPath } = this.#place;
    if (this.#isConnected) this.#end(() => controlRefused({ socketPath, problem }, { cause }));
    else this.#endWith(({ resolve }) => resolve({ status: "absent", problem }));
  }

  #end(toError: () => unknown): void {
    this.#endWith(({ reject }) => reject(toError()));
  }

  #endWith(settle: (question: Question) => void): void {
    this.#isOver = true;
    this.#socket.destroy();
    const questions = [...this.#questions.values()];
    this.#questions.clear();
    for (const question of questions) {
      question.timer.cancel();
      settle(question);
    }
  }
}

function readAnswer(line: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw controlMessageInvalid({ problem: "the answer is no JSON" }, { cause: error });
  }
  const parsed = response.safeParse(value);
  if (!parsed.success) throw controlMessageInvalid({ problem: "the answer has another form" });
  return parsed.data;
}

/** What is told to whoever asked, or to all that wait when an answer belongs to none of them. */
function toError(answer: Answer): unknown {
  if (!answer.ok) return fromErrorReport(answer.error);
  return controlMessageInvalid({ problem: "the answer is to another request" });
}
