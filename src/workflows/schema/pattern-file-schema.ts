import { z } from "zod";
import { FAILURE_POLICIES } from "../../contracts/definition.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { plannedPatterns } from "../../programs/patterns/registry.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { agentsSchema, writtenAgentsSchema } from "./agent-schema.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import type { KnownPattern, PatternCatalogue } from "./catalogue.ts";
import { boundsSchema } from "./kickoff-file-schema.ts";
import { shadowSchema, writtenShadow } from "./shadow-schema.ts";
import { barrierSchema, stepSchema } from "./step-schema.ts";
import { durationText, idText, paramSchema, passEnvNames, templateText } from "./text-schemas.ts";
import { trajectoryEntrySchema } from "./trajectory-schema.ts";

/** Most steps of a file. */
export const MAX_STEPS = 2000;

const OPTIONS_TEXT = "Settings of the run.";

const optionsSchema = z.strictObject({
  timeout: durationText.optional().describe("Running time of the whole run. Default: 10m."),
  channel: templateText
    .min(1)
    .optional()
    .describe("Name of the main channel; {{id}} is the run's id. Default: main."),
  maxConcurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Steps, or turns that the pattern gives, at the same time."),
  turnTimeout: durationText
    .optional()
    .describe("How long a turn may take that a pattern without steps gives. Default: any time."),
  bounds: boundsSchema
    .optional()
    .describe(
      "What ends agents that wake each other (hub-spoke, hierarchical), and, where it is written, the turns of other patterns.",
    ),
  shadow: writtenShadow.optional(),
});

const errorHandlingSchema = z.strictObject({
  maxRetries: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Attempts after the first, for steps that do not say. Default: 0."),
  retryDelay: durationText.optional().describe("Wait before the second attempt. Default: 1s."),
  escalateTo: idText
    .optional()
    .describe("Agent that gets a step once when nothing else has helped."),
  onFailure: z
    .enum(FAILURE_POLICIES)
    .optional()
    .describe(
      "What a failed step or agent means for the run. Default: abort in pipeline, else continue.",
    ),
});

const reflectionSchema = z.strictObject({
  enabled: z.boolean().optional().describe("Only false in this version."),
  threshold: z.number().optional(),
  reflector: idText.optional(),
  prompt: z.string().optional(),
});

/** What every workflow file says of itself. */
export const patternFileHead = {
  $schema: z.string().optional().describe("For editors."),
  version: z
    .union([z.literal("1.0"), z.literal("1"), z.literal(1)])
    .optional()
    .describe("Version of this format. Default: 1.0."),
  name: idText.describe("Name of the workflow."),
  description: z.string().optional().describe("For people."),
  tags: z.array(z.string()).optional().describe("For people."),
};

const members = {
  ...patternFileHead,
  pattern: z.string(),
  params: z
    .record(idText, paramSchema)
    .optional()
    .describe("Typed inputs, given by -i NAME=VALUE and used as {{params.NAME}}."),
  agents: writtenAgentsSchema.optional(),
  steps: z
    .array(stepSchema)
    .max(MAX_STEPS)
    .optional()
    .describe("What is done. Without steps every agent gets the task of the run."),
  backend: z.string().optional().describe("Backend of agents that name none."),
  cli: z.string().optional().describe("Another name for `backend`."),
  passEnv: passEnvNames
    .optional()
    .describe("Variables of your environment that agents and checks get, by name."),
  coordination: z
    .strictObject({
      mode: z
        .enum(["sequential", "parallel", "dag"])
        .optional()
        .describe(
          "How steps are ordered: `dag` (default), `sequential` or `parallel`. In fan-out, pipeline and dag it must be what the pattern does.",
        ),
      barriers: z
        .array(barrierSchema)
        .max(100)
        .optional()
        .describe("Points where steps wait for signals."),
    })
    .optional()
    .describe("How steps wait for each other."),
  options: optionsSchema.optional().describe(OPTIONS_TEXT),
  budget: budgetEntrySchema
    .optional()
    .describe("What the run may consume; then it stops and can be resumed with more."),
  errorHandling: errorHandlingSchema.optional().describe("What happens when a step fails."),
  reflection: reflectionSchema.optional().describe("Not in this version."),
  trajectory: trajectoryEntrySchema
    .optional()
    .describe("The story that every run leaves in a file when it ends."),
};

/** Keys of every pattern file, or of what becomes one: none of them can be that of a pattern's own block. */
export const PATTERN_FILE_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(members),
  ...["template", "overrides", "swarm", "kickoff", "task", "workflows"],
]);

const writtenSchema = z.object(members);

/** A pattern workflow as it is written, without the pattern's own block. */
export type PatternFile = z.infer<typeof writtenSchema>;

/** What the schema of pattern workflows is made of beyond itself. */
export interface FileSchemaParts {
  /** All that may be named. */
  readonly knownPatterns: readonly KnownPattern[];
  /** Their blocks are known under their keys. */
  readonly patterns: PatternCatalogue;
  /** How the `script` of an agent looks; any list or object when absent. */
  readonly scriptSchema?: z.ZodType | undefined;
}

/** The schema of pattern workflows. */
export function patternFileSchema({
  knownPatterns,
  patterns,
  scriptSchema,
}: FileSchemaParts): z.ZodType {
  const names = [...knownPatterns, ...plannedPatterns].map(({ name }) => name);
  const pattern = z.enum(names).describe("How the agents work together.");
  const blocks = patterns.flatMap((entry) =>
    entry.block === undefined
      ? []
      : [[blockKeyOf(entry), described(entry.block, entry.name)] as const],
  );
  const agents = agentsSchema(scriptSchema).optional();
  const shadow = shadowSchema(scriptSchema);
  const options = optionsSchema.extend({ shadow }).optional().describe(OPTIONS_TEXT);
  return z.strictObject({ ...members, pattern, agents, options, ...Object.fromEntries(blocks) });
}

function described(block: z.ZodType, pattern: string): z.ZodType {
  return block.optional().describe(`What ${pattern} needs to know beyond its agents.`);
}

/** The typed content of a file that has passed patternFileSchema. */
export function readPatternFile(value: unknown): PatternFile {
  return writtenSchema.parse(value, PARSE_ONCE);
}
