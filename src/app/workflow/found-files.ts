import type { Config } from "../machine/config/config.ts";
import type { AgentFileTrust, TrustSurroundings } from "../machine/effective/agent-trust.ts";
import { projectAgentTypes } from "./agent-types.ts";
import { projectChatCommands } from "./chat-commands.ts";
import { pluginModules } from "./plugins/plugin-files.ts";
import { registeredWorkflows } from "./registry/registry-files.ts";

/**
 * The files of a project that take effect without being named: plug-ins with what they import, agent types, commands of
 * chats, and workflows of the directory of workflows. Raises WORKFLOW_DIRECTORY_OUTSIDE.
 */
export function foundFilesOf(
  surroundings: TrustSurroundings,
  config: Config,
): readonly AgentFileTrust[] {
  const { enabled = true } = config.settings.workflows ?? {};
  const workflows = enabled ? registeredWorkflows(surroundings, config) : [];
  return [
    ...pluginModules(surroundings, config),
    ...projectAgentTypes(surroundings),
    ...projectChatCommands(surroundings),
    // Those of a directory of the user's own need no trust.
    ...workflows.filter(({ path }) => !path.startsWith("..")),
  ].map(({ path, hash, isTrusted }) => ({ path, hash, isTrusted }));
}
