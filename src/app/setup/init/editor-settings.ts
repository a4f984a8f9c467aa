import { isRecord, type Json, toJson } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import { parseJsonSource } from "../../../workflows/source/parse-json.ts";
import { entryOf, type MapNode, toValue } from "../../../workflows/source/source-node.ts";

const KEY = "yaml.schemas";
const SCHEMA = "./.troupe/schema/workflow.json";
const FILES = "workflows/*.yaml";

/** What must stand in `.vscode/settings.json`, for people. */
export const EDITOR_SETTING = `"${KEY}": { "${SCHEMA}": "${FILES}" }`;

/** What becomes of the settings of an editor. */
export type EditorSettings =
  | { readonly status: "changed"; readonly text: string }
  | { readonly status: "unchanged" }
  /** They are written in a way that cannot be added to without risk. */
  | { readonly status: "unclear" };

/**
 * Adds the schema of workflow files to VS Code's settings, which may hold comments: text is put in, none is
 * taken away, and the result says what the old text said and the schema.
 */
export function withSchema(text: string | undefined): EditorSettings {
  if (text === undefined || text.trim() === "")
    return { status: "changed", text: `{\n  ${EDITOR_SETTING}\n}\n` };
  const root = readObject(text);
  if (root === undefined) return { status: "unclear" };
  const schemas = entryOf(root, KEY)?.node;
  if (schemas === undefined) return insert(text, root, EDITOR_SETTING);
  if (schemas.kind !== "map") return { status: "unclear" };
  if (schemas.entries.has(SCHEMA)) return { status: "unchanged" };
  return insert(text, schemas, `"${SCHEMA}": "${FILES}"`);
}

function insert(text: string, into: MapNode, member: string): EditorSettings {
  const at = text.indexOf("{", into.start) + 1;
  const comma = into.entries.size === 0 ? "" : ",";
  const changed = `${text.slice(0, at)}\n  ${member}${comma}${text.slice(at)}`;
  const [before, after] = [readObject(text), readObject(changed)];
  if (before === undefined || after === undefined) return { status: "unclear" };
  const isRight = isSameJson(withMember(toObject(before)), toObject(after));
  return isRight ? { status: "changed", text: changed } : { status: "unclear" };
}

function readObject(text: string): MapNode | undefined {
  const { root, faults } = parseJsonSource(text);
  return root?.kind === "map" && faults.length === 0 ? root : undefined;
}

interface JsonObject {
  readonly [key: string]: Json;
}

function withMember(settings: JsonObject): JsonObject {
  const schemas = settings[KEY];
  return { ...settings, [KEY]: { ...(isObject(schemas) ? schemas : {}), [SCHEMA]: FILES } };
}

function toObject(node: MapNode): JsonObject {
  const value = toJson(toValue(node), "the settings of the editor");
  return isObject(value) ? value : {};
}

function isObject(value: Json | undefined): value is JsonObject {
  return isRecord(value);
}
