import { builtInBackends } from "../../../agents/backends/registry.ts";
import { FIXED_BACKENDS } from "../../../workflows/resolve/load-options.ts";
import type { ConfigValue } from "./config.ts";

/** A key that this version does nothing with, and why. */
export interface UnsupportedKey {
  /** The key with which the sentence begins: a value's own, or one above it. */
  readonly path: readonly string[];
  readonly reason: string;
}

const TOP_LEVEL: ReadonlyMap<string, string> = new Map([
  ["roles", "agents of roles come with a later version"],
]);

// Backends whose agents are processes that get an environment.
const WITH_ENVIRONMENT: ReadonlySet<string> = new Set(["command", "script"]);

/** Says of a backend's name what it is: the type that some file gives it, else the name itself. */
export type KindOf = (backend: string) => string;

/** The key of a value that changes nothing in this version; undefined for all others. */
export function unsupportedKey(
  { path, value }: ConfigValue,
  kindOf: KindOf,
): UnsupportedKey | undefined {
  const [top = "", second = "", third = ""] = path;
  const reason = TOP_LEVEL.get(top);
  if (reason !== undefined) return { path: [top], reason };
  if (top === "engine" && value !== "embedded")
    return { path, reason: "runs are carried out by the embedded engine" };
  if (top === "backends") return unsupportedBackendKey(second, third, kindOf(second));
  if (path.join(".") === "budget.perDay") return { path, reason: "budgets are kept per run" };
  return undefined;
}

/** The kinds of the backends that these values are about. */
export function kindsIn(values: readonly ConfigValue[]): KindOf {
  const types = new Map(
    values.flatMap(({ path: [top, name = "", key], value }) =>
      top === "backends" && key === "type" && typeof value === "string" ? [[name, value]] : [],
    ),
  );
  return (backend) => types.get(backend) ?? backend;
}

function unsupportedBackendKey(
  backend: string,
  key: string,
  kind: string,
): UnsupportedKey | undefined {
  if (!builtInBackends.some(({ name }) => name === kind)) {
    return { path: ["backends", backend], reason: `it cannot run ${kind} agents yet` };
  }
  if (!FIXED_BACKENDS.has(backend)) return undefined;
  if (key === "env" && WITH_ENVIRONMENT.has(backend)) return undefined;
  return { path: ["backends", backend, key], reason: `${backend} agents take no ${key} from it` };
}
