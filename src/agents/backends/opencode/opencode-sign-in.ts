import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

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
