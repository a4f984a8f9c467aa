import { backendUnknown } from "../../agents/backends/parts/errors.ts";
import { knownBackends } from "../../agents/backends/registry.ts";
import { RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { escapeTemplate } from "../../programs/language/templates/template.ts";
import { configOf, configuredBackends } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import type { FileRequest } from "./load-file.ts";
import { codeOf } from "./plugins/code-of.ts";

/** What the agent of the backend `human` is called, since `human` stands for whoever answers. */
const PERSON = "person";

/**
 * The workflow that a run of one agent is: one step, which gets the task. `argv` is the program of a command
 * agent. Raises BACKEND_UNKNOWN and what codeOf raises.
 */
export async function singleAgentWorkflow(
  machine: Machine,
  { backend, argv }: { readonly backend: string; readonly argv: readonly string[] },
): Promise<Pick<FileRequest, "file" | "text">> {
  const config = await configOf(machine);
  const own = (await codeOf(machine)).backends.map(({ name }) => name);
  const known = [...new Set([...knownBackends, ...configuredBackends(config), ...own])];
  if (!known.includes(backend)) throw backendUnknown({ backend, known });
  const id = RESERVED_AGENT_IDS.has(backend) ? PERSON : backend;
  const command = argv.length === 0 ? {} : { command: argv.map(escapeTemplate) };
  const workflow = {
    version: "1.0",
    name: id,
    pattern: "fan-out",
    agents: [{ id, backend, ...command }],
  };
  return { file: `--agent ${backend}`, text: JSON.stringify(workflow) };
}
