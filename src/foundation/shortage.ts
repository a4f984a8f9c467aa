import { type Clock, systemClock } from "./clock.ts";
import { defineError, TroupeError } from "./errors.ts";
import { isRecord } from "./json.ts";

const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether too many files are open for now, by an error or what caused it, which says nothing of what was asked for. */
export function isShortage(error: unknown): boolean {
  return isShortageItself(error) || (error instanceof Error && isShortageItself(error.cause));
}

function isShortageItself(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && CODES.has(error.code)) return true;
  // What Node asks the system for itself it tells in another way, such as who the user is.
  return "info" in error && isRecord(error.info) && CODES.has(error.info["code"]);
}

export const tooManyFiles = defineError("HOST_TOO_MANY_FILES", {
  retryable: true,
  message: (details: { action: string }) => `too many files are open to ${details.action}`,
  hint: () => "allow more (ulimit -n 1024), or let fewer agents work at once (maxConcurrency)",
  about:
    "A process may have so many files, sockets and pipes open at once as the system allows it. Programs wait for each other where they are too few; below some 40 there is not enough for one.",
});

/** What a lack of descriptors is told as, wherever it was met; undefined for any other error. */
export function toShortageError(thrown: unknown): TroupeError | undefined {
  let found = thrown;
  while (found instanceof Error && !isShortageItself(found)) found = found.cause;
  if (!isShortageItself(found)) return undefined;
  if (thrown instanceof TroupeError && thrown.code === tooManyFiles.code) return thrown;
  const path = found instanceof Error && "path" in found ? ` with ${String(found.path)}` : "";
  return tooManyFiles({ action: `go on${path}` }, { cause: thrown });
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
const PATIENCE_MS = 60_000;

/**
 * Tries until enough files can be opened, for a minute at most; what is tried must leave nothing behind when it fails so.
 * Raises what it raises.
 */
export async function outlastShortage<Result>(
  attempt: () => Promise<Result> | Result,
  timers: Pick<Clock, "startTimer"> = systemClock,
): Promise<Result> {
  let waitMs = FIRST_WAIT_MS;
  for (let waitedMs = 0; ; waitedMs += waitMs, waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isShortage(error) || waitedMs >= PATIENCE_MS) throw error;
    }
    await new Promise<void>((resolve) => {
      timers.startTimer(waitMs, resolve);
    });
  }
}
