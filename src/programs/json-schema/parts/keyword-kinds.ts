/** What the value of a keyword of JSON Schema is. */
export type KeywordKind =
  | "schema"
  | "schema-list"
  | "schema-map"
  | "pattern-map"
  | "dependencies"
  | "type"
  | "count"
  | "number"
  | "positive"
  | "boolean"
  | "text"
  | "names"
  | "names-map"
  | "pattern"
  | "list"
  | "any"
  | "reference"
  | "id"
  | "anchor"
  | "dialect";

const WORDS: ReadonlyMap<KeywordKind, string> = new Map([
  [
    "schema",
    "additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties",
  ],
  ["schema-list", "allOf anyOf oneOf prefixItems"],
  ["schema-map", "$defs definitions dependentSchemas properties"],
  ["pattern-map", "patternProperties"],
  ["dependencies", "dependencies"],
  ["type", "type"],
  [
    "count",
    "maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties",
  ],
  ["number", "exclusiveMaximum exclusiveMinimum maximum minimum"],
  ["positive", "multipleOf"],
  ["boolean", "deprecated readOnly uniqueItems writeOnly"],
  ["text", "$comment contentEncoding contentMediaType description format title"],
  ["names", "required"],
  ["names-map", "dependentRequired"],
  ["pattern", "pattern"],
  ["list", "enum examples"],
  ["any", "$vocabulary const default"],
  ["reference", "$dynamicRef $ref"],
  ["id", "$id"],
  ["anchor", "$anchor $dynamicAnchor"],
  ["dialect", "$schema"],
]);

/** The keywords of JSON Schema 2020-12, and those before it that still mean the same. */
export const keywordKinds: ReadonlyMap<string, KeywordKind> = new Map(
  [...WORDS].flatMap(([kind, words]) =>
    words.split(" ").map((word): [string, KeywordKind] => [word, kind]),
  ),
);

/** The names of types. */
export const typeNames = [
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
] as const;
