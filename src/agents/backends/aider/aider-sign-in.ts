import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Environment = { readonly [name: string]: string };

const KEYS = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
] as const;
const ADDRESSES = ["OPENAI_API_BASE", "ANTHROPIC_API_BASE", "OLLAMA_API_BASE"] as const;

/** The variables by which aider finds its model. */
export function aiderVariables(settings: BackendSettings | undefined): readonly string[] {
  const own = settings?.apiKeyEnv;
  return [...new Set([...(own === undefined ? [] : [own]), ...KEYS, ...ADDRESSES])];
}

/** A key of the environment, else the configuration in which people keep theirs. */
export function aiderSignIn(env: Environment, settings: BackendSettings | undefined): SignIn {
  const names = [settings?.apiKeyEnv, ...KEYS];
  const variable = names.find((name) => name !== undefined && (env[name] ?? "") !== "");
  if (variable !== undefined) return { by: "key", variable };
  const { HOME: home } = env;
  if (home !== undefined && existsSync(join(home, ".aider.conf.yml")))
    return { by: "login", directory: home };
  return { by: "nothing" };
}

/** The account that pays for the turns of a session. */
export function aiderAccount(env: Environment, settings: BackendSettings | undefined): string {
  const address = settings?.baseUrl ?? ADDRESSES.map((variable) => env[variable]).find(Boolean);
  // The rest of an address may hold a password.
  const baseUrl = address === undefined ? undefined : URL.parse(address)?.host;
  return accountName({ kind: "aider", baseUrl, signIn: aiderSignIn(env, settings), env });
}
