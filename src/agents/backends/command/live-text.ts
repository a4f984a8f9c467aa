import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../foundation/clock.ts";

/** Shows what a program prints while it prints it. */
export interface LiveText {
  push(chunk: Uint8Array): void;
  /** Shows what was held back, and says what was left out last. */
  end(): void;
}

const PERIOD_MS = 1000;
const BYTES_PER_PERIOD = 256 * 1024;

/**
 * Hands on at most 256 KiB of text a second: nobody reads faster, and every text would cost memory. Where some was left
 * out it says so. The answer and the log have it.
 */
export function createLiveText(
  clock: Pick<Clock, "monotonic">,
  show: (text: string) => void,
): LiveText {
  let decoder = new StringDecoder("utf8");
  let periodStartMs = clock.monotonic();
  let shownBytes = 0;
  let leftOutBytes = 0;
  const tell = (text: string) => {
    if (text !== "") show(text);
  };
  const tellLeftOut = () => {
    if (leftOutBytes === 0) return;
    tell(`${decoder.end()}\n[troupe: ${leftOutBytes} bytes are not shown here]\n`);
    decoder = new StringDecoder("utf8");
    leftOutBytes = 0;
  };
  return {
    push: (chunk) => {
      const nowMs = clock.monotonic();
      if (nowMs - periodStartMs >= PERIOD_MS) {
        periodStartMs = nowMs;
        shownBytes = 0;
      }
      const room = BYTES_PER_PERIOD - shownBytes;
      if (room > 0) {
        tellLeftOut();
        tell(decoder.write(chunk.subarray(0, room)));
      }
      const shown = Math.max(0, Math.min(room, chunk.length));
      shownBytes += shown;
      leftOutBytes += chunk.length - shown;
    },
    end: () => {
      tellLeftOut();
      tell(decoder.end());
    },
  };
}
