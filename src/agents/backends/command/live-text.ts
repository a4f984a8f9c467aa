import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../foundation/clock.ts";

/** Shows what a program prints while it prints it. */
export interface LiveText {
  push(chunk: Uint8Array): void;
}

const NEWLINE = 0x0a;
const PERIOD_MS = 1000;
const BYTES_PER_PERIOD = 1024 * 1024;

/**
 * Hands on at most 1 MiB of text a second: nobody reads faster, and every text would cost memory. Where some was left
 * out it says so and goes on with a new line. The answer and the log have it.
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
  return {
    push: (chunk) => {
      const nowMs = clock.monotonic();
      if (nowMs - periodStartMs >= PERIOD_MS) {
        periodStartMs = nowMs;
        shownBytes = 0;
      }
      const room = BYTES_PER_PERIOD - shownBytes;
      // A line that began in what was left out is left out as well.
      const from = leftOutBytes === 0 ? 0 : chunk.indexOf(NEWLINE) + 1;
      if (room <= 0 || (leftOutBytes > 0 && from === 0)) {
        leftOutBytes += chunk.length;
        return;
      }
      if (leftOutBytes > 0) {
        tell(`${decoder.end()}\n[troupe: ${leftOutBytes + from} bytes are not shown here]\n`);
        decoder = new StringDecoder("utf8");
        leftOutBytes = 0;
      }
      const shown = chunk.subarray(from, from + room);
      shownBytes += shown.length;
      leftOutBytes += chunk.length - from - shown.length;
      tell(decoder.write(shown));
    },
  };
}
