import { z } from "zod";
import { BARRIER_TYPES } from "../../contracts/step.ts";
import { verificationSchema } from "../../programs/step/written-check.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { commandText, durationText, idText, passEnvNames, templateText } from "./text-schemas.ts";

/** A value of a variable of a matrix. */
const matrixValue = z.union([z.string().max(1000), z.number(), z.boolean()]);

/** The variables of a matrix with their values; `include` and `exclude` hold combinations. */
export const matrixSchema = z.record(
  idText,
  z.array(z.union([matrixValue, z.record(idText, matrixValue)])).min(1),
);

/** What undoes a step. */
const compensationSchema = z.strictObject({
  prompt: templateText
    .optional()
    .describe("What an agent is to do, with variables, also those of the step itself."),
  agent: idText.optional().describe("Who gets `prompt`. Default: the agent of the step."),
  command: commandText
    .optional()
    .describe("What is run in place of an agent, where and with the variables as the step's own."),
  timeout: durationText
    .optional()
    .describe("How long one attempt may take. Default: that of the step, else 5m."),
});

/** One step. */
export const stepSchema = z.strictObject({
  id: idText.describe("Name of the step in this file."),
  agent: idText.optional().describe("Who does it. Default: the only agent."),
  command: commandText
    .optional()
    .describe(
      "What is run in place of an agent: a text for the shell, or a list that no shell sees. Its stdout is the output.",
    ),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe("Where `command` runs, inside the project. Default: where the run is started."),
  env: z
    .record(z.string(), templateText)
    .optional()
    .describe("Further variables of the environment of `command`."),
  allowFailure: z
    .boolean()
    .optional()
    .describe("Whether the step is done whatever exit code `command` ends with. Default: false."),
  prompt: templateText
    .optional()
    .describe("What to do, with variables. Default: the task of the run."),
  dependsOn: z
    .array(idText)
    .optional()
    .describe("Steps and barriers that must be done before (dag)."),
  matrix: matrixSchema
    .optional()
    .meta({
      examples: [{ os: ["linux", "mac"], node: [22, 24], exclude: [{ os: "mac", node: 22 }] }],
    })
    .describe(
      "Lists of values, by name (dag): the step is carried out once per combination, with {{matrix.NAME}}. `exclude` takes combinations out, `include` adds some or more values to some. At most 256.",
    ),
  maxConcurrency: z
    .int()
    .min(1)
    .max(256)
    .optional()
    .describe("Instances of a step with a `matrix` at the same time."),
  failFast: z
    .boolean()
    .optional()
    .describe(
      "Whether the first instance of a `matrix` that fails ends the others. Default: false.",
    ),
  when: z.string().min(1).optional().describe("A condition; when it is false the step is skipped."),
  runs: z
    .enum(["on-success", "on-failure", "always"])
    .optional()
    .describe(
      "Whether it starts when all that it depends on went well (default), when some of it did not, or in any case.",
    ),
  expects: z
    .string()
    .optional()
    .describe("The word that completes the step, or `none`. Default: DONE for agents that talk."),
  maxRetries: z.int().min(0).max(100).optional().describe("Attempts after the first."),
  maxAttempts: z.int().min(1).max(101).optional().describe("Attempts in all. Default: 1."),
  timeout: durationText.optional().describe("How long one attempt may take."),
  budget: budgetEntrySchema
    .optional()
    .describe("What all turns of the step may consume; then it fails."),
  verify: z.array(verificationSchema).optional().describe("Checks that must hold afterwards."),
  passEnv: passEnvNames
    .optional()
    .describe(
      "Variables of your environment that its command and those of its checks get, by name.",
    ),
  compensate: compensationSchema
    .optional()
    .describe("Saga: how what the step did is undone when the run fails later."),
  fallback: z
    .array(idText)
    .optional()
    .describe("Agents that try, one after another, after the last attempt."),
  receivesPreviousOutput: z
    .boolean()
    .optional()
    .describe("Pipeline: whether the stage is told the output before it. Default: true."),
});

/** A point that opens when agents have given a signal. */
export const barrierSchema = z.strictObject({
  id: idText.describe("Name of the barrier, for `dependsOn`."),
  waitFor: z
    .array(idText)
    .min(1)
    .describe("Agents whose signal is awaited, and steps that must be completed."),
  signal: z.string().optional().describe("The word they give. Default: DONE."),
  type: z.enum(BARRIER_TYPES).optional().describe("How many of them. Default: all."),
  timeout: durationText.optional().describe("When waiting fails."),
});

/** What a file says of one step. */
export type StepEntry = z.infer<typeof stepSchema>;
/** What a file says of the matrix of a step. */
export type MatrixEntry = z.infer<typeof matrixSchema>;
/** What a file says of one barrier. */
export type BarrierEntry = z.infer<typeof barrierSchema>;
