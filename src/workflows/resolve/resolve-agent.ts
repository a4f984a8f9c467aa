import type { AgentConstraints, AgentSpec } from "../../contracts/agent.ts";
import type { LoopKey } from "../../contracts/backend.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";
import type { PatternFile } from "../schema/pattern-file-schema.ts";
import { noBackend } from "./errors.ts";
import type { LoadOptions } from "./load-options.ts";
import { type ChosenBackend, chooseBackend, modelFor } from "./resolve-backend.ts";
import { resolveAgentBudget } from "./resolve-budget.ts";
import { resolveAgentLimits } from "./resolve-limits.ts";
import { resolvePassedEnv } from "./resolve-passed-env.ts";
import { resolveAgentDirectory, resolveModule } from "./resolve-paths.ts";

/** The agents of a checked file, resolved. */
export function resolveAgents(
  file: Pick<PatternFile, "agents" | "backend" | "cli" | "passEnv">,
  options: LoadOptions,
): readonly AgentSpec[] {
  const { agents = [] } = file;
  const entries = Array.isArray(agents)
    ? agents.map(({ id, ...entry }) => ({ id, entry }))
    : Object.entries(agents).map(([id, entry]) => ({ id, entry }));
  const ids = entries.map(({ id }) => id);
  const fileBackend = file.backend ?? file.cli;
  return entries.map(({ id, entry }) => {
    const written = entry.backend ?? entry.cli;
    const wish = { id, backend: written, model: entry.model };
    const chosen = chooseBackend(wish, fileBackend, options);
    // The check of agents has reported this already; the type cannot know.
    if (chosen === undefined) throw noBackend({ agent: id });
    return toSpec({ id, chosen, entry, ids, passEnv: file.passEnv }, options);
  });
}

/** The id as it is defined, of an agent that may be written in other case. */
export function definedAgent(written: string, ids: readonly string[]): string {
  return ids.find((id) => id.toLowerCase() === written.toLowerCase()) ?? written;
}

interface ResolvedEntry {
  readonly id: string;
  readonly chosen: ChosenBackend;
  readonly entry: AgentEntry;
  readonly ids: readonly string[];
  /** What the file hands on to all of its agents. */
  readonly passEnv: readonly string[] | undefined;
}

function toSpec(
  { id, chosen, entry, ids, passEnv }: ResolvedEntry,
  options: LoadOptions,
): AgentSpec {
  const { backend } = chosen;
  const { name, role, task, session, env, onCrash, idleTimeout, reportsTo, cwd } = entry;
  const permissionMode = entry.permissionMode ?? options.agentDefaults?.permissionMode;
  const model = modelOf(entry.model, chosen, options);
  const settings = settingsOf(entry, backend, options);
  const written = entry.backend ?? entry.cli ?? backend;
  // What stands in for someone whose turns are done when they end, without a signal, owes none either.
  const isStandIn = backend !== written && options.traitsOf(written)?.worker !== undefined;
  return {
    id,
    backend,
    ...present({ name, role, task, model, session, env, permissionMode, onCrash }),
    ...present({ spawns: entry.spawns, nativeAgents: entry.nativeAgents }),
    ...resolveTools(entry, backend, options),
    ...present({ channels: entry.channels?.map((name) => name.replace(/^#/, "")) }),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: parseDuration(idleTimeout) }),
    ...(reportsTo === undefined ? {} : { reportsTo: definedAgent(reportsTo, ids) }),
    ...(cwd === undefined ? {} : { cwd: resolveAgentDirectory(cwd, options) }),
    ...(isStandIn ? { demandsSignal: false } : {}),
    ...resolvePassedEnv(env, [passEnv, entry.passEnv]),
    ...resolvePlace(entry),
    ...resolveAgentLimits(entry.limits),
    ...resolveAgentBudget(entry),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** The model that is written, else that of agents of the backend, else the one for agents that leave both open. */
export function modelOf(
  written: string | undefined,
  { backend, origin }: ChosenBackend,
  { agentDefaults, traitsOf }: LoadOptions,
): string | undefined {
  const traits = traitsOf(backend);
  const general = origin === "default" ? agentDefaults?.model : undefined;
  const configured = traits?.isFixed ? undefined : (agentDefaults?.models?.[backend] ?? general);
  const model = written ?? configured;
  return model === undefined ? undefined : modelFor(model, traits?.providers ?? []);
}

type LoopWishes = {
  readonly [key in "tools" | "disallowedTools" | LoopKey]?: AgentSpec[key] | undefined;
};

/** Which tools it has and how far its loop goes: an override leaves what its backend does not take behind. */
export function resolveTools(
  wishes: LoopWishes,
  backend: string,
  { traitsOf }: LoadOptions,
): Pick<AgentSpec, "tools" | "disallowedTools" | LoopKey> {
  const { takes = [] } = traitsOf(backend) ?? {};
  const { tools, disallowedTools, ...loop } = wishes;
  const taken = <Key extends LoopKey>(key: Key) => (takes.includes(key) ? loop[key] : undefined);
  return present({
    tools,
    disallowedTools,
    maxTurns: taken("maxTurns"),
    effort: taken("effort"),
    maxOutputTokens: taken("maxOutputTokens"),
    autoApprovePlanMode: taken("autoApprovePlanMode"),
    mcpServers: taken("mcpServers"),
  });
}

/** Settings of the backend that the agent really has: an override leaves those of another behind. */
function settingsOf(
  entry: AgentEntry,
  backend: string,
  options: LoadOptions,
): { readonly [key: string]: Json } {
  const { command, script, module, args, systemPrompt } = entry;
  const { takes = [] } = options.traitsOf(backend) ?? {};
  const settings = toJson(
    {
      ...(takes.includes("command") ? { command } : {}),
      ...(takes.includes("script") ? { script } : {}),
      ...(takes.includes("module") ? { module: moduleText(module, options) } : {}),
      args,
      systemPrompt,
    },
    "the settings of an agent",
  );
  return isJsonObject(settings) ? settings : {};
}

/** The module of a function agent, absolute. */
export function moduleText(module: string | undefined, options: LoadOptions): string | undefined {
  const resolved = module === undefined ? undefined : resolveModule(module, options);
  return resolved === undefined ? undefined : `${resolved.path}#${resolved.name}`;
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}

/** What keeps the work of an agent apart, and what it may do there; tokens and time are its budget. */
export function resolvePlace({
  isolation,
  constraints = {},
}: Pick<AgentEntry, "isolation" | "constraints">): Pick<AgentSpec, "isolation" | "constraints"> {
  const { fileScope = {}, readOnly, network } = constraints;
  const { include, exclude } = fileScope;
  const scope = {
    ...(include === undefined ? {} : { include }),
    ...(exclude === undefined ? {} : { exclude }),
  };
  const bounds: AgentConstraints = {
    ...(Object.keys(scope).length === 0 ? {} : { fileScope: scope }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(network === undefined ? {} : { network }),
  };
  return {
    ...(isolation === undefined || isolation === "none" ? {} : { isolation }),
    ...(Object.keys(bounds).length === 0 ? {} : { constraints: bounds }),
  };
}
