import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { accountName } from "../parts/account-name.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Env = { readonly [name: string]: string };

const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY"] as const;
const ADDRESSES = ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"] as const;

/** What Gemini's agents get of Troupe's own environment. */
export function geminiVariables({ apiKeyEnv }: BackendSettings = {}): readonly string[] {
  return [...KEYS, ...ADDRESSES, ...(apiKeyEnv === undefined ? [] : [apiKeyEnv])];
}

/** The user's own directory of Gemini. */
export function userDirectory({ GEMINI_CLI_HOME, HOME = "/" }: Env): string {
  return join(GEMINI_CLI_HOME ?? HOME, ".gemini");
}

/** How an agent with this environment is signed in. */
export function geminiSignIn(env: Env, { apiKeyEnv }: BackendSettings = {}): SignIn {
  const keys = apiKeyEnv === undefined ? KEYS : [apiKeyEnv];
  const variable = keys.find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return { by: "key", variable };
  const directory = userDirectory(env);
  return existsSync(join(directory, "oauth_creds.json"))
    ? { by: "login", directory }
    : { by: "nothing" };
}

/** Whether an agent's model is that of Vertex AI. */
export function usesVertex(env: Env, settings?: BackendSettings): boolean {
  const signIn = geminiSignIn(env, settings);
  return signIn.by === "key" && signIn.variable === "GOOGLE_API_KEY";
}

/** Who pays for its turns. */
export function geminiAccount(env: Env, settings?: BackendSettings): string {
  const { GOOGLE_GEMINI_BASE_URL, GOOGLE_VERTEX_BASE_URL } = env;
  const baseUrl = settings?.baseUrl ?? GOOGLE_GEMINI_BASE_URL ?? GOOGLE_VERTEX_BASE_URL;
  return accountName({ kind: "gemini", baseUrl, signIn: geminiSignIn(env, settings), env });
}

type Environment = { readonly [name: string]: string };

const PROVIDER: readonly string[] = ["generativelanguage.googleapis.com"];
const VERTEX: readonly string[] = ["aiplatform.googleapis.com", "*.aiplatform.googleapis.com"];

/** What a login with Google is used with, and where it is refreshed. */
const LOGIN: readonly string[] = [
  ...["cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
  ...["accounts.google.com", "www.googleapis.com"],
];

/** Where Gemini CLI reaches its model; a configured address takes the place of the provider's own. */
export function geminiAddresses(
  env: Environment,
  settings: BackendSettings | undefined,
): readonly string[] {
  const isVertex = usesVertex(env, settings);
  const { GOOGLE_GEMINI_BASE_URL, GOOGLE_VERTEX_BASE_URL } = env;
  const fromEnvironment = isVertex ? GOOGLE_VERTEX_BASE_URL : GOOGLE_GEMINI_BASE_URL;
  const baseUrl = settings?.baseUrl ?? fromEnvironment ?? "";
  const provider = isVertex ? VERTEX : PROVIDER;
  const { by } = geminiSignIn(env, settings);
  return [...(baseUrl === "" ? provider : [baseUrl]), ...(by === "key" ? [] : LOGIN)];
}
