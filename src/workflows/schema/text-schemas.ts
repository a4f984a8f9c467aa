import { z } from "zod";
import { PARAM_TYPES } from "../../contracts/definition.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";

/** A duration such as `10m`. Its form is checked with the other values of the file, so that the hint can be precise. */
export const durationText = z
  .string()
  .meta({ examples: ["30s", "10m"], pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" });

/** An id as the JSON Schema shows it; what is wrong with one is said by the check of ids. */
export const idText = z.string().meta({ pattern: ID_PATTERN.source });

/** Names of variables of the environment. */
export const passEnvNames = z
  .array(
    z
      .string()
      .regex(
        /^(?!TROUPE_)[A-Za-z_][A-Za-z0-9_]*$/,
        "write the name of a variable, such as GH_TOKEN; those of Troupe (TROUPE_…) are never handed on",
      ),
  )
  .min(1)
  .meta({ examples: [["GH_TOKEN"]] });

/** Texts that may hold variables such as `{{task}}`. */
export const templateText = z.string();

/** A shell text or an argv. */
export const commandText = z.union([z.string().min(1), z.array(z.string()).min(1)]);

/** A typed input of a workflow, as its file defines it. */
export const paramSchema = z.strictObject({
  type: z.enum(PARAM_TYPES).describe("Kind of the value."),
  values: z.array(z.string()).min(1).optional().describe("What an enum may be."),
  default: z
    .union([z.string(), z.number(), z.boolean()])
    .optional()
    .describe("Value when none is given."),
  required: z
    .boolean()
    .optional()
    .describe("Whether it must be given. Default: true without a default."),
  description: z.string().optional().describe("For people."),
});
