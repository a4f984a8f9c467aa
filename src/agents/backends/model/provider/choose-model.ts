import type { AgentSpec } from "../../../../contracts/agent.ts";
import { didYouMean } from "../../../../foundation/near-names.ts";
import type { BackendSettings, OwnSettings } from "../../parts/backend-settings.ts";
import { settingsInvalid } from "../../parts/errors.ts";
import { MODEL_PROVIDERS } from "../../parts/model-providers.ts";
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

/** Where models are looked for. */
export interface ModelSources {
  readonly own: OwnSettings;
  /** What the configuration says, by backend and provider. */
  readonly settings: { readonly [backend: string]: BackendSettings };
}

/** The model that an agent names. Raises BACKEND_SETTINGS_INVALID. */
export function chooseModel(spec: AgentSpec, { own, settings }: ModelSources): ChosenModel {
  const isOwn = own.settings?.type === "model";
  const model = spec.model ?? own.settings?.model;
  const invalid = (problem: string) => settingsInvalid({ agent: spec.id, problem });
  if (model === undefined)
    throw invalid(
      isOwn ? "it names no model: `model: name`" : "it names no model: `model: provider/name`",
    );
  if (isOwn) {
    const prefix = `${own.name}/`;
    const id = model.startsWith(prefix) ? model.slice(prefix.length) : model;
    return configured(own.name, id, { settings: own.settings ?? {}, invalid });
  }
  const [provider = "", ...rest] = model.split("/");
  const id = rest.join("/");
  if (provider === "" || id === "")
    throw invalid(
      `its model is "${model}"; write \`provider/name\`, such as anthropic/claude-sonnet-4-5`,
    );
  const said = Object.hasOwn(settings, provider) ? settings[provider] : undefined;
  if (said?.type === "model") return configured(provider, id, { settings: said, invalid });
  return known(provider, id, { settings, said, invalid });
}

interface Naming {
  readonly invalid: (problem: string) => Error;
}

function known(
  provider: string,
  id: string,
  {
    settings,
    said = {},
    invalid,
  }: Naming & Pick<ModelSources, "settings"> & { readonly said: BackendSettings | undefined },
): ChosenModel {
  const facts = MODEL_PROVIDERS.find(({ name }) => name === provider);
  if (facts === undefined) {
    const own = Object.keys(settings).filter((name) => settings[name]?.type === "model");
    const names = [...MODEL_PROVIDERS.map(({ name }) => name), ...own];
    const guess = didYouMean(provider, names) ?? "";
    throw invalid(`nobody knows the provider "${provider}" of its model; ${guess}`);
  }
  const { baseUrl = facts.baseUrl, apiKeyEnv, api, contextWindow } = said;
  const keys = apiKeyEnv === undefined ? facts.keys : [apiKeyEnv];
  return { provider, id, baseUrl, keys, api, contextWindow };
}

function configured(
  provider: string,
  id: string,
  { settings, invalid }: Naming & { readonly settings: BackendSettings },
): ChosenModel {
  const { baseUrl, apiKeyEnv, api, contextWindow } = settings;
  if (baseUrl === undefined)
    throw invalid(
      `the configuration does not say where its models are: backends.${provider}.baseUrl`,
    );
  const keys = apiKeyEnv === undefined ? [] : [apiKeyEnv];
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
