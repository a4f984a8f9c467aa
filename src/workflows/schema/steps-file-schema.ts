import { z } from "zod";
import { agentMembers, anyScript } from "./agent-schema.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { positiveMs, snakeCasedMembers } from "./step-keys.ts";
import { idText, passEnvNames, templateText } from "./text-schemas.ts";
import { trajectoryEntrySchema } from "./trajectory-schema.ts";

/** Most steps of a file, those inside of others included. */
export const MAX_FLOW_STEPS = 10_000;
/** How deep steps may stand inside of each other. */
export const MAX_FLOW_DEPTH = 8;

/** What an agent of a step workflow may say of itself, as the same agent of a pattern workflow writes it. */
export const flowAgentSchema = z.strictObject({ ...agentMembers, script: anyScript.optional() });

const members = {
  $schema: z.string().optional().describe("For editors."),
  id: idText.describe("Name of the workflow."),
  description: z.string().optional().describe("For people."),
  tags: z.array(z.string()).optional().describe("For people."),
  max_iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("Most steps that are carried out, without those inside of others. Default: 100."),
  max_duration_ms: positiveMs
    .optional()
    .describe("Most running time, without waiting for people. Default: 300000."),
  max_errors: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("Failed steps that end the run. Default: 10."),
  max_concurrency: z.int().min(1).max(1000).optional().describe("Steps at the same time."),
  parallel: z
    .boolean()
    .optional()
    .describe(
      "Whether every step that no other leads to begins a path of its own, after those that it refers to. Default: false.",
    ),
  initial_context: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("What the context holds before any step, by name."),
  backend: z.string().optional().describe("Backend of agents that name none."),
  pass_env: passEnvNames
    .optional()
    .describe("Variables of your environment that agents, commands and checks get, by name."),
  budget: z
    .strictObject(snakeCasedMembers(budgetEntrySchema.shape))
    .optional()
    .describe("What the run may consume; then it stops and can be resumed with more."),
  trajectory: z
    .strictObject(snakeCasedMembers(trajectoryEntrySchema.shape))
    .optional()
    .describe("The story that every run leaves in a file when it ends."),
  options: z
    .strictObject({
      channel: templateText
        .min(1)
        .optional()
        .describe("Name of the main channel; {{id}} is the run's id. Default: main."),
      timeout_ms: positiveMs
        .optional()
        .describe("Running time after which the run is over as timed out. Default: none."),
    })
    .optional()
    .describe("Settings of the run."),
};

const steps = z.array(z.unknown()).min(1).describe("What is done; the first one begins.");
const writtenFile = z.object(members);

/** A step workflow as it is written, without steps and agents. */
export type StepsFile = z.infer<typeof writtenFile>;

/** The schema of step workflows without what their steps say. */
export function stepsFileSchema({
  scriptSchema = anyScript,
}: {
  readonly scriptSchema?: z.ZodType | undefined;
}): z.ZodType {
  return z.strictObject({ ...members, agents: agentsSchema(scriptSchema), steps });
}

/** The typed content of a file that has passed stepsFileSchema. */
export function readStepsFile(value: unknown): StepsFile {
  return writtenFile.parse(value);
}

function agentsSchema(script: z.ZodType) {
  const turns = script.optional().describe("For `backend: script`: the turns to play.");
  const agent = z.strictObject({ ...snakeCasedMembers(agentMembers), script: turns });
  const id = idText.describe("Name of the agent in this file.");
  return z
    .union([z.array(z.strictObject({ id, ...agent.shape })), z.record(idText, agent)])
    .optional()
    .describe("Who takes part: a list with ids, or a map whose keys are the ids.");
}
