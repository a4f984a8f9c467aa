import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { textSetting } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { hidesNativeAgents } from "../parts/native-agents.ts";
import { AGENT_TOOLS, ASKED_TOOLS, CONTEXT_SERVER, OUTSIDE_TOOLS } from "./claude-tools.ts";

/** Most bytes of a text that is given as an argument. */
const MAX_ARGUMENT_BYTES = 64 * 1024;

/** How it talks over pipes in place of a terminal. */
export const PIPE_ARGUMENTS: readonly string[] = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
];

/**
 * The arguments that all its sessions have: only Troupe's configuration counts, and Troupe is asked for every
 * permission, also where the program itself would see no need to. No secret is among them.
 */
export function isolatingArguments(
  request: SessionRequest,
  settings: BackendSettings | undefined,
): readonly string[] {
  const { spec, cwd, trustsProject = false } = request;
  const model = spec.model ?? settings?.model;
  return [
    `--permission-mode=${spec.permissionMode === "plan" ? "plan" : "default"}`,
    `--setting-sources=${trustsProject ? "project,local" : ""}`,
    `--settings=${JSON.stringify(ownSettings(trustsProject))}`,
    "--strict-mcp-config",
    ...serverArguments(request),
    `--disallowedTools=${[...OUTSIDE_TOOLS, ...(hidesNativeAgents(spec) ? AGENT_TOOLS : [])].join(",")}`,
    ...toolArguments(spec.tools),
    ...(model === undefined ? [] : [`--model=${model}`]),
    // With CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD it reads CLAUDE.md there, as text, and nothing else.
    ...(trustsProject ? [] : [`--add-dir=${cwd}`]),
  ];
}

/** The role of an agent as an argument, for a terminal; it is kept in the session, so a long one is left to that. */
export function roleArguments({ spec }: SessionRequest): readonly string[] {
  const role = textSetting(spec, "systemPrompt");
  if (role === undefined || Buffer.byteLength(role) > MAX_ARGUMENT_BYTES) return [];
  return [`--append-system-prompt=${role}`];
}

function ownSettings(trustsProject: boolean) {
  return {
    permissions: { ask: ASKED_TOOLS, disableBypassPermissionsMode: "disable" },
    ...(trustsProject ? {} : { disableAllHooks: true }),
  };
}

function serverArguments({ access, cwd, trustsProject }: SessionRequest): readonly string[] {
  const projectServers = join(cwd, ".mcp.json");
  const ofProject = trustsProject === true && existsSync(projectServers) ? [projectServers] : [];
  const own = access?.url === undefined ? [] : [JSON.stringify(contextServer)];
  return [...ofProject, ...own].map((config) => `--mcp-config=${config}`);
}

// The program fills in what its environment says: everybody may read arguments.
const contextServer = {
  mcpServers: {
    [CONTEXT_SERVER]: {
      type: "http",
      url: "${TROUPE_CONTEXT_URL}",
      headers: { Authorization: "Bearer ${TROUPE_CONTEXT_TOKEN}" },
      alwaysLoad: true,
    },
  },
};

/** Its own tools begin with a capital letter; Troupe's do not, and are the business of their server. */
function toolArguments(tools: readonly string[] | undefined): readonly string[] {
  if (tools === undefined) return [];
  return [`--tools=${tools.filter((tool) => /^[A-Z]\w*$/.test(tool)).join(",")}`];
}
