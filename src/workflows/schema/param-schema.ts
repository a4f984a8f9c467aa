import { z } from "zod";
import { PARAM_TYPES } from "../../contracts/definition.ts";

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
