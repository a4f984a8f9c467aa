import type { WorkflowRegistry } from "../../../workflows/resolve/load-options.ts";
import type { Config } from "../../machine/config/config.ts";
import type { TrustSurroundings } from "../../machine/effective/agent-trust.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import { createMachineAt, type MachineOptions } from "../../machine/machine.ts";
import {
  workflowDisabled,
  workflowIdTwice,
  workflowNotTrusted,
  workflowNotVisible,
} from "./errors.ts";
import { type RegisteredWorkflow, registeredWorkflows } from "./registry-files.ts";

/** The workflows that are found by their id (STP-11). */
export interface ProjectWorkflows extends WorkflowRegistry {
  /**
   * The file of a workflow; undefined when there is none of this id. `askedBy` is the workflow or agent that wants
   * to use it, absent for a person. Raises WORKFLOW_DISABLED, WORKFLOW_NOT_VISIBLE, WORKFLOW_ID_TWICE,
   * WORKFLOW_NOT_TRUSTED and WORKFLOW_DIRECTORY_OUTSIDE.
   */
  find(id: string, askedBy?: string): { readonly file: string } | undefined;
  /** All that are not disabled, trusted or not. Raises WORKFLOW_DIRECTORY_OUTSIDE. */
  list(): readonly RegisteredWorkflow[];
}

/** The registry of a project. Nothing is read before the first question. */
export function createWorkflowRegistry(
  surroundings: TrustSurroundings,
  config: Config,
): ProjectWorkflows {
  const { enabled = true, visibleTo = {}, disabled = [] } = config.settings.workflows ?? {};
  let read: readonly RegisteredWorkflow[] | undefined;
  const all = () => {
    read ??= enabled ? registeredWorkflows(surroundings, config) : [];
    return read;
  };
  const list = () => all().filter(({ id }) => !disabled.includes(id));
  return {
    find: (id, askedBy) => {
      const [found, ...others] = all().filter((workflow) => workflow.id === id);
      if (found === undefined) return undefined;
      if (disabled.includes(id)) throw workflowDisabled({ id });
      const allowed = Object.hasOwn(visibleTo, id) ? visibleTo[id] : undefined;
      if (allowed !== undefined && askedBy !== undefined && !allowed.includes(askedBy))
        throw workflowNotVisible({ id, askedBy, visibleTo: allowed });
      if (others.length > 0)
        throw workflowIdTwice({ id, files: [found, ...others].map(({ path }) => path) });
      if (!found.isTrusted) throw workflowNotTrusted({ id, file: found.path });
      return { file: found.file };
    },
    ids: () => [...new Set(list().map(({ id }) => id))],
    list,
  };
}

/** The registry of the project of a directory. Raises RUN_DIRECTORY_OUTSIDE and what configOf raises. */
export async function openRegistry(
  options: Pick<MachineOptions, "cwd" | "env" | "trustsProject">,
): Promise<ProjectWorkflows> {
  const machine = createMachineAt(options);
  return createWorkflowRegistry(machine, await configOf(machine));
}
