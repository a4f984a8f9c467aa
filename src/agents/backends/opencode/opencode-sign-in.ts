import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { SignIn } from "../../../contracts/backend.ts";
import type { Json } from "../../../foundation/json.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";

type Env = { readonly [name: string]: string };

// Of the providers that opencode knows, those that most people have a key of.
const KEYS: { readonly [provider: string]: readonly string[] } = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  opencode: ["OPENCODE_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  groq: ["GROQ_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  xai: ["XAI_API_KEY"],
};

/** What opencode's agents get of Troupe's own environment. */
export function opencodeVariables({ apiKeyEnv }: BackendSettings = {}): readonly string[] {
  return apiKeyEnv === undefined ? Object.values(KEYS).flat() : [apiKeyEnv];
}

/** Where opencode keeps its data without Troupe. */
export function userDataHome({ XDG_DATA_HOME, HOME = "/" }: Env): string {
  return XDG_DATA_HOME ?? join(HOME, ".local", "share");
}

/** How an agent with this environment is signed in; the provider of the configured model counts first. */
export function opencodeSignIn(env: Env, settings: BackendSettings = {}): SignIn {
  const [provider = ""] = (settings.model ?? "").split("/");
  const own = Object.hasOwn(KEYS, provider) ? (KEYS[provider] ?? []) : [];
  const names = [...own, ...opencodeVariables(settings)];
  const variable = names.find(
    (name) => opencodeVariables(settings).includes(name) && isSet(env, name),
  );
  if (variable !== undefined) return { by: "key", variable };
  const directory = join(userDataHome(env), "opencode");
  return existsSync(join(directory, "auth.json")) ? { by: "login", directory } : { by: "nothing" };
}

/** Who pays for its turns. */
export function opencodeAccount(env: Env, settings?: BackendSettings): string {
  const { baseUrl } = settings ?? {};
  return accountName({ kind: "opencode", baseUrl, signIn: opencodeSignIn(env, settings), env });
}

function isSet(env: Env, name: string): boolean {
  return (env[name] ?? "") !== "";
}

/** The part of opencode's configuration that says which model is asked, and where. */
interface ModelConfiguration {
  readonly model?: string;
  readonly provider?: { readonly [name: string]: Json };
}

// They come with opencode, which loads nothing then.
const PACKAGES: { readonly [provider: string]: string } = {
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
  openai: "@ai-sdk/openai",
};
const COMPATIBLE = "@ai-sdk/openai-compatible";

/** The model of an agent, `provider/model`. Raises BACKEND_SETTINGS_INVALID. */
export function opencodeModel(
  spec: AgentSpec,
  { model: configured, baseUrl, apiKeyEnv }: BackendSettings = {},
): ModelConfiguration {
  const model = spec.model ?? configured;
  const [, provider = "", name = ""] = /^([^/]+)\/(.+)$/.exec(model ?? "") ?? [];
  if (model !== undefined && name === "")
    throw invalid(spec, `the model "${model}" has no provider; write it as provider/model`);
  if (baseUrl === undefined && apiKeyEnv === undefined) return model === undefined ? {} : { model };
  if (model === undefined)
    throw invalid(spec, "`baseUrl` and `apiKeyEnv` need a `model`, written as provider/model");
  const key = apiKeyEnv === undefined ? {} : { apiKey: `{env:${apiKeyEnv}}` };
  if (baseUrl === undefined) return { model, provider: { [provider]: { options: key } } };
  const options = { baseURL: baseUrl, ...key };
  const npm = Object.hasOwn(PACKAGES, provider) ? PACKAGES[provider] : undefined;
  const models = { [name]: { name } };
  return { model, provider: { [provider]: { npm: npm ?? COMPATIBLE, options, models } } };
}

function invalid({ id }: AgentSpec, problem: string): Error {
  return settingsInvalid({ agent: id, problem });
}
