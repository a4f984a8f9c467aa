/** A counter of free places with a queue in the order of asking. */
export interface Semaphore {
  /** Takes a place, waiting for one if need be. Rejects with the signal's reason when it aborts first. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives a place back; the longest waiter gets it. */
  release(): void;
  /** How many callers wait. */
  readonly waiting: number;
  /** Whether other processes see who has a place. */
  readonly isShared: boolean;
}

/** A semaphore of `places` places; Infinity never waits. */
export function createSemaphore(places: number): Semaphore {
  let free = places;
  const queue = new Set<() => void>();
  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free -= 1;
          return resolve();
        }
        const abort = () => {
          queue.delete(grant);
          reject(signal.reason);
        };
        const grant = () => {
          signal.removeEventListener("abort", abort);
          resolve();
        };
        queue.add(grant);
        signal.addEventListener("abort", abort, { once: true });
      }),
    release: () => {
      const [next] = queue;
      if (next === undefined) free += 1;
      else {
        queue.delete(next);
        next();
      }
    },
    get waiting() {
      return queue.size;
    },
    isShared: false,
  };
}

/** Takes a place of both semaphores, the outer one first, and gives both back. */
export function bothOf(outer: Semaphore, inner: Semaphore): Semaphore {
  return {
    acquire: async (signal) => {
      await outer.acquire(signal);
      try {
        await inner.acquire(signal);
      } catch (error) {
        outer.release();
        throw error;
      }
    },
    release: () => {
      inner.release();
      outer.release();
    },
    get waiting() {
      return outer.waiting + inner.waiting;
    },
    isShared: outer.isShared || inner.isShared,
  };
}
