import { isRecord } from "../../foundation/json.ts";
import { nearestName } from "../../foundation/near-names.ts";
import { judgeValue } from "./judge-value.ts";
import type { JsonPath } from "./parts/json-path.ts";
import { keywordKinds } from "./parts/keyword-kinds.ts";
import { type SchemaObject, schemaParts } from "./parts/schema-parts.ts";
import { findResources, type SchemaResources } from "./parts/schema-resources.ts";
import type { SchemaFault } from "./schema-fault.ts";

const MAX_FAULTS = 20;
// Words of other dialects and tools that JSON Schema says differently, and no spelling leads to.
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["$recursiveAnchor", "write $dynamicAnchor: NAME"],
  ["$recursiveRef", 'write $dynamicRef: "#NAME"'],
  ["additionalItems", "write items beside prefixItems"],
  ["example", "write examples: [..]"],
  ["id", "write $id"],
  ["nullable", 'write type: [.., "null"]'],
]);

/** What is wrong with a schema, at most 20 faults: words that JSON Schema 2020-12 has not, and what can never work. */
export function judgeSchema(schema: unknown): readonly SchemaFault[] {
  const resources = findResources(schema);
  return [...unknownWords(resources), ...malformedParts(resources)].slice(0, MAX_FAULTS);
}

/** Words that mean nothing. Whoever evaluates the schema leaves them out. */
function unknownWords({ located }: SchemaResources): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  for (const { schema, path } of located)
    for (const word of isRecord(schema) ? Object.keys(schema) : []) {
      if (keywordKinds.has(word) || word.startsWith("x-")) continue;
      if (faults.length >= MAX_FAULTS) return faults;
      faults.push({ path: [...path, word], isKey: true, ...unknownWord(word) });
    }
  return faults;
}

/** What nobody can evaluate. */
export function malformedParts(resources: SchemaResources): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  // A reference that is judged may add what it leads to.
  for (const { schema, path } of resources.located) {
    if (faults.length >= MAX_FAULTS) return faults;
    if (isRecord(schema)) faults.push(...judgeObject(resources, schema, path));
    else if (typeof schema !== "boolean")
      faults.push({ path, isKey: false, problem: "must be a schema: an object, true or false" });
  }
  return faults.length > 0 ? faults : findLoops(resources);
}

function judgeObject(
  resources: SchemaResources,
  schema: SchemaObject,
  path: JsonPath,
): readonly SchemaFault[] {
  return Object.entries(schema).flatMap(([word, value]) => {
    const kind = keywordKinds.get(word);
    if (kind === undefined) return [];
    const base = resources.baseOf(schema);
    return judgeValue({ word, value, kind, base, resources }).map((fault) => ({
      isKey: false,
      ...fault,
      path: [...path, word, ...(fault.below ?? [])],
    }));
  });
}

const MAX_WORD_CHARS = 60;
const OWN_WORDS = "words of your own begin with x-";

function unknownWord(word: string): Pick<SchemaFault, "problem" | "hint"> {
  const shown = word.length > MAX_WORD_CHARS ? `${word.slice(0, MAX_WORD_CHARS)}…` : word;
  const near = nearestName(word.slice(0, MAX_WORD_CHARS), keywordKinds.keys());
  const hint = ELSEWHERE.get(word) ?? (near === undefined ? OWN_WORDS : `did you mean "${near}"?`);
  return {
    problem: `has the word "${shown}", which JSON Schema 2020-12 does not know`,
    hint,
  };
}

/** Keywords whose schemas judge the same data as the schema around them. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"],
]);

/** References that lead back to where they stand without going into the data: they would be followed for ever. */
function findLoops(resources: SchemaResources): readonly SchemaFault[] {
  const states = new Map<SchemaObject, "open" | "done">();
  const loops = new Set<SchemaObject>();
  for (const { schema } of resources.located)
    if (isRecord(schema) && !states.has(schema)) walk(schema);
  return resources.located.flatMap(({ schema, path }) =>
    isRecord(schema) && loops.has(schema)
      ? [
          {
            path: [...path, "$ref"],
            isKey: false,
            problem: "leads back to itself, so that it would never end",
            hint: "a schema may refer to itself below properties or items only",
          },
        ]
      : [],
  );

  function walk(start: SchemaObject): void {
    const stack = [{ schema: start, next: nextOf(resources, start) }];
    states.set(start, "open");
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = top.next.pop();
      if (target === undefined) {
        states.set(top.schema, "done");
        stack.pop();
      } else if (states.get(target) === "open") markLoop(stack, target);
      else if (!states.has(target)) {
        states.set(target, "open");
        stack.push({ schema: target, next: nextOf(resources, target) });
      }
    }
  }

  /** The loop is told at the last reference on it. */
  function markLoop(stack: readonly { readonly schema: SchemaObject }[], target: SchemaObject) {
    const start = stack.findIndex(({ schema }) => schema === target);
    const last = stack.slice(start).findLast(({ schema }) => Object.hasOwn(schema, "$ref"));
    if (last !== undefined) loops.add(last.schema);
  }
}

function nextOf(resources: SchemaResources, schema: SchemaObject): SchemaObject[] {
  const inner = schemaParts(schema)
    .filter(({ keyword }) => IN_PLACE.has(keyword))
    .map((part) => part.schema);
  const { $ref: reference } = schema;
  const target =
    typeof reference === "string"
      ? resources.resolve(reference, resources.baseOf(schema))
      : undefined;
  const followed = target?.status === "found" ? [target.found.schema] : [];
  return [...inner, ...followed].filter((next) => isRecord(next));
}
