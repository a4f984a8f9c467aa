import { canonicalJson, isRecord, type Json, toJson } from "../../foundation/json.ts";
import { measureJson } from "../language/json-measure.ts";
import type { LinearRegex } from "../language/regex.ts";
import { jsonSchemaUnusable } from "./errors.ts";
import { evaluateSchema } from "./evaluation/evaluate-schema.ts";
import type { Evaluation } from "./evaluation/evaluation.ts";
import { createMismatchList, mismatchText } from "./evaluation/mismatch.ts";
import { rootPlace } from "./evaluation/place.ts";
import { createWorkLimit, EvaluationExceeded } from "./evaluation/work-limit.ts";
import { malformedParts } from "./judge-schema.ts";
import { compilePattern } from "./judge-value.ts";
import { jsonPathText } from "./parts/json-path.ts";
import { findResources, OWN_BASE, type SchemaResources } from "./parts/schema-resources.ts";

/** A JSON Schema (2020-12) that a file or another program has given. */
export interface GivenSchema {
  /**
   * What keeps a value from fitting, in lines that say where, what was expected and what was found; undefined when it
   * fits. What takes too much work, or is nested too deeply, does not fit.
   */
  mismatchOf(value: Json): string | undefined;
}

// Half a second at the most.
const MAX_WORK = 3_000_000;
const MAX_MISMATCHES = 10;
const NO_LIMIT = { chars: Infinity, parts: Infinity };

/** Reads a schema. `format` and other annotations judge nothing, unknown words are left out. Raises JSON_SCHEMA_UNUSABLE. */
export function readJsonSchema(schema: unknown): GivenSchema {
  const resources = findResources(schema);
  const [fault] = malformedParts(resources);
  if (fault !== undefined)
    throw jsonSchemaUnusable({ place: jsonPathText(fault.path), problem: fault.problem });
  const prepared = prepare(resources);
  return { mismatchOf: (value) => mismatchOf({ schema, prepared }, value) };
}

interface ReadSchema {
  readonly schema: unknown;
  readonly prepared: Omit<Evaluation, "limit">;
}

function mismatchOf({ schema, prepared }: ReadSchema, value: Json): string | undefined {
  if (measureJson(value, NO_LIMIT).parts === Infinity) return "it is nested too deeply to check";
  const mismatches = createMismatchList(MAX_MISMATCHES);
  const evaluation: Evaluation = { ...prepared, limit: createWorkLimit(MAX_WORK) };
  try {
    const standing = { bases: [OWN_BASE], depth: 0, mismatches };
    if (evaluateSchema({ evaluation, schema, place: rootPlace(value), standing })) return undefined;
  } catch (error) {
    if (!(error instanceof EvaluationExceeded)) throw error;
    mismatches.add({ path: [], problem: error.message });
  }
  return mismatches.found.map(mismatchText).join("\n");
}

function prepare(resources: SchemaResources): Omit<Evaluation, "limit"> {
  const patterns = new Map<string, LinearRegex>();
  const choices = new Map<object, ReadonlySet<string>>();
  return {
    resources,
    rules: new Map(),
    notesSeen: resources.located.some(
      ({ schema }) =>
        isRecord(schema) &&
        (Object.hasOwn(schema, "unevaluatedItems") ||
          Object.hasOwn(schema, "unevaluatedProperties")),
    ),
    pattern: (pattern) => remembered(patterns, pattern, () => compilePattern(pattern)),
    choices: (owner, values) =>
      remembered(
        choices,
        owner,
        () => new Set(values.map((value) => canonicalJson(toJson(value, "a schema")))),
      ),
  };
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
