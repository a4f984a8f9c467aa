import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { textAt, viewFile } from "../../workflows/checks/file-view.ts";
import { createLineMap } from "../../workflows/source/line-map.ts";
import { entryOf, nodeAt, type SourceNode } from "../../workflows/source/source-node.ts";
import type { Config, ConfigOrigin, ConfigValue } from "../machine/config/config.ts";
import { withConfiguredBudget } from "../machine/effective/effective-config.ts";
import type { LoadedFile } from "./load-file.ts";
import { shapeOf } from "./shapes/registry.ts";

/** A workflow file that was loaded, and everything that decided how. */
export interface WorkflowSource {
  readonly loaded: LoadedFile;
  readonly config: Config;
}

/** What a run of a workflow would be started with, value by value; nothing when the file is not valid. */
export async function workflowValues(source: WorkflowSource): Promise<readonly ConfigValue[]> {
  const { definition } = source.loaded;
  if (definition === undefined) return [];
  const origins = originsOf(source);
  const shape = await shapeOf(definition);
  const effective = withConfiguredBudget(definition, source.config.settings);
  const { budget, agents } = effective;
  const limits = Object.entries(budget ?? {}).map(([meter, limit]) => {
    const key = meter === "wallClockMs" ? "wallClock" : meter;
    const value = meter === "wallClockMs" ? formatDuration(limit) : limit;
    return configValue(["budget", key], value, origins.of(["budget", key], ["budget", key]));
  });
  return [
    ...shape
      .settings(effective)
      .map(({ path, value, inFile, inConfig }) =>
        configValue(path, value, origins.of(inFile, inConfig)),
      ),
    ...limits,
    ...agents.flatMap((agent) => agentValues(agent, origins)),
  ];
}

interface Origins {
  /** Where the workflow says it, else where the configuration does. */
  of(inFile: readonly (string | number)[], inConfig?: readonly string[]): ConfigOrigin;
  ofAgent(id: string, key: string, inConfig: readonly string[]): ConfigOrigin;
  ofBackend(id: string): ConfigOrigin;
}

function agentValues(
  { id, backend, model, permissionMode = "ask" }: WorkflowDefinition["agents"][number],
  origins: Origins,
): readonly ConfigValue[] {
  const value = (key: string, given: Json, origin: ConfigOrigin) =>
    configValue(["agents", id, key], given, origin);
  const models = origins.ofAgent(id, "model", ["backends", backend, "model"]);
  const modelOrigin = models.level === "default" ? origins.of([], ["defaults", "model"]) : models;
  const mode = origins.ofAgent(id, "permissionMode", ["defaults", "permissionMode"]);
  return [
    value("backend", backend, origins.ofBackend(id)),
    ...(model === undefined ? [] : [value("model", model, modelOrigin)]),
    value("permissionMode", permissionMode, mode),
  ];
}

function originsOf({ loaded, config }: WorkflowSource): Origins {
  const { source, file, root } = loaded;
  const lines = createLineMap(source);
  const agents = root === undefined ? [] : viewFile(root).agents;
  const at = (node: SourceNode): ConfigOrigin => {
    const { line } = lines.positionAt(node.start);
    return { level: "workflow", file, line };
  };
  const configured = (path: readonly string[]): ConfigOrigin =>
    config.values.find((value) => value.path.join("\n") === path.join("\n"))?.origin ?? {
      level: "default",
    };
  const nodeOfAgent = (id: string) => agents.find((agent) => agent.id === id)?.node;
  return {
    of: (inFile, inConfig = []) => {
      const node = inFile.length === 0 ? undefined : nodeAt(root, inFile);
      return node === undefined ? configured(inConfig) : at(node);
    },
    ofAgent: (id, key, inConfig) => {
      const node = entryOf(nodeOfAgent(id), key)?.node;
      return node === undefined ? configured(inConfig) : at(node);
    },
    ofBackend: (id) => {
      const origin = loaded.backendOrigins.get(id);
      if (origin === "option") return { level: "--backend" };
      const node = nodeOfAgent(id);
      const named = new Map([
        ["agent", textAt(node, "backend") ?? textAt(node, "cli")],
        ["model", textAt(node, "model")],
        ["workflow", textAt(root, "backend") ?? textAt(root, "cli")],
      ]).get(origin ?? "default");
      if (named !== undefined) return at(named.node);
      const isConfigured = config.settings.defaults?.backend !== undefined;
      return isConfigured ? configured(["defaults", "backend"]) : { level: "machine" };
    },
  };
}

function configValue(path: readonly string[], value: unknown, origin: ConfigOrigin): ConfigValue {
  return { path, value: toJson(value, path.join(".")), origin };
}
