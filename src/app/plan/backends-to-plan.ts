import { existsSync } from "node:fs";
import { builtInBackends, createBackend } from "../../agents/backends/registry.ts";
import { parseCassette } from "../../agents/backends/script/load-cassette.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { ProcessHost } from "../../host/host.ts";
import { configuredBackend } from "../machine/backends/configured-backend.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import type { Machine } from "../machine/machine.ts";
import type { RunRecipe } from "../workflow/shapes/run-recipe.ts";

/** What the backends of a plan are made of. */
export interface PlannedBackendParts {
  readonly host: ProcessHost;
  readonly agents: readonly AgentSpec[];
  readonly settings: ConfigSettings;
  readonly cassette: RunRecipe["cassette"];
}

/** The backends of this version as a run would have them, to be asked only; undefined for those that it lacks. */
export function createBackendsToPlan(
  { clock }: Machine,
  { host, agents, settings, cassette }: PlannedBackendParts,
): (name: string) => AgentBackend | undefined {
  const dependencies = {
    host,
    clock,
    functions: presentModules(agents),
    importModule: (path: string) => Promise.reject(new Error(`there is no file ${path}`)),
    settings: settings.backends,
    cassette: cassette === undefined ? undefined : parseCassette(cassette.source, cassette.file),
  };
  const names = [
    ...builtInBackends.map(({ name }) => name),
    ...Object.keys(settings.backends ?? {}).filter((name) => canRun(name, settings)),
  ];
  const made = new Map(
    names.map((name) => [name, configuredBackend(createBackend(name, dependencies), settings)]),
  );
  return (name) => made.get(name);
}

/** Whether this version can run a backend of one's own. */
function canRun(name: string, { backends = {} }: ConfigSettings): boolean {
  const type = Object.hasOwn(backends, name) ? backends[name]?.type : undefined;
  return builtInBackends.some((candidate) => candidate.name === type);
}

/** Loading a module would run what it holds: that the file exists has to do. */
function presentModules(agents: readonly AgentSpec[]): ReadonlyMap<string, AgentFunction> {
  const present = agents.filter(({ settings = {} }) => {
    const { module } = settings;
    return typeof module === "string" && existsSync(module.slice(0, module.lastIndexOf("#")));
  });
  return new Map(present.map(({ id }) => [id, () => ""]));
}
