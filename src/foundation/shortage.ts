import { systemClock } from "./clock.ts";

const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether too many files are open for now, which says nothing of what was asked for. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && CODES.has(error.code);
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
const PATIENCE_MS = 60_000;

/**
 * Tries until enough files can be opened, for a minute at most; what is tried must leave nothing behind when it fails so.
 * Raises what it raises.
 */
export async function outlastShortage<Result>(attempt: () => Promise<Result>): Promise<Result> {
  let waitMs = FIRST_WAIT_MS;
  for (let waitedMs = 0; ; waitedMs += waitMs, waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await attempt();
    } catch (error) {
      const cause = error instanceof Error && !isShortage(error) ? error.cause : error;
      if (!isShortage(cause) || waitedMs >= PATIENCE_MS) throw error;
    }
    await new Promise<void>((resolve) => {
      systemClock.startTimer(waitMs, resolve);
    });
  }
}
