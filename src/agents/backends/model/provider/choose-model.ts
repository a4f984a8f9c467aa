import type { AgentSpec } from "../../../../contracts/agent.ts";
import type { BackendSettings } from "../../parts/backend-settings.ts";
import { settingsInvalid } from "../../parts/errors.ts";
import {
  MODEL_PROVIDERS,
  type ModelSources,
  modelProblem,
  namedModel,
} from "../../parts/model-providers.ts";
import { modelKeyMissing } from "./errors.ts";

/** The model of an agent and where it is. */
export interface ChosenModel {
  /** As the configuration calls it. */
  readonly provider: string;
  /** As the provider calls it. */
  readonly id: string;
  readonly baseUrl: string;
  /** Variables of which the first that is set holds the key. Empty: it wants none. */
  readonly keys: readonly string[];
  readonly api: "chat" | "responses" | undefined;
  /** In tokens; undefined when nobody said. */
  readonly contextWindow: number | undefined;
}

/** The model that an agent names. Raises BACKEND_SETTINGS_INVALID. */
export function chooseModel(spec: AgentSpec, sources: ModelSources): ChosenModel {
  const { own, settings } = sources;
  const problem = modelProblem(spec.model, sources);
  if (problem !== undefined) throw settingsInvalid({ agent: spec.id, problem });
  const model = namedModel(spec.model, sources) ?? "";
  if (own.settings?.type === "model") {
    const prefix = `${own.name}/`;
    const id = model.startsWith(prefix) ? model.slice(prefix.length) : model;
    return chosen(own.name, id, own.settings);
  }
  const [provider = "", ...rest] = model.split("/");
  const said = Object.hasOwn(settings, provider) ? settings[provider] : undefined;
  return chosen(provider, rest.join("/"), said ?? {});
}

/** What the configuration says stands before what is known; a provider of one's own is known to nobody. */
function chosen(provider: string, id: string, settings: BackendSettings): ChosenModel {
  const facts =
    settings.type === "model" ? undefined : MODEL_PROVIDERS.find(({ name }) => name === provider);
  const { baseUrl = facts?.baseUrl ?? "", apiKeyEnv, api, contextWindow } = settings;
  const keys = apiKeyEnv === undefined ? (facts?.keys ?? []) : [apiKeyEnv];
  return { provider, id, baseUrl, keys, api, contextWindow };
}

/** The address of a model; OLLAMA_HOST says where ollama is, unless the configuration does. */
export function addressOf(
  { provider, baseUrl }: ChosenModel,
  env: { readonly [name: string]: string },
): string {
  const { OLLAMA_HOST: host = "" } = env;
  const isDefault = MODEL_PROVIDERS.some(
    (known) => known.name === provider && known.baseUrl === baseUrl,
  );
  if (provider !== "ollama" || !isDefault || host === "") return baseUrl;
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return baseUrl;
  // Ollama is told to listen everywhere by 0.0.0.0, where nobody can call.
  if (parsed.hostname === "0.0.0.0") parsed.hostname = "127.0.0.1";
  if (parsed.port === "" && !/:\d+/.test(host.replace(/^https?:\/\//, ""))) parsed.port = "11434";
  return `${parsed.origin}/v1`;
}

/** Name of the variable that holds the key; undefined where none is needed. Raises BACKEND_MODEL_KEY_MISSING. */
export function keyVariable(
  agent: string,
  { provider, id, keys }: ChosenModel,
  env: { readonly [name: string]: string },
): string | undefined {
  const found = keys.find((name) => (env[name] ?? "") !== "");
  if (found === undefined && keys.length > 0)
    throw modelKeyMissing({ agent, model: `${provider}/${id}`, provider, variables: keys });
  return found;
}
