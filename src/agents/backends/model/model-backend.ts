import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
import type { OwnModel } from "../../../contracts/own-model.ts";
import type { ServerPins } from "../../../contracts/ports/server-pins.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { accountName } from "../parts/account-name.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import type { BackendSettings, OwnSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";
import { MODEL_PROVIDERS, type ModelSources } from "../parts/model-providers.ts";
import { problemsOf } from "../parts/program-backend.ts";
import { variablesIn } from "./mcp/fill-variables.ts";
import { addressOf, type ChosenModel, chooseModel, keyVariable } from "./provider/choose-model.ts";

/** What the backend is made of. */
export interface ModelDependencies {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings?: { readonly [backend: string]: BackendSettings } | undefined;
  /** Model and tools of whoever embeds Troupe. Absent: the providers' and Troupe's alone. */
  readonly ownModel?: OwnModel;
  /** What the project knows of the tools of MCP servers. Absent: nothing that outlives a session. */
  readonly pins?: ServerPins | undefined;
}

/**
 * The backend whose agents are models: Troupe asks the model itself and carries out what it calls. `open` raises
 * BACKEND_SETTINGS_INVALID, BACKEND_MODEL_KEY_MISSING and BACKEND_SESSION_UNKNOWN; turns fail with BACKEND_* errors,
 * AGENT_CONTEXT_FULL and AGENT_BAD_TOOL_CALLS. The packages of providers are loaded by the first session.
 */
export function createModelBackend(
  { host, clock, settings = {}, ownModel, pins }: ModelDependencies,
  own: OwnSettings,
): AgentBackend {
  const sources: AllSources = { own, settings, ownModel };
  const keys = keysOf(settings);
  const { conventions = "text" } = ownModel ?? {};
  const passes = [...keys, ...MODEL_PROVIDERS.map(({ address }) => address.variable)];
  return {
    name: own.name,
    metering: "tokens",
    conventions,
    demandsSignal: conventions === "text",
    takesMessages: true,
    canCompact: true,
    toolCallTimeoutMs: Infinity,
    livesInSandbox: true,
    changesFiles: true,
    passes,
    account: ({ spec, env }) => accountOf(spec, { sources, env }),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const problems = await problemsOf(async () => {
        const chosen = modelOf(spec, sources);
        keyVariable(spec.id, chosen, env);
        addressOf(chosen, declared(spec, own), env);
        await assertOwn(spec, ownModel);
      });
      return [...problems, ...missingVariables(host, spec)];
    },
    open: async (request) => {
      const { spec, env } = request;
      const chosen = modelOf(spec, sources);
      const variable = keyVariable(spec.id, chosen, env);
      const [{ openModelSession }, { openModel }] = await Promise.all([
        import("./model-session.ts"),
        import("./provider/open-model.ts"),
      ]);
      return openModelSession(request, {
        ...{ host, clock, chosen, secretVariables: keys, pins },
        model: await modelFor(spec, ownModel, () => {
          const key = variable === undefined ? undefined : env[variable];
          return openModel(chosen, { baseUrl: addressOf(chosen, declared(spec, own), env), key });
        }),
        ownTools: ownModel?.tools ?? [],
      });
    },
  };
}

/** The agent without what the configuration gives to all of its backend: the user has chosen that. */
function declared(spec: AgentSpec, { settings }: OwnSettings): AgentSpec {
  const { env: configured = {} } = settings ?? {};
  const env = Object.entries(spec.env ?? {}).filter(([name, value]) => configured[name] !== value);
  return { ...spec, env: Object.fromEntries(env) };
}

/** What headers and environments of servers take and nobody has set. */
function missingVariables(host: ProcessHost, spec: AgentSpec): readonly BackendProblem[] {
  return Object.entries(spec.mcpServers ?? {}).flatMap(([name, server]) => {
    const texts = Object.values(("url" in server ? server.headers : server.env) ?? {});
    const missing = variablesIn(texts).filter((variable) => (host.variable(variable) ?? "") === "");
    return missing.map((variable) => ({
      message: `agent "${spec.id}": its server ${name} needs ${variable}, which is not set`,
      hint: `export ${variable}=…`,
    }));
  });
}

