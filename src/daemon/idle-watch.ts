import type { Clock, Timer } from "../foundation/clock.ts";

/** Ends a daemon that nobody needs. */
export interface IdleWatch {
  /** Looks whether there is still, or again, nothing to do. */
  look(): void;
  close(): void;
}

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly isIdle: () => boolean;
  readonly onIdle: () => void;
}

/** Calls `onIdle` once there was nothing to do for `idleMs` in a row. */
export function createIdleWatch({ clock, idleMs, isIdle, onIdle }: IdleWatchOptions): IdleWatch {
  let timer: Timer | undefined;
  const stop = () => {
    timer?.cancel();
    timer = undefined;
  };
  return {
    look: () => {
      if (!isIdle()) stop();
      else timer ??= clock.startTimer(idleMs, onIdle);
    },
    close: stop,
  };
}
