import { z } from "zod";
import { FAILURE_POLICIES } from "../../contracts/definition.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { agentsSchema, writtenAgentsSchema } from "./agent-schema.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import type { KnownPattern, PatternCatalogue } from "./catalogue.ts";
import { boundsSchema } from "./kickoff-file-schema.ts";
import { shadowSchema, writtenShadow } from "./shadow-schema.ts";
import { barrierSchema, stepSchema } from "./step-schema.ts";
import { durationText, idText, paramSchema, passEnvNames, templateText } from "./text-schemas.ts";
import { patternTrajectorySchema } from "./trajectory-schema.ts";

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
      "What a failed step or agent means for the run. Default: abort in pipeline and saga, else continue.",
    ),
});

const reflectionSchema = z.strictObject({
  enabled: z.boolean().optional().describe("Whether the work is reflected on. Default: true."),
  threshold: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      "Importance of what was said, 1 to 10 for each message, after which it is time to reflect; 0: never. Default: 50.",
    ),
  reflector: idText.optional().describe("Who reflects. Default: the lead, else Troupe itself."),
  prompt: z
    .string()
    .min(1)
    .max(32_768)
    .optional()
    .describe("What the reflector is asked, in place of Troupe's words."),
  scorer: idText
    .optional()
    .describe(
      "Agent that is asked after each turn how important what was said is. Default: nobody; the words of messages say so.",
    ),
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

/** What a file says of marks that agents leave for each other. */
const stigmergySchema = z.strictObject({
  namespace: z
    .string()
    .regex(/^[\w.-]{1,40}$/, "expected up to 40 letters, digits, dots and dashes")
    .optional()
    .describe("Where marks go that name no other place. Default: default."),
  decayRate: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Share of a mark that is gone after a second. Default: 0, it stays."),
  minThreshold: z.number().min(0).optional().describe("Below it a mark is none. Default: 0.01."),
  reinforcement: z
    .enum(["additive", "multiplicative", "max"])
    .optional()
    .describe(
      "What a mark does to the one that is there: `additive` (default), `multiplicative`, or the greater one stays: `max`.",
    ),
});

/** What a file says of branches that are cut off. */
const prunerSchema = z.strictObject({
  evaluator: idText.describe("Agent that says how good a branch is: a turn that answers FITNESS."),
  pruneThreshold: z.number().optional().describe("Branches below it are cut off."),
  beamWidth: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("As many of the best branches stay. Default: all."),
  evaluationInterval: durationText.optional().describe("Time between two looks. Default: 30s."),
});

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
          "How steps are ordered: `dag` (default), `sequential` (default of saga) or `parallel` (default of fan-out). In pipeline and dag it must be what the pattern does.",
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
  reflection: reflectionSchema
    .optional()
    .describe("From time to time somebody reflects on the work of all, and may change it."),
  stigmergy: stigmergySchema
    .optional()
    .describe("Agents leave marks for each other, which may fade."),
  pruner: prunerSchema
    .optional()
    .describe("Weak branches are cut off while they are under way (dag)."),
  trajectory: patternTrajectorySchema
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
  const names = knownPatterns.map(({ name }) => name);
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
