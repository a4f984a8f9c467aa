import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";
import { controlRefused } from "./errors.ts";
import { sendLine } from "./line-client.ts";
import { LineConnection } from "./line-connection.ts";
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
/** A line at rest is hung up after this time, in ms: before the owner's own patience ends. */
const KEPT_MS = 5000;

/** A line to a run's owner. */
export interface ControlLine {
  /**
   * Sends one command and waits for the answer, which comes after what the command caused is durable. An owner
   * that is not listening yet is tried again. Raises RUN_OWNER_UNREACHABLE after 2 s of silence, and what the
   * owner raises.
   */
  send(request: Omit<ControlRequest, "v" | "id">): Promise<Json>;
  /** Whether the owner has not hung up. */
  readonly isOpen: boolean;
  /** Hangs up; sending opens it again. */
  close(): void;
}

/** A line that is opened by the first command and kept for others that come within seconds. */
export function createControlLine(socketPath: string, clock: Clock): ControlLine {
  let connection: LineConnection | undefined;
  const reach = (): LineConnection => {
    if (connection?.isOpen !== true)
      connection = new LineConnection({ ...placeAt(socketPath, clock), idleMs: KEPT_MS });
    return connection;
  };
  return {
    send: async (request) => {
      const untilMs = clock.monotonic() + ANSWER_MS;
      for (;;) {
        const answer = await reach().ask(request, untilMs - clock.monotonic());
        if (answer.status === "answered") return answer.result;
        if (clock.monotonic() + RETRY_MS > untilMs)
          throw controlRefused({ socketPath, problem: answer.problem });
        await delay(clock, RETRY_MS, new AbortController().signal);
      }
    },
    get isOpen() {
      return connection?.isOpen === true;
    },
    close: () => connection?.close(),
  };
}

/** Tells a run's owner of a refused call. Raises RUN_OWNER_UNREACHABLE after half a second, and what the owner raises. */
export async function sendRefusedCall(
  socketPath: string,
  request: Omit<RefusedCall, "v" | "id">,
  clock: Clock,
): Promise<void> {
  const place = placeAt(socketPath, clock);
  const answer = await sendLine({ ...place, request: { ...request }, timeoutMs: TELL_MS });
  if (answer.status === "absent") throw controlRefused({ socketPath, problem: answer.problem });
}

function placeAt(socketPath: string, clock: Clock) {
  return { socketPath, version: CONTROL_VERSION, maxLineChars: MAX_LINE_CHARS, clock };
}
