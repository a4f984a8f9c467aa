import { canonicalJson, isRecord, type Json, toJson } from "../../foundation/json.ts";

/** The name under which every schema of ours refers to any JSON value. */
const JSON_DEFINITION = "json";
const REFERENCE = `#/$defs/${JSON_DEFINITION}`;
const GENERATED = /^#\/\$defs\/__schema\d+$/;

/** Definitions that a whole document needs for its parts, at its root. */
export const sharedDefinitions: { readonly [name: string]: Json } = {
  [JSON_DEFINITION]: {
    anyOf: [
      ...["string", "number", "boolean", "null"].map((type) => ({ type })),
      { type: "array", items: { $ref: REFERENCE } },
      { type: "object", additionalProperties: { $ref: REFERENCE } },
    ],
  },
};

/**
 * A generated schema whose references hold wherever it is put: its own definitions, which only the root of a document
 * can have, become the shared one. `format` is left out, which editors judge each in their own way.
 */
export function withSharedDefinitions(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withSharedDefinitions);
  if (!isRecord(schema)) return schema;
  const { $defs, ...members } = schema;
  assertShared($defs);
  return toJson(
    Object.fromEntries(
      Object.entries(members)
        .filter(([key, value]) => key !== "format" || typeof value !== "string")
        .map(([key, value]) => [
          key,
          key === "$ref" && GENERATED.test(String(value))
            ? REFERENCE
            : withSharedDefinitions(toJson(value, "a schema")),
        ]),
    ),
    "a schema",
  );
}

/** Another recursive type would need a definition of its own, with a name. */
function assertShared(definitions: unknown): void {
  if (!isRecord(definitions)) return;
  for (const definition of Object.values(definitions)) {
    const found = canonicalJson(withSharedDefinitions(withoutNames(definition)));
    if (found === canonicalJson(sharedDefinitions[JSON_DEFINITION] ?? null)) continue;
    throw new TypeError(`a schema has a definition that is not shared: ${found.slice(0, 200)}`);
  }
}

/** Names of members are texts; saying so says nothing. */
function withoutNames(value: unknown): Json {
  const text = JSON.stringify(value, (key, member: unknown) =>
    key === "propertyNames" ? undefined : member,
  );
  return toJson(JSON.parse(text), "a definition");
}
