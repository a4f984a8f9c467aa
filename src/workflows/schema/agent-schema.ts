import { z } from "zod";
import {
  AGENT_ROLES,
  EFFORTS,
  PERMISSION_MODES,
  type PermissionMode,
} from "../../contracts/agent.ts";
import { agentLimitsSchema } from "./agent-limits-schema.ts";
import { budgetEntrySchema } from "./budget-schema.ts";
import { commandText, durationText, idText, passEnvNames, templateText } from "./text-schemas.ts";

// What Claude Code calls the same, where that is another word.
const CLAUDE_WORDS = ["default", "acceptEdits", "dontAsk", "bypassPermissions"] as const;

/** A permission mode in any of its words (AGT-10). */
export const permissionModeSchema: z.ZodType<PermissionMode> = z
  .enum([...PERMISSION_MODES, ...CLAUDE_WORDS])
  .transform(toPermissionMode);

function toPermissionMode(word: PermissionMode | (typeof CLAUDE_WORDS)[number]): PermissionMode {
  switch (word) {
    case "default":
      return "ask";
    case "acceptEdits":
      return "accept-edits";
    case "dontAsk":
      return "dont-ask";
    case "bypassPermissions":
      return "bypass";
    default:
      return word;
  }
}

const constraints = z.strictObject({
  fileScope: z
    .strictObject({
      include: z.array(z.string()).optional(),
      exclude: z.array(z.string()).optional(),
    })
    .optional()
    .describe("Files that the agent may change: patterns that count from its cwd."),
  readOnly: z
    .array(z.string())
    .optional()
    .describe("Files that stay as they are: patterns that count from the agent's cwd."),
  maxTokens: z.int().positive().optional().describe("The same as `budget.tokens`."),
  maxDuration: durationText.optional().describe("The same as `budget.wallClock`."),
  network: z
    .boolean()
    .optional()
    .describe(
      "Whether its processes reach the network. `false` needs `isolation: sandbox` and a backend without a model. Default in a sandbox: only if its backend has a model.",
    ),
});

const toolNames = z.array(z.string().min(1));
const channelText = z
  .string()
  .regex(
    /^#?[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    "is no name of a channel: a letter, then letters, digits, _ and -",
  );

const mcpServersSchema = z.record(
  z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9-]{0,31}$/,
      "is no name of a server: a letter, then letters, digits and -",
    ),
  z.union([
    z.strictObject({
      url: z.string().regex(/^https?:\/\//, "is no address: http:// or https://"),
      headers: z.record(z.string(), z.string()).exactOptional(),
    }),
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).exactOptional(),
      env: z.record(z.string(), z.string()).exactOptional(),
    }),
  ]),
);

