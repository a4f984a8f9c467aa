import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";
import { controlRefused } from "./errors.ts";
import { sendLine } from "./line-client.ts";
import {
  CONTROL_VERSION,
  type ControlRequest,
  MAX_LINE_CHARS,
  type RefusedCall,
} from "./protocol.ts";

/** An owner that is alive answers within this time, in ms. */
const ANSWER_MS = 2000;
const RETRY_MS = 50;
/** Whoever is refused waits no longer than this for being written down, in ms. */
const TELL_MS = 500;

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
    const answer = await ask({
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

/** Tells a run's owner of a refused call. Raises RUN_OWNER_UNREACHABLE after half a second, and what the owner raises. */
export async function sendRefusedCall(
  socketPath: string,
  request: Omit<RefusedCall, "v" | "id">,
  clock: Clock,
): Promise<void> {
  const answer = await ask({ socketPath, request, clock, timeoutMs: TELL_MS });
  if (answer.status === "absent") throw controlRefused({ socketPath, problem: answer.problem });
}

interface OwnersLine {
  readonly socketPath: string;
  readonly request: Omit<ControlRequest | RefusedCall, "v" | "id">;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

function ask({ request, ...line }: OwnersLine): ReturnType<typeof sendLine> {
  const rules = { version: CONTROL_VERSION, maxLineChars: MAX_LINE_CHARS };
  return sendLine({ ...line, ...rules, request: { ...request } });
}
