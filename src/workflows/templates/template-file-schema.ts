import { z } from "zod";
import { patternFileHead } from "../schema/pattern-file-schema.ts";
import { builtInTemplates } from "./built-in-templates.ts";

/** The keys of a file that starts from a template. */
export const templateFileSchema = z.strictObject({
  ...patternFileHead,
  template: z
    .enum(builtInTemplates.map(({ name }) => name))
    .describe("A workflow that comes with troupe: it gives pattern, agents, steps and settings."),
  overrides: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "Values that differ from the template, by path: `agents.reviewer.model`, `steps.plan.maxRetries`, `options.timeout`; `count` where a template takes one.",
    ),
});