/** What a file may say of any agent. */
export const agentMembers = {
  name: templateText.min(1).max(80).optional().describe("Label for people. Default: the id."),
  role: z.enum(AGENT_ROLES).optional().describe("What the agent is in its pattern."),
  backend: z
    .string()
    .optional()
    .describe(
      "How the agent runs: claude, codex, gemini, opencode, cursor, aider, goose, acp, model, command, function, human or script.",
    ),
  cli: z.string().optional().describe("Another name for `backend`."),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("Model; `provider/name` without a backend chooses the backend `model`."),
  session: z
    .enum(["fresh", "keep"])
    .optional()
    .describe(
      "`fresh`: every step starts anew. `keep`: one session for all steps. Default: fresh.",
    ),
  task: templateText
    .min(1)
    .optional()
    .describe("Its part where there are no steps. Default: the task of the run."),
  reportsTo: idText.optional().describe("Id of the agent that this one reports to."),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe("Directory where the agent works, inside the project."),
  env: z
    .record(z.string(), templateText)
    .optional()
    .describe("Environment variables of the agent."),
  passEnv: passEnvNames
    .optional()
    .describe("Variables of your environment that its programs get, by name."),
  permissionMode: permissionModeSchema.optional().describe("What the agent may do without asking."),
  onCrash: z
    .enum(["resume", "restart", "fail"])
    .optional()
    .describe("What happens to its turn when its session dies. Default: resume."),
  idleTimeout: durationText
    .optional()
    .describe(
      "How long it may show no sign of life before something is done. Default: 10m if it asks a model, else none.",
    ),
  command: commandText
    .optional()
    .describe(
      "For `backend: command`: a text for the shell, or a list that no shell sees. For `backend: acp`: its program, or a list with arguments.",
    ),
  module: z
    .string()
    .min(1)
    .optional()
    .describe("For `backend: function`: `./file.ts#export`, relative to this file."),
  args: z.array(templateText).optional().describe("Further arguments of the agent's program."),
  systemPrompt: templateText.optional().describe("Instructions before everything else."),
  isolation: z
    .enum(["none", "worktree", "sandbox"])
    .optional()
    .describe(
      "`worktree`: a git worktree on a branch of its own; `troupe merge` brings them together. `sandbox`: its processes write in its cwd only and see no secrets. Default: none.",
    ),
  constraints: constraints.optional().describe("Bounds of what the agent may do."),
  limits: agentLimitsSchema
    .optional()
    .describe(
      "What each of its programs may take of this machine; beyond it they are ended; no more than the user's own configuration says. Default: `limits.agent` of the configuration.",
    ),
  budget: budgetEntrySchema.optional().describe("What all its turns may consume; then they fail."),
  tools: toolNames
    .optional()
    .describe("Names of the tools that the agent may use. Default: all that it has."),
  disallowedTools: toolNames
    .optional()
    .describe("Names of tools that it may not use whatever `tools` says; `*` stands for any text."),
  maxTurns: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("For `backend: model`: most answers of its model in one turn. Default: 100."),
  effort: z
    .enum(EFFORTS)
    .optional()
    .describe(
      "For `backend: model`: how much its model may think. Default: what its provider says.",
    ),
  maxOutputTokens: z
    .int()
    .min(1)
    .optional()
    .describe("For `backend: model`: most tokens of one answer. Default: what its provider says."),
  mcpServers: mcpServersSchema
    .optional()
    .describe(
      "For `backend: model`: servers of MCP by name, whose tools are mcp__NAME__TOOL. ${VAR} in env and headers is a variable of your environment.",
    ),
  autoApprovePlanMode: z
    .boolean()
    .optional()
    .describe("For `backend: model`: whether its plans need nobody's approval. Default: false."),
  spawns: z
    .boolean()
    .optional()
    .describe("Whether it may spawn agents of its own and deal with them. Default: false."),
  nativeAgents: z
    .literal("allow")
    .optional()
    .describe(
      "`allow`: the own agents and tasks of its program stay switched on although it may spawn Troupe's.",
    ),
  channels: z
    .array(channelText)
    .min(1)
    .optional()
    .describe(
      "Channels that it is told of: what it posts to nobody goes to the first, and it reads no other. Default: the main one.",
    ),
};

// How turns look is known to the backend that plays them: the schema is passed in.
/** How a script looks where nobody knows more. */
export const anyScript = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]);
const id = idText.describe("Name of the agent in this file.");
const keyedAgent = z.strictObject({ ...agentMembers, script: anyScript.optional() });

/** The agents of a file as they are written: a list with ids, or a map whose keys are the ids. */
export const writtenAgentsSchema = z.union([
  z.array(keyedAgent.extend({ id })).min(1),
  z.record(idText, keyedAgent),
]);

/** What a file says of one agent. */
export type AgentEntry = z.infer<typeof keyedAgent>;

/** The schema of agents whose scripts are checked by a schema of their own. */
export function agentsSchema(script: z.ZodType = anyScript): z.ZodType {
  const description = "For `backend: script`: the turns to play.";
  const agent = z.strictObject({
    ...agentMembers,
    script: script.optional().describe(description),
  });
  const listed = z.strictObject({ id, ...agent.shape });
  return z
    .union([z.array(listed).min(1), z.record(idText, agent).refine(hasMember, "it names nobody")])
    .describe("Who takes part: a list with ids, or a map whose keys are the ids.");
}

function hasMember(agents: object): boolean {
  return Object.keys(agents).length > 0;
}
