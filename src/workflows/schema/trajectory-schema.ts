import { z } from "zod";

/** What a file says of the trajectories of its runs. */
export const trajectoryEntrySchema = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe("Whether every run leaves a trajectory when it ends. Default: true."),
  agentName: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Who has led the work, as the trajectory tells it. Default: workflow-orchestrator."),
  dataDir: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Directory of the project for all trajectories. Default: TRAJECTORIES_DATA_DIR, else .agentworkforce/trajectories.",
    ),
  taskSource: z
    .strictObject({
      system: z.string().min(1).describe("Such as github, linear or beads."),
      id: z.string().min(1).describe("Its name there."),
      url: z.url().optional().describe("Where it can be read."),
    })
    .optional()
    .describe("What the work is done for."),
  autoRecordMessages: z
    .boolean()
    .optional()
    .describe("Whether the trajectory records what agents say. Default: true."),
  autoRecordReflections: z
    .boolean()
    .optional()
    .describe("Whether the trajectory records reflections of agents (REFLECT). Default: true."),
});

/** The same of a pattern workflow, where somebody plans. */
export const patternTrajectorySchema = trajectoryEntrySchema.extend({
  learnFrom: z
    .boolean()
    .optional()
    .describe(
      "Whether whoever plans is told what earlier trajectories say of work like this. Default: false.",
    ),
});