/** Where models come from, one's own among them. */
interface AllSources extends ModelSources {
  readonly ownModel: OwnModel | undefined;
}

/** Somebody's own model, else that of a provider. */
async function modelFor(
  spec: AgentSpec,
  ownModel: OwnModel | undefined,
  ofProvider: () => Promise<LanguageModelV4>,
): Promise<LanguageModelV4> {
  if (ownModel?.model === undefined) return ofProvider();
  const { ownModelOf } = await import("./provider/own-model.ts");
  return ownModelOf(ownModel.model, spec);
}

/** Raises BACKEND_SETTINGS_INVALID for models and tools that are none. */
async function assertOwn(spec: AgentSpec, ownModel: OwnModel | undefined): Promise<void> {
  if (ownModel === undefined) return;
  if (ownModel.model !== undefined) {
    const { ownModelOf } = await import("./provider/own-model.ts");
    ownModelOf(ownModel.model, spec);
  }
  const [{ modelTools }, { ownToolProblem }] = await Promise.all([
    import("./tools/registry.ts"),
    import("./tools/own-tools.ts"),
  ]);
  const names = modelTools.map(({ name }) => name);
  const problem = ownToolProblem(ownModel.tools ?? [], names);
  if (problem !== undefined) throw settingsInvalid({ agent: spec.id, problem });
}

/** The model of an agent that says nothing which has no meaning here. */
function modelOf(spec: AgentSpec, { ownModel, ...sources }: AllSources): ChosenModel {
  const { command, args } = sources.own.settings ?? {};
  if (command !== undefined || args !== undefined || spec.settings?.["args"] !== undefined)
    throw settingsInvalid({
      agent: spec.id,
      problem: "a model has no program: `command` and `args` mean nothing here",
    });
  const chosen = ownChoice(spec, ownModel) ?? chooseModel(spec, sources);
  const contextWindow = ownModel?.contextWindow ?? chosen.contextWindow;
  return { ...chosen, contextWindow };
}

/** Somebody's own model is where they say, and its key is theirs. */
function ownChoice({ model }: AgentSpec, ownModel: OwnModel | undefined): ChosenModel | undefined {
  if (ownModel?.model === undefined) return undefined;
  const { name: provider, model: given, contextWindow } = ownModel;
  const id = model ?? (typeof given === "function" ? "default" : given.modelId);
  return { provider, id, baseUrl: "", address: undefined, keys: [], api: undefined, contextWindow };
}

/** Who pays: a key that is missing is reported when the session opens. */
function accountOf(
  spec: AgentSpec,
  {
    sources,
    env,
  }: { readonly sources: AllSources; readonly env: { readonly [name: string]: string } },
): string {
  const chosen = modelOf(spec, sources);
  const variable = chosen.keys.find((name) => (env[name] ?? "") !== "");
  return accountName({
    kind: `model ${chosen.provider}`,
    baseUrl: addressOf(chosen, declared(spec, sources.own), env),
    signIn: variable === undefined ? { by: "nothing" } : { by: "key", variable },
    env,
  });
}

/** All variables that may hold a key of a model. */
function keysOf(settings: { readonly [backend: string]: BackendSettings }): readonly string[] {
  const usual = MODEL_PROVIDERS.flatMap(({ keys }) => keys);
  const named = Object.entries(settings).flatMap(([name, { type, apiKeyEnv }]) => {
    const isOfModel = type === "model" || MODEL_PROVIDERS.some((known) => known.name === name);
    return isOfModel && apiKeyEnv !== undefined ? [apiKeyEnv] : [];
  });
  return [...new Set([...usual, ...named])];
}
