import { connect } from "node:net";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { createLineSplitter } from "../foundation/line-splitter.ts";
import { controlMessageInvalid, controlRefused } from "./errors.ts";
import {
  CONTROL_VERSION,
  type ControlRequest,
  controlResponse,
  MAX_LINE_CHARS,
} from "./protocol.ts";

/** An owner that is alive answers within this time, in ms. */
const ANSWER_MS = 2000;
const RETRY_MS = 50;

/**
 * Sends one command to a run's owner and waits for the answer, which comes after what the command caused is
 * durable. An owner that is not listening yet is tried again. Raises RUN_OWNER_UNREACHABLE after 2 s of
 * silence, and what the owner raises.
 */
export async function sendControl(
  socketPath: string,
  request: Omit<ControlRequest, "v" | "id">,
  clock: Clock,
): Promise<Json> {
  const untilMs = clock.monotonic() + ANSWER_MS;
  for (;;) {
    const answer = await trySend({
      socketPath,
      request,
      clock,
      timeoutMs: untilMs - clock.monotonic(),
    });
    if (answer.status === "answered") return answer.result;
    if (clock.monotonic() + RETRY_MS > untilMs)
      throw controlRefused({ socketPath, problem: answer.problem });
    await delay(clock, RETRY_MS, new AbortController().signal);
  }
}

interface Sending {
  readonly socketPath: string;
  readonly request: Omit<ControlRequest, "v" | "id">;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** `absent`: nobody listens, so nothing was sent. Everything else that goes wrong rejects. */
type Attempt =
  | { readonly status: "answered"; readonly result: Json }
  | { readonly status: "absent"; readonly problem: string };

function trySend({ socketPath, request, clock, timeoutMs }: Sending): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let isConnected = false;
    const finish = (settle: () => void) => {
      timer.cancel();
      socket.destroy();
      settle();
    };
    const fail = (problem: string, cause?: unknown) =>
      finish(() => {
        if (isConnected) reject(controlRefused({ socketPath, problem }, { cause }));
        else resolve({ status: "absent", problem });
      });
    const timer = clock.startTimer(timeoutMs, () => fail(`no answer within ${ANSWER_MS} ms`));
    const lines = createLineSplitter(MAX_LINE_CHARS, (line) =>
      finish(() => settleWith(line, (result) => resolve({ status: "answered", result }), reject)),
    );
    socket.on("connect", () => {
      isConnected = true;
      socket.write(`${JSON.stringify({ v: CONTROL_VERSION, id: 1, ...request })}\n`);
    });
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("error", (error) => fail(error.message, error));
    socket.on("close", () => fail("it hung up"));
  });
}

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
  const parsed = controlResponse.safeParse(value);
  if (!parsed.success) reject(controlMessageInvalid({ problem: "the answer has another form" }));
  else if (parsed.data.ok) resolve(parsed.data.result);
  else reject(fromErrorReport(parsed.data.error));
}
