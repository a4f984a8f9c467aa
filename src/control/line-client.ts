import { connect } from "node:net";
import { z } from "zod";
import { errorReport } from "../contracts/error-report.ts";
import type { Clock } from "../foundation/clock.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { createLineSplitter } from "../foundation/line-splitter.ts";
import { controlMessageInvalid, controlRefused } from "./errors.ts";

/** One request to a line server. */
export interface LineSending {
  readonly socketPath: string;
  /** Plain JSON; `v` and `id` are added. */
  readonly request: { readonly [name: string]: unknown };
  readonly version: number;
  /** Longest answer that is read. */
  readonly maxLineChars: number;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** `absent`: nobody listens, so nothing was sent. Everything else that goes wrong rejects. */
export type LineAnswer =
  | { readonly status: "answered"; readonly result: Json }
  | { readonly status: "absent"; readonly problem: string };

/**
 * Sends one request and waits for its answer. Raises RUN_OWNER_UNREACHABLE when there is none in time,
 * RUN_CONTROL_MESSAGE_INVALID, and what the server raises.
 */
export function sendLine(sending: LineSending): Promise<LineAnswer> {
  const { socketPath, request, version, clock, timeoutMs } = sending;
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let isConnected = false;
    let isOver = false;
    const finish = (settle: () => void) => {
      isOver = true;
      timer.cancel();
      socket.destroy();
      settle();
    };
    const fail = (problem: string, cause?: unknown) => {
      // Hanging up ourselves is no failure, and an error that nobody gets costs as much as one.
      if (isOver) return;
      finish(() => {
        if (isConnected) reject(controlRefused({ socketPath, problem }, { cause }));
        else resolve({ status: "absent", problem });
      });
    };
    const timer = clock.startTimer(timeoutMs, () =>
      fail(`no answer within ${Math.round(timeoutMs)} ms`),
    );
    const lines = createLineSplitter(sending.maxLineChars, (line) =>
      finish(() => settleWith(line, (result) => resolve({ status: "answered", result }), reject)),
    );
    socket.on("connect", () => {
      isConnected = true;
      socket.write(`${JSON.stringify({ v: version, id: 1, ...request })}\n`);
    });
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("error", (error) => fail(error.message, error));
    socket.on("close", () => fail("it hung up"));
  });
}

// Errors are told whatever the version of the other side is: they say what to do about it.
const response = z.union([
  z.object({ ok: z.literal(true), result: z.json() }),
  z.object({ ok: z.literal(false), error: errorReport }),
]);

function settleWith(
  line: string,
  resolve: (result: Json) => void,
  reject: (error: unknown) => void,
): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    reject(controlMessageInvalid({ problem: "the answer is no JSON" }, { cause: error }));
    return;
  }
  const parsed = response.safeParse(value);
  if (!parsed.success) reject(controlMessageInvalid({ problem: "the answer has another form" }));
  else if (parsed.data.ok) resolve(parsed.data.result);
  else reject(fromErrorReport(parsed.data.error));
}
