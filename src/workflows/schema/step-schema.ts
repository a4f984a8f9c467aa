import { z } from "zod";
import { BARRIER_TYPES } from "../../contracts/step.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { commandText, durationText, idText, passEnvNames, templateText } from "./text-schemas.ts";

/** Keys one of which says what a check of `verify` is. */
export const VERIFICATION_KINDS = [
  "command",
  "fileExists",
  "outputMatches",
  "jsonSchema",
  "gitChanged",
] as const;

/** For a JSON Schema: that exactly one of the keys is there. */
export function oneOfKeys(keys: readonly string[]): { readonly oneOf: object[] } {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

const verificationKeys = z.strictObject({
  command: commandText.optional().describe("A command that must end with `expectExit`."),
  expectExit: z.int().min(0).max(255).optional().describe("Exit code of `command`. Default: 0."),
  timeout: durationText.optional().describe("How long `command` may run."),
  fileExists: templateText
    .min(1)
    .optional()
    .describe("A file that must exist, relative to the agent's directory."),
  outputMatches: z
    .string()
    .min(1)
    .optional()
    .describe("A regular expression (RE2) that must be found in the output."),
  in: z
    .enum(["output", "text"])
    .optional()
    .describe(
      "Where `outputMatches` looks: in the output (default), or in the whole final text of the agent.",
    ),
  jsonSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A JSON Schema that the output must meet."),
  gitChanged: z
    .boolean()
    .optional()
    .describe("Whether the step must have changed the working tree, or must not have."),
  protect: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "Files that the step must not touch, such as test/**, instead of what `command` runs; they are put back.",
    ),
});

/** One check of `verify`; which of its kinds is meant is decided by the key that is there. */
export const verificationSchema = verificationKeys.meta(oneOfKeys(VERIFICATION_KINDS));

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
/** What a file says of one barrier. */
export type BarrierEntry = z.infer<typeof barrierSchema>;
/** What a file says of one check. */
export type VerificationEntry = z.infer<typeof verificationSchema>;
