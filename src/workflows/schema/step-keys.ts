import { z } from "zod";
import type { StepType } from "../../contracts/ports/step-type.ts";
import {
  oneOfKeys,
  VERIFICATION_KINDS,
  verificationSchema,
} from "../../programs/step/written-check.ts";
import type { SourceEntry, SourceNode } from "../source/source-node.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { idText, passEnvNames } from "./text-schemas.ts";

const MAX_MS = 365 * 86_400_000;
const MAX_ATTEMPTS = 100;
const MAX_RETRY_DELAY_MS = 300_000;

/** Milliseconds, from one on. */
export const positiveMs = z.int().min(1).max(MAX_MS);

const routing = {
  next: idText.optional().describe("The step to go on with. Without it the path ends here."),
  on_error: idText.optional().describe("The step to go on with when this one has failed for good."),
};

const standing = {
  id: idText.describe("Name of the step in this file, those inside of others included."),
  type: z.string().min(1).describe("What kind of step it is."),
  description: z.string().optional().describe("For people."),
  when: z.string().min(1).optional().describe("A condition; when it is false the step is skipped."),
  max_retries: z
    .int()
    .min(0)
    .max(MAX_ATTEMPTS)
    .optional()
    .describe("Attempts in all, as `max_attempts`: 1 is no retry. Default: 1."),
  max_attempts: z
    .int()
    .min(1)
    .max(MAX_ATTEMPTS)
    .optional()
    .describe("Attempts in all. Default: 1."),
  retry_delay_ms: z
    .int()
    .min(0)
    .max(MAX_RETRY_DELAY_MS)
    .optional()
    .describe("Wait before the second attempt; doubles with each, up to five minutes. Default: 0."),
  timeout_ms: positiveMs.optional().describe("How long one attempt may take."),
  budget: z
    .strictObject(snakeCasedMembers(budgetEntrySchema.shape))
    .optional()
    .describe("What all turns of the step may consume; then it fails."),
  input: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A step, an `output` name or a key of `initial_context`, whose data the step is given under that name.",
    ),
  output: idText.optional().describe("A second name of the step's data."),
  pass_env: passEnvNames
    .optional()
    .describe("Variables of your environment that its commands and checks get, by name."),
  verify: z
    .array(
      z
        .strictObject(snakeCasedMembers(verificationSchema.shape))
        .meta(oneOfKeys(VERIFICATION_KINDS.map(toSnakeCase))),
    )
    .optional()
    .describe("Checks that must hold afterwards."),
};

/** What every step may say of itself, whatever its type and place. */
export const standingStepKeys: ReadonlySet<string> = new Set(Object.keys(standing));

/** The keys of steps of one type. */
export interface StepKeys {
  /** Those that say where it goes on. */
  readonly routes: readonly string[];
  /** Those under which it holds other steps. */
  readonly nesting: readonly ("step" | "steps")[];
  /** Those that only its type understands, as far as its schema tells them. */
  readonly own: readonly string[];
  /** What a step of the list at the top says beside its own settings; steps inside of it are left open. */
  readonly top: z.ZodObject;
  /** The same of a step inside of another one. */
  readonly nested: z.ZodObject;
}

/** The keys of steps of a type. */
export function stepKeysOf(type: StepType): StepKeys {
  const routes = [...type.routes, ...(type.goesOn === "next" ? ["next"] : []), "on_error"];
  const nesting = nestingKeysOf(type);
  const shape = {
    ...standing,
    ...Object.fromEntries(nesting.map((key) => [key, nestingSchema(key)])),
  };
  const ways = Object.fromEntries(routes.map((key) => [key, routeSchema(key)]));
  return {
    routes,
    nesting,
    own: type.settings instanceof z.ZodObject ? Object.keys(type.settings.shape) : [],
    top: z.strictObject({ ...shape, ...ways }),
    nested: z.strictObject(shape),
  };
}

/** How much of a step is the same for all: the typed part of one that has passed its schema. */
export const readStep = z.object({ ...standing, ...routing });

function nestingKeysOf({ nested }: StepType): readonly ("step" | "steps")[] {
  if (nested === "none") return [];
  return nested === "list" ? ["steps"] : ["steps", "step"];
}

function routeSchema(key: string): z.ZodType {
  if (key === "next") return routing.next;
  if (key === "on_error") return routing.on_error;
  return idText.optional().describe("A step to go on with.");
}

function nestingSchema(key: "step" | "steps"): z.ZodType {
  if (key === "step") return z.looseObject({}).optional().describe("The step inside of it.");
  return z.array(z.unknown()).min(1).optional().describe("The steps inside of it.");
}

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
