import { z } from "zod";
import { SHADOW_TRIGGERS } from "../../contracts/shadow.ts";
import { agentMembers, anyScript } from "./agent-schema.ts";
import { idText, templateText } from "./text-schemas.ts";

const { backend, cli, model } = agentMembers;
const members = {
  backend,
  cli,
  model,
  permissionMode: agentMembers.permissionMode.describe(
    "What shadows may do without asking. Default: dont-ask.",
  ),
  task: templateText
    .min(1)
    .describe("What shadows are to look at, with variables: instructions before everything else."),
  of: z
    .array(idText)
    .min(1)
    .optional()
    .describe("Agents that get a shadow, which is called AGENT-Shadow. Default: all."),
  receiveIncoming: z
    .boolean()
    .optional()
    .describe("Whether a shadow gets copies of what its agent gets. Default: true."),
  receiveOutgoing: z
    .boolean()
    .optional()
    .describe("Whether a shadow gets copies of what its agent writes. Default: true."),
  speakOn: z
    .array(z.enum(SHADOW_TRIGGERS))
    .min(1)
    .optional()
    .describe("When a shadow gets a turn, in which it may speak. Default: ALL_MESSAGES."),
};

/** The shadows of a workflow as they are written. */
export const writtenShadow = z.strictObject({ ...members, script: anyScript.optional() });

/** What a file says of its shadows. */
export type ShadowEntry = z.infer<typeof writtenShadow>;

/** The schema of `options.shadow`; `script` says how the turns of scripted shadows look. */
export function shadowSchema(script: z.ZodType = anyScript): z.ZodType {
  const turns = script.optional().describe("For `backend: script`: the turns that each one plays.");
  return z
    .strictObject({ ...members, script: turns })
    .optional()
    .describe("Agents that watch others and comment on what they do.");
}
