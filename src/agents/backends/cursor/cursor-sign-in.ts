import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Environment = { readonly [name: string]: string };

const KEYS = ["CURSOR_API_KEY", "CURSOR_AUTH_TOKEN"] as const;

/** The variables that sign Cursor in. */
export function cursorVariables({ apiKeyEnv }: BackendSettings = {}): readonly string[] {
  return apiKeyEnv === undefined ? KEYS : [apiKeyEnv, ...KEYS];
}

/** How Cursor is signed in: by a key, else by what `cursor-agent login` has stored. */
export function cursorSignIn(env: Environment, settings: BackendSettings | undefined): SignIn {
  const variable = cursorVariables(settings).find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return { by: "key", variable };
  const { HOME: home } = env;
  const directory = home === undefined ? undefined : join(home, ".cursor");
  // The secret itself lies in the keychain, or below ~/.config.
  if (directory !== undefined && existsSync(join(directory, "cli-config.json")))
    return { by: "login", directory };
  return { by: "nothing" };
}

/** The account that pays for the turns of a session. */
export function cursorAccount(env: Environment, settings: BackendSettings | undefined): string {
  const address = settings?.baseUrl;
  // The rest of an address may hold a password.
  const baseUrl = address === undefined ? undefined : URL.parse(address)?.host;
  const signIn = cursorSignIn(env, settings);
  return accountName({ kind: "cursor", baseUrl, signIn, env });
}
