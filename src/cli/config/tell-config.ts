import { showProblems } from "../../app/catalogue/show-problems.ts";
import type { Config } from "../../app/machine/config/config.ts";
import { configDoubts } from "../../app/machine/config/config-doubts.ts";
import { agentDoubts } from "../../app/machine/effective/agent-doubts.ts";
import { configOf } from "../../app/machine/effective/effective-config.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { pluginDoubts } from "../../app/workflow/plugins/plugin-files.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { Invocation } from "../command/command.ts";
import { reportWarning } from "../command/report-error.ts";
import { paintCalled } from "../command/suggested-commands.ts";

type Surroundings = Pick<Invocation, "io" | "options" | "settings">;

/**
 * The configuration that a command works with; undefined when it cannot be used, which is told on standard
 * error with every problem at its place. With `--json` it raises CONFIG_INVALID instead. Raises what
 * Machine.readConfig raises.
 */
export async function usableConfig(
  machine: Machine,
  invocation: Surroundings,
): Promise<Config | undefined> {
  const { json, jsonAll } = invocation.options;
  if (json === true || jsonAll === true) return configOf(machine);
  const { config } = await machine.readConfig();
  if (config === undefined) await tellConfigProblems(machine, invocation);
  return config;
}

/** The same, with a line for each thing that is doubtful about it. */
export async function tellConfig(
  machine: Machine,
  invocation: Surroundings,
): Promise<Config | undefined> {
  const config = await usableConfig(machine, invocation);
  const { io, settings } = invocation;
  if (config === undefined || settings.isQuiet) return config;
  for (const doubt of [...configDoubts(config), ...pluginDoubts(machine, config)])
    reportWarning(doubt, io, settings);
  return config;
}

/** A line for each thing that is doubtful about the agents that take part. Raises CONFIG_INVALID. */
export async function tellAgents(
  machine: Machine,
  agents: readonly AgentSpec[],
  { io, settings }: Surroundings,
): Promise<void> {
  if (settings.isQuiet) return;
  const config = await configOf(machine);
  for (const doubt of agentDoubts(machine, config.settings, agents))
    reportWarning(doubt, io, settings);
}

/** Shows every problem of the configuration at its place, on standard error. */
export async function tellConfigProblems(
  machine: Machine,
  { io, settings }: Surroundings,
): Promise<void> {
  const { problems, sources } = await machine.readConfig();
  if (problems.length === 0) return;
  const style = paintCalled(settings.paintError);
  io.stderr.write(`${await showProblems(problems, "text", { sources, style })}\n`);
}
