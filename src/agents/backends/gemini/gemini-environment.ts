import { existsSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import type { AcpCall } from "../parts/acp/acp-launch.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { ASKS_FOR_COMMANDS, geminiSettings } from "./gemini-settings.ts";
import { geminiSignIn, userDirectory, usesVertex } from "./gemini-sign-in.ts";

type Env = { readonly [name: string]: string };

/** An environment, and the directory in which Gemini keeps all that it keeps. */
export interface PreparedEnvironment {
  readonly env: Env;
  readonly home: string;
}

const LOGIN_FILES = ["oauth_creds.json", "google_accounts.json"];

/** Writes what Gemini reads, and says where that is. */
export async function prepareGeminiEnvironment(parts: AcpCall): Promise<PreparedEnvironment> {
  const { request, settings, directory } = parts;
  const { env } = request;
  const home = await directory.make("home");
  const text = JSON.stringify(geminiSettings({ env, settings, request }));
  await directory.write("home/.gemini/settings.json", text);
  await directory.write("home/.gemini/policies/troupe.toml", ASKS_FOR_COMMANDS);
  if (geminiSignIn(env, settings).by === "login")
    await linkLogin(userDirectory(env), join(home, ".gemini"));
  return {
    home,
    env: {
      ...env,
      ...modelVariables(env, settings),
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_TRUST_WORKSPACE: String(mayTrust(request)),
      // With a second process in between, signals would end only the first.
      GEMINI_CLI_NO_RELAUNCH: "true",
      TMPDIR: await directory.make("tmp"),
    },
  };
}

/**
 * Lets Gemini use the login where it lies. Nothing else of the user's is there: it takes settings over its own
 * only from files of the system's administrator.
 */
async function linkLogin(from: string, to: string): Promise<void> {
  for (const name of LOGIN_FILES) {
    const link = join(to, name);
    await rm(link, { force: true });
    if (existsSync(join(from, name))) await symlink(join(from, name), link);
  }
}

/**
 * Gemini reaches no tools from a project that it does not trust, and obeys all that a project says which it
 * trusts. One that says nothing can do no harm.
 */
function mayTrust({ trustsProject = false, cwd, env }: SessionRequest): boolean {
  return trustsProject || !saysAnything(cwd, userDirectory(env));
}

/** Whether a directory or one above it holds what Gemini reads; the user's own directory is no project's. */
function saysAnything(cwd: string, userOwn: string): boolean {
  const found = [".gemini", ".env"].map((name) => join(cwd, name));
  if (found.some((path) => path !== userOwn && existsSync(path))) return true;
  const above = dirname(cwd);
  return above !== cwd && saysAnything(above, userOwn);
}

function modelVariables(env: Env, settings: BackendSettings = {}): Env {
  const { apiKeyEnv, baseUrl } = settings;
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  const isVertex = usesVertex(env, settings);
  const address = isVertex ? "GOOGLE_VERTEX_BASE_URL" : "GOOGLE_GEMINI_BASE_URL";
  return {
    ...(key === undefined ? {} : { GEMINI_API_KEY: key }),
    ...(isVertex ? { GOOGLE_GENAI_USE_VERTEXAI: "true" } : {}),
    ...(baseUrl === undefined ? {} : { [address]: baseUrl }),
  };
}
