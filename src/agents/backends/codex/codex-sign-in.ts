import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { sha256 } from "../../../foundation/hash.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Environment = { readonly [name: string]: string };
type Settings = BackendSettings | undefined;

const KEY_VARIABLES = ["CODEX_API_KEY", "OPENAI_API_KEY"] as const;
const ADDRESS_VARIABLE = "OPENAI_BASE_URL";
// Logins in the keyring of the system, and providers with keys of their own, leave no file but this.
const OTHER_LOGIN = /^\s*(?:cli_auth_credentials_store|model_provider)\s*=/m;

/** Variables of Troupe's own environment that Codex gets. */
export function codexVariables(settings: Settings): readonly string[] {
  return [...keyVariables(settings), ADDRESS_VARIABLE, "CODEX_HOME"];
}

/** How Codex is signed in with this environment: a key beats the login that the user has stored. */
export function codexSignIn(env: Environment, settings: Settings): SignIn {
  const variable = keyVariables(settings).find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return { by: "key", variable };
  const { HOME = homedir(), CODEX_HOME: directory = join(HOME, ".codex") } = env;
  return hasLogin(directory) ? storedLogin(directory) : { by: "nothing" };
}

/** Where its model is, when that is not where Codex looks by itself. */
export function modelAddress(env: Environment, settings: Settings): string | undefined {
  const address = settings?.baseUrl ?? env[ADDRESS_VARIABLE];
  return address === "" ? undefined : address;
}

/** Names who pays, without the key. */
export function codexAccount(env: Environment, settings: Settings): string {
  const address = modelAddress(env, settings) ?? "openai";
  const signIn = codexSignIn(env, settings);
  const payer = signIn.by === "key" ? sha256(env[signIn.variable] ?? "").slice(0, 12) : signIn.by;
  return `codex ${address} ${payer}`;
}

/** What Codex writes there; its configuration, rules, prompts, skills and plug-ins are what it obeys. */
function storedLogin(directory: string): SignIn {
  const inside = (name: string) => join(directory, name);
  return {
    by: "login",
    directory,
    tokens: [inside("auth.json")],
    sessions: [inside("sessions")],
    scratch: ["shell_snapshots", "tmp", "log"].map(inside),
  };
}

function keyVariables(settings: Settings): readonly string[] {
  const { apiKeyEnv } = settings ?? {};
  return apiKeyEnv === undefined ? KEY_VARIABLES : [apiKeyEnv, ...KEY_VARIABLES];
}

function hasLogin(directory: string): boolean {
  if (existsSync(join(directory, "auth.json"))) return true;
  const file = join(directory, "config.toml");
  return existsSync(file) && OTHER_LOGIN.test(readFileSync(file, "utf8"));
}

const PROVIDER: readonly string[] = ["api.openai.com"];

/** What a login with ChatGPT is used with, and where it is refreshed. */
const LOGIN: readonly string[] = ["chatgpt.com", "auth.openai.com"];

/** Where Codex reaches its model; a configured address takes the place of the provider's own. */
export function codexAddresses(
  env: Environment,
  settings: BackendSettings | undefined,
): readonly string[] {
  const address = modelAddress(env, settings);
  const { by } = codexSignIn(env, settings);
  return [...(address === undefined ? PROVIDER : [address]), ...(by === "key" ? [] : LOGIN)];
}
