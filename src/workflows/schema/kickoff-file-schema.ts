import { z } from "zod";
import { isRecord } from "../../foundation/json.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { agentMembers, anyScript } from "./agent-schema.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { shadowSchema, writtenShadow } from "./shadow-schema.ts";
import { durationText, idText, paramSchema, passEnvNames, templateText } from "./text-schemas.ts";
import { trajectoryEntrySchema } from "./trajectory-schema.ts";

const MAX_SETUP = 100;

const {
  model,
  backend,
  command,
  module,
  env,
  passEnv,
  cwd,
  isolation,
  limits,
  permissionMode,
  onCrash,
  idleTimeout,
  tools,
  disallowedTools,
  maxTurns,
  effort,
  maxOutputTokens,
  autoApprovePlanMode,
  mcpServers,
  spawns,
  nativeAgents,
} = agentMembers;
const members = {
  model,
  backend,
  command,
  module,
  system_prompt: templateText
    .optional()
    .describe(
      "Instructions before everything else; one line that ends in .md or .txt names a file, relative to this one.",
    ),
  tools,
  disallowedTools,
  maxTurns,
  effort,
  maxOutputTokens,
  autoApprovePlanMode,
  mcpServers,
  env,
  passEnv,
  cwd,
  isolation,
  limits,
  permissionMode,
  onCrash,
  idleTimeout,
  spawns,
  nativeAgents,
};
const writtenAgent = z.strictObject({ ...members, script: anyScript.optional() });

const fileName = templateText.min(1).optional();
const channel = z.strictObject({
  file: fileName.describe("Name of its file. Default: channel.md."),
});
const document = z.strictObject({
  file: fileName.describe("Name of its file. Default: notes.md."),
});
const contextParts = z.strictObject({
  dir: templateText
    .min(1)
    .optional()
    .describe(
      "Directory of the files, relative to this one. Default: .troupe/context/WORKFLOW/INSTANCE in the project.",
    ),
  channel: channel.nullable().optional().describe("What agents say to each other."),
  document: document.nullable().optional().describe("A text that all of them edit."),
});

const setup = z.strictObject({
  shell: z
    .string()
    .min(1)
    .describe(
      "A text for the shell, run in the directory of this file. Values arrive as variables.",
    ),
  as: idText.optional().describe("Variable that gets the output, trimmed."),
  timeout: durationText.optional().describe("How long it may run. Default: 5m."),
});

/** What ends a conversation that does not end by itself. */
export const boundsSchema = z.strictObject({
  turnsPerAgent: z
    .int()
    .min(1)
    .optional()
    .describe("Turns of one agent. Default: 50, none for `troupe start`."),
  messages: z
    .int()
    .min(1)
    .optional()
    .describe("Messages in all. Default: 500, none for `troupe start`."),
  pingPong: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Changes of voice between the same two agents without a third one or a changed file. Default: 6, none for `troupe start`.",
    ),
});

const OPTIONS_TEXT = "Settings of the run.";

const options = z.strictObject({
  timeout: durationText
    .optional()
    .describe("Running time of the whole run. Default: 10m, none for `troupe start`."),
  quiet: durationText
    .optional()
    .describe("How long nobody must have anything to do before the run is over. Default: 1s."),
  channel: templateText.min(1).optional().describe("Name of the main channel. Default: main."),
  bounds: boundsSchema.optional().describe("What ends a run that does not end by itself."),
  shadow: writtenShadow.optional(),
});

const fileMembers = {
  $schema: z.string().optional().describe("For editors."),
  name: idText.optional().describe("Name of the workflow. Default: that of the file."),
  description: z.string().optional().describe("For people."),
  tags: z.array(z.string()).optional().describe("For people."),
  params: z
    .record(idText, paramSchema)
    .optional()
    .describe("Typed inputs, given by -i NAME=VALUE and used as ${{ params.NAME }}."),
  context: z
    .union([contextParts, z.null(), z.literal(false)])
    .optional()
    .describe(
      "What the agents share: empty for a channel and a document, left out or false for nothing.",
    ),
  setup: z
    .array(setup)
    .max(MAX_SETUP)
    .optional()
    .describe("Commands before the kickoff, in order."),
  passEnv: passEnvNames
    .optional()
    .describe("Variables of your environment that its agents get, by name."),
  kickoff: templateText
    .optional()
    .describe("The first message; whom it mentions with @NAME begins. Without it agents wait."),
  options: options.optional().describe(OPTIONS_TEXT),
  budget: budgetEntrySchema
    .optional()
    .describe("What the run may consume; then it stops and can be resumed with more."),
  trajectory: trajectoryEntrySchema
    .optional()
    .describe("The story that every run leaves in a file when it ends."),
};

const writtenFile = z.object({ ...fileMembers, agents: z.record(idText, writtenAgent) });

/** A kickoff workflow as it is written. */
export type KickoffFile = z.infer<typeof writtenFile>;
/** What a kickoff workflow says of one agent. */
export type KickoffAgentEntry = z.infer<typeof writtenAgent>;

/** The schema of kickoff workflows; `scriptSchema` says how the `script` of an agent looks. */
export function kickoffFileSchema({
  scriptSchema = anyScript,
}: {
  readonly scriptSchema?: z.ZodType | undefined;
}): z.ZodType {
  const script = scriptSchema.optional().describe("For `backend: script`: the turns to play.");
  const agents = z
    .record(idText, z.strictObject({ ...members, script }))
    .refine((given) => isRecord(given) && Object.keys(given).length > 0, "it names nobody")
    .describe("Who takes part, by id.");
  const shadow = shadowSchema(scriptSchema);
  const settings = options.extend({ shadow }).optional().describe(OPTIONS_TEXT);
  return z.strictObject({ ...fileMembers, agents, options: settings });
}

/** The typed content of a file that has passed kickoffFileSchema. */
export function readKickoffFile(value: unknown): KickoffFile {
  return writtenFile.parse(value, PARSE_ONCE);
}
