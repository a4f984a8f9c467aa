import { z } from "zod";
import { isRecord } from "../../foundation/json.ts";
import type { Written } from "./workflow-sketch.ts";

/** How keys are to be written: as step files do, or as TypeScript does. */
export type Spelling = "file" | "code";

/** The schemas of an object's members by the keys of files. */
export type MemberSchemas = { readonly [key: string]: unknown };

/**
 * An object with the keys that its schema knows in the other spelling, further down too: `max_retries` in files is
 * `maxRetries` in code. Keys of records belong to whoever writes them and stay, as do those that nobody knows.
 */
export function spellMembers(value: Written, members: MemberSchemas, spelling: Spelling): Written {
  const isForFile = spelling === "file";
  const keys = new Map(
    Object.keys(members).map((key) => [isForFile ? toCamelCase(key) : key, key]),
  );
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const known = keys.get(key);
      if (known === undefined) return [key, member];
      const spelt = isForFile ? known : toCamelCase(known);
      return [spelt, spellValue(member, members[known], spelling)];
    }),
  );
}

/** The members of an object's schema; none for other schemas. */
export function memberSchemasOf(schema: unknown): MemberSchemas {
  const plain = unwrapped(schema);
  return plain instanceof z.ZodObject ? plain.shape : {};
}

function spellValue(value: unknown, schema: unknown, spelling: Spelling): unknown {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodUnion)
    return spellValue(value, optionFor(value, plain.options.map(unwrapped)), spelling);
  if (Array.isArray(value)) {
    const element = plain instanceof z.ZodArray ? plain.element : undefined;
    return value.map((item: unknown) => spellValue(item, element, spelling));
  }
  if (!isRecord(value)) return value;
  if (plain instanceof z.ZodRecord)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        return [key, spellValue(member, plain.valueType, spelling)];
      }),
    );
  return plain instanceof z.ZodObject ? spellMembers(value, plain.shape, spelling) : value;
}

/** The first option for values of this kind, lists or objects. */
function optionFor(value: unknown, options: readonly unknown[]): unknown {
  if (Array.isArray(value)) return options.find((option) => option instanceof z.ZodArray);
  const ofObject = options.find((option) => option instanceof z.ZodObject);
  return ofObject ?? options.find((option) => option instanceof z.ZodRecord);
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodLazy;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
