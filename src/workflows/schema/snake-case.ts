import { z } from "zod";
import type { SourceEntry, SourceNode } from "../source/source-node.ts";

/** A key of a pattern workflow as step workflows write it: `fileScope` is `file_scope`. */
export function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The members of an object with their keys in snake_case, further down too; keys of records belong to whoever writes them. */
export function snakeCasedMembers(members: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(members).map(([key, schema]) => [toSnakeCase(key), snakeCased(schema)]),
  );
}

function snakeCased(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) {
    const inner = snakeCased(schema.unwrap());
    return described(z.optional(inner), schema);
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  return described(z.strictObject(snakeCasedMembers(schema.shape)), schema);
}

/** Descriptions name keys in backticks. */
function described(schema: z.ZodType, { description }: z.ZodType): z.ZodType {
  if (description === undefined) return schema;
  return schema.describe(description.replace(/`[a-z][a-z.]*(?:[A-Z][a-z]+)+`/g, toSnakeCase));
}

/**
 * A part of a step workflow with the keys that the same part has in a pattern workflow, at the places where they
 * are written. `schema` is that of the pattern workflow; keys that it does not know stay as they are.
 */
export function camelCased(node: SourceNode, schema: unknown): SourceNode {
  const plain = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (node.kind !== "map" || !(plain instanceof z.ZodObject)) return node;
  const shape: { readonly [key: string]: unknown } = plain.shape;
  const names = new Map(Object.keys(shape).map((name) => [toSnakeCase(name), name]));
  const entries = new Map<string, SourceEntry>();
  for (const entry of node.entries.values()) {
    const key = names.get(entry.key);
    if (key !== undefined)
      entries.set(key, { ...entry, key, node: camelCased(entry.node, shape[key]) });
    else if (!entries.has(entry.key)) entries.set(entry.key, entry);
  }
  return { ...node, entries };
}
