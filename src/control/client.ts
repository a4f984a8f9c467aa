import { connect } from "node:net";
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

/**
 * Sends one command to a run's owner and waits for the answer, which comes after what the command caused is
 * durable. Raises RUN_OWNER_UNREACHABLE after 2 s of silence, and what the owner raises.
 */
export function sendControl(
  socketPath: string,
  request: Omit<ControlRequest, "v" | "id">,
  clock: Clock,
): Promise<Json> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const timer = clock.startTimer(ANSWER_MS, () =>
      finish(() =>
        reject(controlRefused({ socketPath, problem: `no answer within ${ANSWER_MS} ms` })),
      ),
    );
    const finish = (settle: () => void) => {
      timer.cancel();
      socket.destroy();
      settle();
    };
    const lines = createLineSplitter(MAX_LINE_CHARS, (line) =>
      finish(() => settleWith(line, resolve, reject)),
    );
    socket.on("connect", () =>
      socket.write(`${JSON.stringify({ v: CONTROL_VERSION, id: 1, ...request })}\n`),
    );
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("error", (error) =>
      finish(() =>
        reject(controlRefused({ socketPath, problem: error.message }, { cause: error })),
      ),
    );
    socket.on("close", () =>
      finish(() => reject(controlRefused({ socketPath, problem: "it hung up" }))),
    );
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
