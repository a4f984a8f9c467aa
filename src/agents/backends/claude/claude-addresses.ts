import type { BackendSettings } from "../parts/backend-settings.ts";
import { claudeSignIn } from "./claude-sign-in.ts";

type Environment = { readonly [name: string]: string };

const PROVIDER: readonly string[] = ["api.anthropic.com"];

/** Where a login is refreshed. */
const LOGIN: readonly string[] = ["platform.claude.com", "console.anthropic.com", "claude.ai"];

/** By the switch that sends it there; each with the service that signs in to that cloud. */
const CLOUDS: { readonly [name: string]: readonly string[] } = {
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
  const cloud = signIn.by === "key" ? CLOUDS[signIn.variable] : undefined;
  if (cloud !== undefined) return cloud;
  return [...(baseUrl === "" ? PROVIDER : [baseUrl]), ...(signIn.by === "key" ? [] : LOGIN)];
}
