import { entryOf, type MapNode, type SourceEntry } from "../../source/source-node.ts";
import type { TellingKey } from "../parts/importer.ts";

const TOP: readonly string[] = [
  ...["harnessTypeId", "default_channel", "data_dir", "storage", "connections", "bridges"],
];
const CONTEXT: readonly string[] = ["provider", "documentOwner"];
const AGENT: readonly string[] = [
  ...["runtime", "instructions", "system_prompt_file", "max_steps", "max_tokens", "ref"],
  ...["wakeup", "wakeup_prompt", "on_demand", "mounts"],
];
const BACKENDS: ReadonlySet<unknown> = new Set(["default", "sdk", "mock"]);

/** A key that only files of agent-worker have. Of a file that also has keys of troupe, none is. */
export function findTellingKey(root: MapNode): TellingKey | undefined {
  if (isMixed(root)) return undefined;
  return tellingAtTop(root) ?? tellingIn(root, "context", CONTEXT) ?? tellingAgent(root);
}

/** A key of another shape of troupe, of which agent-worker has nothing. */
export function findOwnKey(root: MapNode): TellingKey | undefined {
  const entry = OWN_SHAPE_KEYS.map((key) => root.entries.get(key)).find(Boolean);
  return entry === undefined ? undefined : { place: entry.key, entry };
}

function isMixed(root: MapNode): boolean {
  const agents = entryOf(root, "agents")?.node;
  const context = entryOf(root, "context")?.node;
  if (agents?.kind !== "map" && entryOf(root, "harnessTypeId") === undefined) return true;
  return (
    [...OWN_SHAPE_KEYS, ...OWN_TOP_KEYS].some((key) => root.entries.has(key)) ||
    OWN_CONTEXT_KEYS.some((key) => entryOf(context, key) !== undefined) ||
    agentsOf(root).some(({ node }) =>
      OWN_AGENT_KEYS.some((key) => entryOf(node, key) !== undefined),
    )
  );
}

function agentsOf(root: MapNode): readonly SourceEntry[] {
  const agents = entryOf(root, "agents")?.node;
  return agents?.kind === "map" ? [...agents.entries.values()] : [];
}

function tellingAtTop(root: MapNode): TellingKey | undefined {
  for (const key of TOP) {
    const entry = root.entries.get(key);
    if (entry !== undefined) return { place: key, entry };
  }
  const lists = ["params", "channels"].map((key) => root.entries.get(key));
  const entry = lists.find((candidate) => candidate?.node.kind === "list");
  return entry === undefined ? undefined : { place: entry.key, entry };
}

function tellingIn(root: MapNode, key: string, keys: readonly string[]): TellingKey | undefined {
  const node = entryOf(root, key)?.node;
  const entry = keys.map((name) => entryOf(node, name)).find((found) => found !== undefined);
  return entry === undefined ? undefined : { place: `${key}.${entry.key}`, entry };
}

function tellingAgent(root: MapNode): TellingKey | undefined {
  for (const { key, node } of agentsOf(root)) {
    const backend = entryOf(node, "backend");
    const isTelling = backend?.node.kind === "scalar" && BACKENDS.has(backend.node.value);
    const entry =
      AGENT.map((name) => entryOf(node, name)).find((found) => found !== undefined) ??
      (isTelling ? backend : undefined);
    if (entry !== undefined) return { place: `agents.${key}.${entry.key}`, entry };
  }
  return undefined;
}

/** Keys that make a file one of another shape of troupe, or of no shape. */
const OWN_SHAPE_KEYS: readonly string[] = ["pattern", "template", "swarm", "steps"];
/** Keys of kickoff workflows that agent-worker does not have; they stay as they are. */
export const OWN_TOP_KEYS: readonly string[] = [
  "$schema",
  "description",
  "tags",
  "options",
  "budget",
];
/** The same for what agents share. */
export const OWN_CONTEXT_KEYS: readonly string[] = ["dir", "channel", "document"];
/** The same for an agent. */
export const OWN_AGENT_KEYS: readonly string[] = [
  ...[
    "command",
    "script",
    "module",
    "isolation",
    "permissionMode",
    "onCrash",
    "idleTimeout",
    "limits",
  ],
  ...[
    "spawns",
    "nativeAgents",
    "disallowedTools",
    "maxTurns",
    "effort",
    "maxOutputTokens",
    "autoApprovePlanMode",
  ],
];
