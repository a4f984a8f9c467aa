import type { ErrorReport } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";

/** What backends raise when a provider asks to wait. */
const OVERLOADED = "BACKEND_OVERLOADED";
const MAX_WAITS = 8;
const LONGEST_WAIT_MS = 3_600_000;

/** That a provider asks to wait; undefined for any other error. */
export interface ProviderWait {
  readonly retryAfterMs: number | undefined;
}

/** Reads the error of a turn. */
export function readProviderWait({ code, details }: ErrorReport): ProviderWait | undefined {
  if (code !== OVERLOADED) return undefined;
  const given = isRecord(details) ? details["retryAfterMs"] : undefined;
  return { retryAfterMs: typeof given === "number" ? given : undefined };
}

/** Whether a turn that was cut off so often for this reason, since then, may wait once more. */
export function mayWait(
  { waits, waitsSince }: { readonly waits: number; readonly waitsSince: number | undefined },
  nowMs: number,
): boolean {
  return waits < MAX_WAITS && nowMs - (waitsSince ?? nowMs) < LONGEST_WAIT_MS;
}
