import type { SourceNode } from "../source/source-node.ts";
import { entryOf } from "../source/source-node.ts";

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
]);
const DURATION_KEYS: ReadonlySet<string> = new Set([
  "timeout",
  "retryDelay",
  "maxDuration",
  "wallClock",
]);

/** A type of the schema library in words. */
export function typeName(type: string): string {
  return TYPE_NAMES.get(type) ?? type;
}

/** The kind of a value in words. */
export function kindOf(node: SourceNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "an object";
  if (node.value === null) return "nothing";
  if (typeof node.value === "string") return "a text";
  return typeof node.value === "number" ? "a number" : String(node.value);
}

/** How a place of the file is called: `steps.plan.dependsOn`, with ids in place of positions; the file itself by `name`. */
export function placeName(
  root: SourceNode,
  path: readonly PropertyKey[],
  name = "the workflow",
): string {
  if (path.length === 0) return name;
  const names: string[] = [];
  let node: SourceNode | undefined = root;
  for (const key of path) {
    const parent: SourceNode | undefined = node;
    node = parent?.kind === "list" ? parent.items[Number(key)] : entryOf(parent, String(key))?.node;
    const id = parent?.kind === "list" ? entryOf(node, "id")?.node : undefined;
    const isNamed = id?.kind === "scalar" && typeof id.value === "string" && id.value !== "";
    names.push(isNamed ? String(id.value) : String(key));
  }
  return names.join(".");
}

// From here on a number without a unit is one of milliseconds rather than of seconds.
const LEAST_MILLISECONDS = 1000;

function unitHint(value: unknown): string {
  return Number(value) >= LEAST_MILLISECONDS
    ? `write the unit: ${String(value)}ms, or ${String(value)}s if it is seconds`
    : `write a number and a unit: ${String(value)}s`;
}

/** How the value could be written so that it has the expected type. */
export function typeHint(
  expected: readonly string[],
  node: SourceNode,
  key: string,
): string | undefined {
  if (node.kind === "map" || (node.kind === "scalar" && node.value === null)) return undefined;
  if (node.kind === "list")
    return expected.includes("string") && node.items.length === 1
      ? "write it without brackets"
      : undefined;
  const { value } = node;
  if (expected.includes("array")) return `write it as a list: [${String(value)}]`;
  if (expected.includes("string"))
    return DURATION_KEYS.has(key) ? unitHint(value) : `put quotes around it: "${String(value)}"`;
  if (expected.includes("boolean")) return "write true or false";
  const isNumeric =
    typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
  return isNumeric ? `write it without quotes: ${value}` : undefined;
}
