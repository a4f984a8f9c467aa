import { z } from "zod";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { canonicalJson, isRecord, type Json, toJson } from "../../foundation/json.ts";
import { anyScript } from "./agent-schema.ts";
import type { KnownPattern, PatternCatalogue } from "./catalogue.ts";
import { stepKeysOf } from "./step-keys.ts";
import { stepsFileSchema } from "./steps-file-schema.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What editors and readers are told of step workflows. */
export interface StepsJsonSchema {
  /** The file without `$schema`; its steps are `#/$defs/step`. */
  readonly file: JsonSchema;
  /** A step of any type. */
  readonly step: JsonSchema;
  /** What every step may say. */
  readonly standing: JsonSchema;
  /** What steps of one type say beside it. */
  readonly types: readonly StepTypeSchema[];
}

/** The keys of steps of one type. */
export interface StepTypeSchema {
  readonly name: string;
  readonly summary: string;
  readonly schema: JsonSchema;
}

const STEP_REFERENCE = { $ref: "#/$defs/step" } as const;
// A word of JSON Schema that, as a plain key, would make an object look like a promise.
const THEN = "then";

/** The JSON Schema of step workflows whose steps have one of these types, or one that a plug-in brings. */
export function stepsJsonSchema({
  types,
  scriptSchema = anyScript,
}: {
  readonly types: readonly StepType[];
  readonly scriptSchema?: z.ZodType;
}): StepsJsonSchema {
  const file = toSchema(stepsFileSchema({ scriptSchema }));
  const { steps, ...members } = propertiesOf(file);
  const listed = { ...recordOf(steps), items: STEP_REFERENCE };
  const schemas = types.map(toTypeSchema);
  const [first] = types;
  const standing = first === undefined ? {} : standingOf(first);
  return {
    file: { ...file, properties: { ...members, steps: listed } },
    step: toStep(standing, schemas),
    standing,
    types: schemas,
  };
}

function toTypeSchema(type: StepType): StepTypeSchema {
  const { top, nested, nesting } = stepKeysOf(type);
  const own = toSchema(type.settings);
  const common = propertiesOf(toSchema(top));
  const routes = Object.keys(common).filter((key) => !Object.hasOwn(nested.shape, key));
  const properties = {
    ...propertiesOf(own),
    ...Object.fromEntries(nesting.map((key) => [key, withReference(recordOf(common[key]))])),
    ...Object.fromEntries(routes.map((key) => [key, common[key]])),
  };
  const schema = { type: "object", properties, required: own["required"] ?? [] };
  return { name: type.name, summary: type.summary, schema };
}

function standingOf(type: StepType): JsonSchema {
  const { nested, nesting } = stepKeysOf(type);
  const schema = toSchema(nested);
  const own = Object.entries(propertiesOf(schema)).filter(
    ([key]) => !nesting.some((inside) => inside === key),
  );
  return { ...schema, properties: Object.fromEntries(own) };
}

/** All keys at once, for completion, and for each type those that it really has. */
function toStep(standing: JsonSchema, types: readonly StepTypeSchema[]): JsonSchema {
  const common = propertiesOf(standing);
  const named = { type: "string", enum: types.map(({ name }) => name) };
  const type = { ...recordOf(common["type"]), anyOf: [named, { type: "string" }] };
  const own: Record<string, unknown> = {};
  for (const key of new Set(types.flatMap(({ schema }) => Object.keys(propertiesOf(schema)))))
    own[key] = anyOfTypes(key, types);
  return {
    type: "object",
    properties: { ...common, type, ...own },
    required: standing["required"],
    allOf: types.map(({ name, schema }) => ({
      if: { properties: { type: { const: name } }, required: ["type"] },
      [THEN]: {
        properties: schema["properties"],
        required: schema["required"],
        propertyNames: { enum: [...Object.keys(common), ...Object.keys(propertiesOf(schema))] },
      },
    })),
  };
}

function anyOfTypes(key: string, types: readonly StepTypeSchema[]): JsonSchema {
  const meant = types.flatMap(({ name, schema }) => {
    const member = propertiesOf(schema)[key];
    return member === undefined ? [] : [{ name, member: recordOf(member) }];
  });
  const texts = new Map(meant.map(({ member }) => [JSON.stringify(member), member]));
  const [only] = texts.values();
  if (texts.size === 1 && only !== undefined) return only;
  const description = meant
    .map(({ name, member }) => `In \`${name}\`: ${String(member["description"] ?? "")}`)
    .join(" ");
  return { description, anyOf: [...texts.values()] };
}

function withReference(schema: JsonSchema): JsonSchema {
  if (schema["type"] === "array") return { ...schema, items: STEP_REFERENCE };
  const { description } = schema;
  return { ...STEP_REFERENCE, ...(description === undefined ? {} : { description }) };
}

function toSchema(schema: z.ZodType): JsonSchema {
  const json = toJson(z.toJSONSchema(schema, { io: "input" }), "a schema");
  const { $schema: _, ...rest } = recordOf(withSharedDefinitions(json));
  return rest;
}

/** What it says of the members of an object. */
export function propertiesOf(schema: JsonSchema): JsonSchema {
  return recordOf(schema["properties"]);
}

/** The value as plain JSON: what the library returns has members that are none. */
function recordOf(value: unknown): JsonSchema {
  const json = toJson(value, "a schema");
  return isRecord(json) ? json : {};
}

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

/** What the schemas of files are made from. */
export interface EditorSources {
  readonly knownPatterns: readonly KnownPattern[];
  readonly patterns: PatternCatalogue;
  readonly stepTypes: readonly StepType[];
  /** Of the turns of scripted agents. */
  readonly scriptSchema: z.ZodType;
}

/** What editors are told of the files of one shape. */
export interface EditorSupport {
  /** By which keys they know one, after the shapes before it. Absent: by nothing that speaks for another. */
  readonly when?: JsonSchema;
  schema(sources: EditorSources): JsonSchema;
  /** What the schema refers to as `#/$defs/NAME`. Absent: nothing of its own. */
  definitions?(sources: EditorSources): JsonSchema;
}

/** Keys of one's own stand at the top level and begin with x-. */
export const OWN_KEYS: JsonSchema = { patternProperties: { "^x-": {} } };

/** The JSON Schema of what a schema takes, without its dialect. */
export function editorSchema(schema: z.ZodType, title: string): JsonSchema {
  return { title, ...toSchema(schema) };
}

/** One schema for the files of all shapes: the first whose keys they have is theirs. */
export function choiceOfShapes(
  shapes: readonly EditorSupport[],
  sources: EditorSources,
): JsonSchema {
  return shapes.reduceRight<JsonSchema>((others, { when, schema }) => {
    const own = schema(sources);
    return when === undefined ? own : { if: when, [THEN]: own, else: others };
  }, {});
}

/**
 * A generated schema whose references hold wherever it is put: its own definitions, which only the root of a document
 * can have, become the shared one. `format` is left out, which editors judge each in their own way.
 */
function withSharedDefinitions(schema: Json): Json {
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
