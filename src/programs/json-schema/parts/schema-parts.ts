import { isRecord } from "../../../foundation/json.ts";
import type { JsonPath } from "./json-path.ts";
import { keywordKinds } from "./keyword-kinds.ts";

/** A schema that is no plain `true` or `false`. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A schema inside of another one. */
export interface SchemaPart {
  readonly keyword: string;
  /** From the schema around it. */
  readonly path: JsonPath;
  readonly schema: unknown;
}

/** The schemas that the keywords of a schema hold, however malformed; what stands under unknown words is none. */
export function schemaParts(schema: SchemaObject): readonly SchemaPart[] {
  return Object.entries(schema).flatMap(([keyword, value]) => partsOf(keyword, value));
}

function partsOf(keyword: string, value: unknown): readonly SchemaPart[] {
  switch (keywordKinds.get(keyword)) {
    case "schema":
      return [{ keyword, path: [keyword], schema: value }];
    case "schema-list":
      return listParts(keyword, value);
    case "schema-map":
    case "pattern-map":
      return mapParts(keyword, value);
    case "dependencies":
      return mapParts(keyword, value).filter(({ schema }) => !Array.isArray(schema));
    default:
      return [];
  }
}

function listParts(keyword: string, value: unknown): readonly SchemaPart[] {
  if (!Array.isArray(value)) return [];
  return value.map((schema: unknown, index) => ({ keyword, path: [keyword, index], schema }));
}

function mapParts(keyword: string, value: unknown): readonly SchemaPart[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, schema]) => ({
    keyword,
    path: [keyword, name],
    schema,
  }));
}
