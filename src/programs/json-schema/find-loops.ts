import { isRecord } from "../../foundation/json.ts";
import { type SchemaObject, schemaParts } from "./parts/schema-parts.ts";
import type { SchemaResources } from "./parts/schema-resources.ts";
import type { SchemaFault } from "./schema-fault.ts";

/** Keywords whose schemas judge the same data as the schema around them. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"],
]);

/** References that lead back to where they stand without going into the data: they would be followed for ever. */
export function findLoops(resources: SchemaResources): readonly SchemaFault[] {
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
