import { connect } from "node:net";
import { startAwakeTimer } from "../foundation/awake-timer.ts";
import type { Clock } from "../foundation/clock.ts";

const PATIENCE_MS = 1000;

/** Whether anybody listens on a socket; a silent one counts as listening. */
export function isListening(socketPath: string, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const settle = (isThere: boolean) => {
      timer.cancel();
      socket.destroy();
      resolve(isThere);
    };
    const timer = startAwakeTimer(clock, PATIENCE_MS, () => settle(true));
    socket.on("connect", () => settle(true));
    socket.on("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      settle(code !== "ECONNREFUSED" && code !== "ENOENT");
    });
  });
}
