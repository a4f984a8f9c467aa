import type { WaitBounds } from "../../../agents/collab/wait-until.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import type { CollabSettings, ConfigSettings } from "./config-settings.ts";

/** How long calls wait where no file says anything. */
export const DEFAULT_WAITS = {
  defaultWaitTimeout: "5m",
  maxWaitTimeout: "1h",
} as const satisfies CollabSettings;

/** The bounds on waiting that a configuration says. */
export function waitBounds({ collab }: ConfigSettings): WaitBounds {
  const { defaultWaitTimeout, maxWaitTimeout } = { ...DEFAULT_WAITS, ...collab };
  return { defaultMs: parseDuration(defaultWaitTimeout), maxMs: parseDuration(maxWaitTimeout) };
}
