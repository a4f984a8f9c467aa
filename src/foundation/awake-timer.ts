import type { Clock, Timer } from "./clock.ts";

const SLICES = 10;

/**
 * Starts a timer that counts the time in which this process runs: if the process or its machine is frozen meanwhile, at
 * most a tenth of the delay is counted for that. For waits on others, who were frozen as well or have answered
 * meanwhile: after a plain timer they would be given up before their answer is read.
 */
export function startAwakeTimer(
  clock: Pick<Clock, "startTimer">,
  delayMs: number,
  fire: () => void,
): Timer {
  let leftMs = delayMs;
  const wait = (): Timer => {
    const sliceMs = Math.min(leftMs, delayMs / SLICES);
    return clock.startTimer(sliceMs, () => {
      leftMs -= sliceMs;
      // Fractions of a millisecond are what rounding left.
      if (leftMs >= 1) timer = wait();
      else fire();
    });
  };
  let timer = wait();
  return { cancel: () => timer.cancel() };
}
