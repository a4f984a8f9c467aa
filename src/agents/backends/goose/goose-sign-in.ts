import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Environment = { readonly [name: string]: string };

const KEYS = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
  "DATABRICKS_TOKEN",
] as const;
const ADDRESSES = ["OPENAI_HOST", "ANTHROPIC_HOST", "OLLAMA_HOST", "DATABRICKS_HOST"] as const;

/** The variables by which goose finds its model. */
export function gooseVariables({ apiKeyEnv }: BackendSettings = {}): readonly string[] {
  const own = apiKeyEnv === undefined ? [] : [apiKeyEnv];
  return [...new Set([...own, ...KEYS, ...ADDRESSES, "GOOSE_PROVIDER", "GOOSE_MODEL"])];
}

/** How goose is signed in: by a key, else as `goose configure` has left it. */
export function gooseSignIn(env: Environment, settings: BackendSettings | undefined): SignIn {
  const names = [settings?.apiKeyEnv, ...KEYS];
  const variable = names.find((name) => name !== undefined && (env[name] ?? "") !== "");
  if (variable !== undefined) return { by: "key", variable };
  const { HOME: home } = env;
  const directory = home === undefined ? undefined : join(home, ".config/goose");
  if (directory !== undefined && existsSync(join(directory, "config.yaml")))
    return { by: "login", directory };
  return { by: "nothing" };
}

/** The account that pays for the turns of a session. */
export function gooseAccount(env: Environment, settings: BackendSettings | undefined): string {
  const address = settings?.baseUrl ?? ADDRESSES.map((variable) => env[variable]).find(Boolean);
  // The rest of an address may hold a password.
  const baseUrl = address === undefined ? undefined : URL.parse(address)?.host;
  return accountName({ kind: "goose", baseUrl, signIn: gooseSignIn(env, settings), env });
}
