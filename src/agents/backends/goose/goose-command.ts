import type { AcpCall, AcpCommand } from "../parts/acp/acp-launch.ts";
import { gooseSignIn } from "./goose-sign-in.ts";

/** How goose is called. */
export const gooseCommand: AcpCommand = {
  // A private configuration names no extensions: with this one it can read, edit and run commands.
  protocol: ["acp", "--with-builtin", "developer"],
  terminal: (session) => [
    "session",
    ...(session === undefined ? [] : ["--resume", "--session-id", session]),
  ],
  prepare: async (call) => ({ env: await gooseEnvironment(call) }),
};

type Environment = { readonly [name: string]: string };

/**
 * The whole environment of goose. With a key its configuration, sessions and permissions are in a private
 * directory; with a login they are the user's. Its mode is always the one in which it asks for each tool,
 * or in plans the one without tools: what its configuration says does not count.
 */
async function gooseEnvironment(parts: AcpCall): Promise<Environment> {
  const { request, settings, directory } = parts;
  const { env, spec } = request;
  const isPrivate = gooseSignIn(env, settings).by !== "login";
  return {
    GOOSE_TELEMETRY_ENABLED: "false",
    GOOSE_TELEMETRY_OFF: "1",
    ...env,
    ...modelVariables(parts),
    GOOSE_MODE: spec.permissionMode === "plan" ? "chat" : "approve",
    ...(isPrivate
      ? { GOOSE_PATH_ROOT: await directory.make("root"), GOOSE_DISABLE_KEYRING: "1" }
      : {}),
  };
}

/** `provider/model`, as everywhere in Troupe; a name alone is a model of the provider that is set. */
function modelVariables({ request, settings = {} }: AcpCall): Environment {
  const { env, spec } = request;
  const { apiKeyEnv, baseUrl, model: configured } = settings;
  const model = spec.model ?? configured;
  const slash = model?.indexOf("/") ?? -1;
  const provider = slash > 0 ? model?.slice(0, slash) : env["GOOSE_PROVIDER"];
  const prefix = provider === "anthropic" ? "ANTHROPIC" : "OPENAI";
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return {
    ...(provider === undefined ? {} : { GOOSE_PROVIDER: provider }),
    ...(model === undefined ? {} : { GOOSE_MODEL: model.slice(slash > 0 ? slash + 1 : 0) }),
    ...(key === undefined ? {} : { [`${prefix}_API_KEY`]: key }),
    ...(baseUrl === undefined ? {} : { [`${prefix}_HOST`]: baseUrl }),
  };
}
