import type { AgentSpec } from "../../../../contracts/agent.ts";
import type { BackendSettings } from "../../parts/backend-settings.ts";
import { settingsInvalid } from "../../parts/errors.ts";
import {
  MODEL_PROVIDERS,
  type ModelProvider,
  type ModelSources,
  modelProblem,
  namedModel,
} from "../../parts/model-providers.ts";
import { modelKeyMissing } from "./errors.ts";

/** How a variable says where a provider is. */
type ModelAddress = ModelProvider["address"];

/** The model of an agent and where it is. */
export interface ChosenModel {
  /** As the configuration calls it. */
  readonly provider: string;
  /** As the provider calls it. */
  readonly id: string;
  /** Of the configuration, else the usual one. */
  readonly baseUrl: string;
  /** The variable that says where it is; undefined if the configuration does, or for one of one's own. */
  readonly address: ModelAddress | undefined;
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
  const address = settings.baseUrl === undefined ? facts?.address : undefined;
  const keys = apiKeyEnv === undefined ? (facts?.keys ?? []) : [apiKeyEnv];
  return { provider, id, baseUrl, address, keys, api, contextWindow };
}

/**
 * The address of a model: of the configuration, else of the variable that the vendor's own programs read, else the usual
 * one. Raises BACKEND_SETTINGS_INVALID for a variable that holds no address, and for one that the workflow sets for an
 * agent whose key is not the workflow's too: a key goes to no host that its owner did not choose.
 */
export function addressOf(chosen: ChosenModel, spec: DeclaredAgent, env: Variables): string {
  const { baseUrl, address } = chosen;
  const written = address === undefined ? "" : (env[address.variable] ?? "").trim();
  if (address === undefined || written === "") return baseUrl;
  const { variable } = address;
  const key = chosen.keys.find((name) => (env[name] ?? "") !== "");
  const refuse = (problem: string) => settingsInvalid({ agent: spec.id, problem });
  if (key !== undefined && isOfWorkflow(spec, variable) && !isLiteral(spec, key))
    throw refuse(
      `the workflow sets ${variable}, and the key in ${key} is not the workflow's: set the address where the key is yours, in the environment or by backends.${chosen.provider}.baseUrl`,
    );
  const found = chosen.provider === "ollama" ? ollamaAddress(written) : withPath(written, address);
  if (found !== undefined) return found;
  if (key === undefined) return baseUrl;
  throw refuse(`${variable} is not an address that begins with https:// or http://: ${written}`);
}

/** Variables of an agent's environment, by their names. */
interface Variables {
  readonly [name: string]: string;
}

/** An agent as its workflow declares it, without what the configuration adds. */
type DeclaredAgent = Pick<AgentSpec, "id" | "env" | "envFrom">;

/** Whether the workflow sets it, by its value or by the name of another variable. */
function isOfWorkflow({ env = {}, envFrom = {} }: DeclaredAgent, variable: string): boolean {
  return Object.hasOwn(env, variable) || Object.hasOwn(envFrom, variable);
}

/** Whether the workflow itself holds the value. */
function isLiteral({ env = {}, envFrom = {} }: DeclaredAgent, variable: string): boolean {
  return Object.hasOwn(env, variable) && !Object.hasOwn(envFrom, variable);
}

/** With what the vendor's programs add to it, unless it is written. */
function withPath(written: string, { path }: ModelAddress): string | undefined {
  const isAddress = /^https?:\/\//i.test(written) && URL.canParse(written);
  if (!isAddress) return undefined;
  const bare = written.replace(/\/+$/, "");
  return /\/v1(?:beta)?$/.test(bare) ? bare : `${bare}${path}`;
}

function ollamaAddress(host: string): string | undefined {
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return undefined;
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
