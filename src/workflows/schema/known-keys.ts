import { z } from "zod";
import type { SourceNode } from "../source/source-node.ts";
import { nodeAt } from "../source/source-node.ts";

/** The keys that a schema knows for the object at a path of a file. */
export function knownKeys(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  root: SourceNode,
): readonly string[] {
  const object = schemaAt(schema, path, root);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** Whether a schema leaves the keys of the object at a path of a file to whoever writes it. */
export function takesAnyKey(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  root: SourceNode,
): boolean {
  return schemaAt(schema, path, root) instanceof z.ZodRecord;
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[], root: SourceNode): unknown {
  let current: unknown = schema;
  for (const [index, key] of path.entries()) {
    current = memberSchema(fitting(current, nodeAt(root, path.slice(0, index))), key);
  }
  return fitting(current, nodeAt(root, path));
}

/** The schema without what wraps it; of a union the branch for this kind of value. */
function fitting(schema: unknown, node: SourceNode | undefined): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  )
    return fitting(schema.unwrap(), node);
  if (!(schema instanceof z.ZodUnion)) return schema;
  return schema.options
    .map((option) => fitting(option, node))
    .find((option) => (node?.kind === "list") === option instanceof z.ZodArray);
}

function memberSchema(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const shape: { readonly [key: string]: unknown } = schema.shape;
  return shape[String(key)];
}
