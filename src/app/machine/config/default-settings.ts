import { toJson } from "../../../foundation/json.ts";
import { DEFAULT_WAITS } from "./agent-policy.ts";
import type { ConfigValue } from "./config.ts";
import type { ConfigSettings } from "./config-settings.ts";
import { valuesOf } from "./merge-config.ts";

/** What holds where no file says anything. */
export const DEFAULT_SETTINGS: ConfigSettings = {
  defaults: { permissionMode: "ask", timeout: "10m" },
  limits: { maxDepth: 1 },
  collab: DEFAULT_WAITS,
  notify: false,
  engine: "embedded",
};

/** The same, value by value. */
export function defaultValues(): readonly ConfigValue[] {
  return valuesOf(toJson(DEFAULT_SETTINGS, "the default settings"), () => ({ level: "default" }));
}
