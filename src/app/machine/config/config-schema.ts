import { z } from "zod";
import { isDuration, parseDuration } from "../../../foundation/duration.ts";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import { parseRule } from "../../../host/egress/egress-target.ts";
import { agentLimitsSchema } from "../../../workflows/schema/agent-limits-schema.ts";
import { permissionModeSchema } from "../../../workflows/schema/agent-schema.ts";
import type { ConfigSettings } from "./config-settings.ts";

const text = z.string().min(1);
const name = z.string().regex(ID_PATTERN);
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "it is no name of an environment variable");
const url = z
  .string()
  .refine(isHttpUrl, "write a URL that begins with http:// or https://")
  .meta({ format: "uri" });
const duration = z
  .string()
  .refine(isLasting, "write a number and a unit: 30s, 10m, 2h")
  .meta({ pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" });
const wait = duration.refine(isSecond, "write at least 1s");
const place = z
  .string()
  .regex(/^(?:~$|~\/|\/)/, "write an absolute path, or one that begins with ~/")
  .meta({ examples: ["~/.cargo/registry"] });
const reached = z
  .string()
  .refine(
    (given) => parseRule(given) !== undefined,
    "write a host, *.host or address, with :PORT if it is not 443",
  );
const places = z.int().min(1).max(10_000);
const amount = z.number().positive();
const price = z.number().min(0);

const defaults = z.strictObject({
  backend: text.exactOptional().describe("Backend of agents that name none."),
  model: text.exactOptional().describe("Model of agents that name neither a backend nor a model."),
  permissionMode: permissionModeSchema
    .exactOptional()
    .describe("What agents may do without asking. Default: ask."),
  maxConcurrency: places.exactOptional().describe("Steps at the same time. Default: all."),
  timeout: duration.exactOptional().describe("Running time of a whole run. Default: 10m."),
});

const backend = z.strictObject({
  type: z.enum(["acp", "model"]).exactOptional().describe("What a backend of your own is."),
  command: z
    .union([text, z.array(text).min(1)])
    .exactOptional()
    .describe("Its program: a name on PATH, a path, or a list with arguments."),
  args: z.array(z.string()).exactOptional().describe("Further arguments of its program."),
  env: z
    .record(variable, z.string())
    .exactOptional()
    .describe("Environment variables of its agents."),
  model: text.exactOptional().describe("Model of its agents that name none."),
  baseUrl: url.exactOptional().describe("Where its model is reached."),
  apiKeyEnv: variable.exactOptional().describe("Environment variable that holds its key."),
  api: z
    .enum(["chat", "responses"])
    .exactOptional()
    .describe("How a server of models that speaks OpenAI's protocol is asked."),
  contextWindow: z
    .int()
    .min(1000)
    .exactOptional()
    .describe("How much its models take at once, in tokens. Default: 128000."),
});

const role = z.strictObject({
  backend: text.exactOptional().describe("Default: that of whoever spawns it."),
  model: text.exactOptional().describe("Default: that of whoever spawns it, on the same backend."),
  instructions: z.string().exactOptional().describe("Instructions before everything else."),
  permissionMode: permissionModeSchema
    .exactOptional()
    .describe("What it may do without asking; never more than whoever spawns it."),
  tools: z
    .array(text)
    .exactOptional()
    .describe("Tools that it may use; never more than whoever spawns it. Default: the same."),
  isolation: z
    .enum(["worktree", "sandbox"])
    .exactOptional()
    .describe("What keeps its work apart. Default: what `spawn_agent` says."),
});

const prices = z.strictObject({
  inputPerMTok: price.describe("USD per million tokens."),
  outputPerMTok: price.describe("USD per million tokens."),
  cachedPerMTok: price.exactOptional().describe("USD per million tokens."),
  asOf: z.iso.date().exactOptional().describe("The day on which this was so."),
});

const budget = z.strictObject({
  cost: amount.exactOptional().describe("USD."),
  tokens: z.int().positive().exactOptional(),
  turns: z.int().positive().exactOptional(),
  messages: z.int().positive().exactOptional(),
  agents: z.int().positive().exactOptional(),
  handoffs: z.int().positive().exactOptional(),
  wallClock: duration.exactOptional().describe("Running time."),
  soft: z
    .number()
    .gt(0)
    .max(1)
    .exactOptional()
    .describe("Share at which a warning is given. Default: 0.8."),
  perDay: amount
    .exactOptional()
    .describe(
      "USD of all runs of a day, from midnight to midnight here. In the user's own file it counts the runs of all known projects, in that of a project those of the project.",
    ),
});

const rules = z.array(text);

/** A configuration file as it is written. */
export const configSchema: z.ZodType<ConfigSettings> = z.strictObject({
  $schema: z.string().exactOptional().describe("For editors."),
  version: z.literal(1).exactOptional().describe("Version of this format. Default: 1."),
  defaults: defaults.exactOptional().describe("What agents and runs get that do not say."),
  backends: z.record(name, backend).exactOptional().describe("Settings per backend."),
  roles: z
    .record(name, role)
    .exactOptional()
    .describe(
      "What agents are that others spawn in a role: `worker`, `default`, or one of your own; `orchestrator` is who leads `troupe collab`.",
    ),
  permissions: z
    .strictObject({
      allow: rules.exactOptional().describe("Allowed without asking: `Read`, `Bash(npm test*)`."),
      deny: rules.exactOptional().describe("Never allowed; beats `allow` and every mode."),
      timeout: duration
        .exactOptional()
        .describe("How long a request waits for a person. Default: until somebody decides."),
      onTimeout: z
        .enum(["deny", "allow"])
        .exactOptional()
        .describe("What a request that nobody decided in time comes to. Default: deny."),
    })
    .exactOptional()
    .describe("What happens to that for which agents ask permission."),
  env: z
    .strictObject({
      allow: z.array(variable).exactOptional().describe("Variables that agents may see too."),
    })
    .exactOptional()
    .describe("What agents see of the environment."),
  sandbox: z
    .strictObject({
      read: z.array(place).exactOptional().describe("Paths that confined agents see too."),
      write: z.array(place).exactOptional().describe("Paths that confined agents may write too."),
      network: z
        .array(reached)
        .exactOptional()
        .describe("Hosts and addresses that they reach beside their model: `host`, `*.host:8443`."),
    })
    .exactOptional()
    .describe("What `isolation: sandbox` lets in beyond the project, PATH and the system."),
  secrets: z
    .array(variable)
    .exactOptional()
    .describe("Environment variables whose values are masked everywhere."),
  limits: z
    .strictObject({
      maxAgents: places.exactOptional().describe("Live agents of a run."),
      maxDepth: z
        .int()
        .min(0)
        .max(100)
        .exactOptional()
        .describe("Levels of agents that agents have spawned. Default: 1."),
      failures: places
        .exactOptional()
        .describe(
          "Turns of one agent or with one task that may fail in a row, where no file bounds how often; then the run stops, resumable. Default: 5.",
        ),
      hostConcurrency: places
        .exactOptional()
        .describe("Turns at the same time of all runs of this user on this machine."),
      accountConcurrency: places
        .exactOptional()
        .describe("Turns at the same time of all runs of this user on one account of a provider."),
      agent: agentLimitsSchema
        .exactOptional()
        .describe(
          "What the programs of an agent may take of this machine; beyond it they are ended.",
        ),
    })
    .exactOptional()
    .describe("Bounds on what runs take of this machine."),
  collab: z
    .strictObject({
      defaultWaitTimeout: wait
        .exactOptional()
        .describe("How long `wait` waits when its caller does not say. Default: 5m."),
      maxWaitTimeout: wait
        .exactOptional()
        .describe(
          "How long it waits at most; less where its caller's program gives up sooner. Default: 1h.",
        ),
    })
    .exactOptional()
    .describe("Agents that spawn agents."),
  budget: budget.exactOptional().describe("What a run may use up."),
  prices: z.record(text, prices).exactOptional().describe("What models cost, by vendor/model."),
  workflows: z
    .strictObject({
      enabled: z
        .boolean()
        .exactOptional()
        .describe("Whether workflows are found by their id. Default: true."),
      dir: text
        .exactOptional()
        .describe("Where they are, relative to this file. Default: .troupe/workflows."),
      visibleTo: z
        .record(name, z.array(text))
        .exactOptional()
        .describe("By id, the workflows that may use it. Default: all."),
      disabled: z.array(name).exactOptional().describe("Ids that nobody may use."),
    })
    .exactOptional()
    .describe("Workflows that others find by their id."),
  plugins: z
    .array(text)
    .exactOptional()
    .describe("Modules with step types and guards of your own, relative to this file."),
  notify: z
    .boolean()
    .exactOptional()
    .describe("Whether the terminal rings when a run needs you. Default: false."),
  engine: z
    .union([z.literal("embedded"), z.strictObject({ restate: url })])
    .exactOptional()
    .describe("Only `embedded` in this version."),
});

function isHttpUrl(given: string): boolean {
  return URL.canParse(given) && /^https?:\/\//i.test(given);
}

/** What is no duration is told elsewhere. */
function isSecond(given: string): boolean {
  return !isLasting(given) || parseDuration(given) >= 1000;
}

function isLasting(given: string): boolean {
  return isDuration(given) && parseDuration(given) > 0;
}
