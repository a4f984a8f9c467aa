import { z } from "zod";
import { isRecord } from "../../../foundation/json.ts";

// The block of a pattern is declared once, in camelCase. In a step workflow its keys are written in snake_case; keys
// that people choose themselves, such as ids of agents, stay as they are.

/** `earlyStop` as `early_stop`. */
export function snakeCaseOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A schema whose declared keys are in snake_case. Only plain objects, lists and what is optional are looked into. */
export function inSnakeCase(schema: unknown): z.ZodType {
  if (!(schema instanceof z.ZodType)) return z.unknown();
  const { description } = schema;
  const renamed = renamedOf(schema);
  return description === undefined || renamed === schema ? renamed : renamed.describe(description);
}

function renamedOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return inSnakeCase(schema.unwrap()).optional();
  if (schema instanceof z.ZodArray) return z.array(inSnakeCase(schema.element));
  if (!(schema instanceof z.ZodObject)) return schema;
  const shape = Object.entries(schema.shape).map(
    ([key, member]) => [snakeCaseOf(key), inSnakeCase(member)] as const,
  );
  return z.strictObject(Object.fromEntries(shape));
}

/** A value as `inSnakeCase` of a schema lets it be written, with the keys of the schema itself. */
export function fromSnakeCase(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return fromSnakeCase(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item: unknown) => fromSnakeCase(schema.element, item));
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return value;
  const names = new Map(Object.keys(schema.shape).map((key) => [snakeCaseOf(key), key]));
  const entries = Object.entries(value).map(([key, member]) => {
    const name = names.get(key) ?? key;
    return [name, fromSnakeCase(schema.shape[name], member)] as const;
  });
  return Object.fromEntries(entries);
}
