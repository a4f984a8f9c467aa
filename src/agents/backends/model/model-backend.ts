import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
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
}

/**
 * The backend whose agents are models: Troupe asks the model itself and carries out what it calls. `open` raises
 * BACKEND_SETTINGS_INVALID, BACKEND_MODEL_KEY_MISSING and BACKEND_SESSION_UNKNOWN; turns fail with BACKEND_* errors,
 * AGENT_CONTEXT_FULL and AGENT_BAD_TOOL_CALLS. The packages of providers are loaded by the first session.
 */
export function createModelBackend(
  { host, clock, settings = {} }: ModelDependencies,
  own: OwnSettings,
): AgentBackend {
  const sources: ModelSources = { own, settings };
  const keys = keysOf(settings);
  const passes = [...keys, "OLLAMA_HOST"];
  return {
    name: own.name,
    metering: "tokens",
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    toolCallTimeoutMs: Infinity,
    livesInSandbox: true,
    passes,
    account: ({ spec, env }) => accountOf(spec, { sources, env }),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const problems = await problemsOf(() => keyVariable(spec.id, modelOf(spec, sources), env));
      return [...problems, ...missingVariables(host, spec)];
    },
    open: async (request) => {
      const { spec, env } = request;
      const chosen = modelOf(spec, sources);
      const variable = keyVariable(spec.id, chosen, env);
      const { openModelSession } = await import("./model-session.ts");
      return openModelSession(request, {
        host,
        clock,
        chosen,
        baseUrl: addressOf(chosen, env),
        key: variable === undefined ? undefined : env[variable],
        secretVariables: keys,
      });
    },
  };
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

/** The model of an agent that says nothing which has no meaning here. */
function modelOf(spec: AgentSpec, sources: ModelSources): ChosenModel {
  const { command, args } = sources.own.settings ?? {};
  if (command !== undefined || args !== undefined || spec.settings?.["args"] !== undefined)
    throw settingsInvalid({
      agent: spec.id,
      problem: "a model has no program: `command` and `args` mean nothing here",
    });
  return chooseModel(spec, sources);
}

/** Who pays: a key that is missing is reported when the session opens. */
function accountOf(
  spec: AgentSpec,
  {
    sources,
    env,
  }: { readonly sources: ModelSources; readonly env: { readonly [name: string]: string } },
): string {
  const chosen = chooseModel(spec, sources);
  const variable = chosen.keys.find((name) => (env[name] ?? "") !== "");
  return accountName({
    kind: `model ${chosen.provider}`,
    baseUrl: addressOf(chosen, env),
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
