import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../../foundation/json.ts";
import type { AcpCall } from "../parts/acp/acp-launch.ts";
import { textSetting } from "../parts/agent-program.ts";
import type { PrivateDirectory } from "../parts/private-directory.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";
import { opencodePermissions } from "./opencode-permissions.ts";
import { opencodeModel, opencodeSignIn, userDataHome } from "./opencode-sign-in.ts";

type Env = { readonly [name: string]: string };

const QUIET: Env = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_SHARE: "1",
  // It tells editors what changes.
  OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: "1",
};
const UNTRUSTING: Env = {
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_CLAUDE_CODE: "1",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
  OPENCODE_PURE: "1",
};
// The first of them that a project has is what it tells its agents.
const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

const PLUGIN_PACKAGE = "@opencode-ai/plugin";

/** Writes what opencode reads, and says where that is. Raises BACKEND_SETTINGS_INVALID. */
export async function prepareOpencodeEnvironment(parts: AcpCall): Promise<Env> {
  const { request, settings, directory } = parts;
  const { env, spec, trustsProject = false } = request;
  const usesLogin = opencodeSignIn(env, settings).by === "login";
  const configuration = await toConfiguration(parts);
  const data = await directory.make("data");
  return {
    ...env,
    ...QUIET,
    ...(trustsProject ? {} : UNTRUSTING),
    // The login is part of opencode's data; its sessions can be kept apart.
    XDG_DATA_HOME: usesLogin ? userDataHome(env) : data,
    OPENCODE_DB: databaseFile(directory),
    XDG_CONFIG_HOME: await toConfigHome(directory),
    XDG_CACHE_HOME: await directory.make("cache"),
    XDG_STATE_HOME: await directory.make("state"),
    // Of a project that is trusted it installs what plug-ins need; in the user's home by default.
    npm_config_cache: await directory.make("cache/npm"),
    TMPDIR: await directory.make("tmp"),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration),
    // Over all other configuration, whoever wrote it.
    OPENCODE_PERMISSION: JSON.stringify(opencodePermissions(spec.tools)),
    // It listens on a port of this machine, which is open to everybody without one.
    OPENCODE_SERVER_PASSWORD: randomBytes(24).toString("hex"),
  };
}

/** Where opencode keeps the sessions of an agent. */
export function databaseFile({ path }: PrivateDirectory): string {
  return join(path, "data", "sessions.db");
}

/**
 * A directory of configuration in which opencode finds the package that plug-ins need: without it, it would
 * fetch that from the registry at every start. There are no plug-ins here that would miss it.
 */
async function toConfigHome(directory: PrivateDirectory): Promise<string> {
  await directory.make("config/opencode/node_modules");
  const lock = {
    lockfileVersion: 3,
    packages: { "": { dependencies: { [PLUGIN_PACKAGE]: "*" } } },
  };
  await directory.write("config/opencode/package-lock.json", JSON.stringify(lock));
  return directory.make("config");
}

async function toConfiguration({ request, settings, directory }: AcpCall): Promise<Json> {
  const { spec, cwd, trustsProject = false } = request;
  const role = textSetting(spec, "systemPrompt");
  const roleFile = role === undefined ? [] : [await directory.write("role.md", role)];
  // opencode reads them by itself only together with what else a project configures.
  const told = trustsProject ? [] : INSTRUCTIONS.map((name) => join(cwd, name));
  const instructions = [...roleFile, ...told.filter((file) => existsSync(file)).slice(0, 1)];
  return {
    ...opencodeModel(spec, settings),
    ...(instructions.length === 0 ? {} : { instructions }),
    share: "disabled",
    autoupdate: false,
    // Who works in the project sees to going back.
    snapshot: false,
    // Nobody reads the title of a session, which a model would be asked for.
    agent: { title: { disable: true } },
    // A denial is an answer that the model goes on with.
    experimental: { continue_loop_on_deny: true, mcp_timeout: TOOL_PATIENCE_MS },
  };
}
