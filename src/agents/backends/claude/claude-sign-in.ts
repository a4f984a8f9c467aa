import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SignIn } from "../../../contracts/backend.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { isRecord } from "../../../foundation/json.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";

type Environment = { readonly [name: string]: string };

/** Variables with a key or a token of Claude Code, the one that it prefers first. */
const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"] as const;
/** They send it to a cloud whose own variables, named by the workflow, sign it in. */
const CLOUDS = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
] as const;

/** What Claude Code gets of Troupe's own environment. */
export function claudeVariables(settings: BackendSettings | undefined): readonly string[] {
  const { apiKeyEnv } = settings ?? {};
  const own = apiKeyEnv === undefined ? [] : [apiKeyEnv];
  return [...own, ...KEYS, ...CLOUDS, "ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR"];
}

/** How Claude Code is signed in: by a variable, else by what `claude /login` has stored. */
export function claudeSignIn(env: Environment, settings: BackendSettings | undefined): SignIn {
  const { apiKeyEnv } = settings ?? {};
  const names = [...(apiKeyEnv === undefined ? [] : [apiKeyEnv]), ...KEYS];
  const variable =
    names.find((name) => isSet(env[name])) ?? CLOUDS.find((name) => isSwitchedOn(env[name]));
  if (variable !== undefined) return { by: "key", variable };
  const { HOME: home = "", CLAUDE_CONFIG_DIR: configured = "" } = env;
  const directory = configured === "" ? join(home, ".claude") : configured;
  const account = join(configured === "" ? home : configured, ".claude.json");
  const isStored = existsSync(join(directory, ".credentials.json")) || hasAccount(account);
  return isStored ? storedLogin(directory, account) : { by: "nothing" };
}

/** Names the account that pays, without anything secret. */
export function claudeAccountName(env: Environment, settings: BackendSettings | undefined): string {
  const { ANTHROPIC_BASE_URL: fromEnvironment = "" } = env;
  const baseUrl = settings?.baseUrl ?? fromEnvironment;
  const signIn = claudeSignIn(env, settings);
  const place = baseUrl === "" ? [] : [withoutSecrets(baseUrl)];
  if (signIn.by !== "key") return ["claude", ...place, signIn.by].join(" ");
  const mark = sha256(env[signIn.variable] ?? "").slice(0, 12);
  return ["claude", ...place, mark].join(" ");
}

/** What Claude Code writes there; settings, hooks, plug-ins, agents, skills and memories are what it obeys. */
function storedLogin(directory: string, account: string): SignIn {
  const inside = (name: string) => join(directory, name);
  return {
    by: "login",
    directory,
    beside: [account],
    tokens: [inside(".credentials.json")],
    sessions: [inside("projects")],
    // Another Claude Code would run what lies in the first two.
    scratch: [
      "shell-snapshots",
      "session-env",
      "todos",
      "tasks",
      "debug",
      "statsig",
      "file-history",
    ].map(inside),
  };
}

/** macOS keeps the secret in its keychain; this file says that there is one. */
function hasAccount(file: string): boolean {
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(content) && isRecord(content["oauthAccount"]);
  } catch {
    return false;
  }
}

/** Gateways are sometimes given a password or a key in their address. */
function withoutSecrets(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: sha256(url).slice(0, 12), pathname: "" };
  return `${host}${pathname}`;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

function isSwitchedOn(value: string | undefined): boolean {
  return isSet(value) && value !== "0" && value !== "false";
}

const PROVIDER: readonly string[] = ["api.anthropic.com"];

/** Where a login is refreshed. */
const LOGIN: readonly string[] = ["platform.claude.com", "console.anthropic.com", "claude.ai"];

/** By the switch that sends it there; each with the service that signs in to that cloud. */
const CLOUD_ADDRESSES: { readonly [name: string]: readonly string[] } = {
  CLAUDE_CODE_USE_BEDROCK: ["*.amazonaws.com"],
  CLAUDE_CODE_USE_VERTEX: ["*.googleapis.com"],
  CLAUDE_CODE_USE_FOUNDRY: ["*.azure.com", "login.microsoftonline.com"],
};

/** Where Claude Code reaches its model; a configured address takes the place of the provider's own. */
export function claudeAddresses(
  env: Environment,
  settings: BackendSettings | undefined,
): readonly string[] {
  const { ANTHROPIC_BASE_URL: fromEnvironment = "" } = env;
  const baseUrl = settings?.baseUrl ?? fromEnvironment;
  const signIn = claudeSignIn(env, settings);
  const cloud = signIn.by === "key" ? CLOUD_ADDRESSES[signIn.variable] : undefined;
  if (cloud !== undefined) return cloud;
  return [...(baseUrl === "" ? PROVIDER : [baseUrl]), ...(signIn.by === "key" ? [] : LOGIN)];
}
