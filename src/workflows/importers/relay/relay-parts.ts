import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isInside, realLocation } from "../../resolve/resolve-paths.ts";
import { parseSource } from "../../source/parse-source.ts";
import { readTextBounded } from "../../source/read-text-bounded.ts";
import {
  entryOf,
  type MapNode,
  placedAt,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import type { ForeignFile, ImportedTree, ImportNote } from "../parts/importer.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, type Remarks, settleRest } from "../parts/notes.ts";

/** The parts of a file of relay, wherever it has them: at its top, in `swarm`, in its first workflow. */
export interface RelayParts {
  readonly swarm: SourceNode | undefined;
  /** The workflow that is run. */
  readonly workflow: SourceNode | undefined;
  readonly pattern: SourceEntry | undefined;
  readonly agents: readonly SourceNode[];
  readonly agentsEntry: SourceEntry | undefined;
  readonly steps: readonly SourceNode[];
  readonly preflight: SourceEntry | undefined;
  readonly coordination: SourceEntry | undefined;
  readonly errorHandling: SourceEntry | undefined;
}

/** A step that is converted but for its order. */
export interface ConvertedStep {
  readonly id: string;
  readonly node: MapNode;
  /** Ids of steps and barriers that it waits for, each at its place. */
  readonly dependsOn: readonly SourceNode[];
  readonly dependsOnRange: SourceEntry["keyRange"] | undefined;
  /** Ids of the steps whose output it uses. */
  readonly uses: readonly string[];
  /** The agent, as it is written. */
  readonly agent: string | undefined;
}

/** Finds the parts of a file; further workflows are told of. */
export function partsOf(notes: Notes, root: MapNode): RelayParts {
  const swarm = entryOf(root, "swarm")?.node;
  const workflow = entryOf(swarm, "workflow")?.node ?? firstWorkflow(notes, root);
  const within = (key: string) => entryOf(root, key) ?? entryOf(swarm, key);
  const agents = within("agents");
  const steps = entryOf(workflow, "steps") ?? within("steps");
  return {
    swarm,
    workflow,
    pattern: entryOf(swarm, "pattern") ?? entryOf(root, "pattern"),
    agents: itemsOf(agents?.node, "id"),
    agentsEntry: agents,
    steps: itemsOf(steps?.node, "name"),
    preflight: entryOf(workflow, "preflight") ?? entryOf(root, "preflight"),
    coordination: within("coordination"),
    errorHandling: within("errorHandling"),
  };
}

function firstWorkflow(notes: Notes, root: MapNode): SourceNode | undefined {
  const entry = entryOf(root, "workflows");
  const items = itemsOf(entry?.node, "name");
  const [first, ...others] = items;
  for (const other of others) {
    const name = textOf(entryOf(other, "name")?.node) ?? "";
    const place = `workflows.${name}`;
    const range = entryOf(other, "name")?.node ?? other;
    const hint = "move it into a file of its own";
    notes.leftOut(
      { place, range, at: ["steps"] },
      { what: "a file is one workflow: the first", hint },
    );
  }
  return first;
}

/** The items of a list, or of a map whose keys name them. */
function itemsOf(node: SourceNode | undefined, key: "id" | "name"): readonly SourceNode[] {
  if (node?.kind === "list") return node.items;
  return membersOf(node).map((member): SourceNode => {
    const { start, end } = member.keyRange;
    const named = entryAt(key, { kind: "scalar", value: member.key, start, end }, member.keyRange);
    if (member.node.kind !== "map") return member.node;
    const entries = new Map([[key, named], ...member.node.entries]);
    return { ...member.node, entries };
  });
}

const MAX_BYTES = 1_048_576;
const NAME = /^[A-Za-z0-9][\w.-]*$/;

/** The name of the workflow that `.relay/relay.yaml` runs, if it names one. */
export function namedWorkflow(root: MapNode): SourceEntry | undefined {
  const entry = entryOf(entryOf(root, "swarm")?.node, "workflow");
  return entry?.node.kind === "scalar" ? entry : undefined;
}

/**
 * The workflow that a relay.yaml names, from `.relay/workflows`, with the programs that it gives to agents. All of it has
 * the place of the line that names it.
 */
export function readNamedWorkflow(
  { root, options }: ForeignFile,
  notes: Notes,
  { entry, convert }: { entry: SourceEntry; convert: (file: ForeignFile) => ImportedTree },
): ImportedTree {
  const name = textOf(entry.node) ?? "";
  const spot = { place: "swarm.workflow", range: entry.node, at: [], entry };
  const found = findFile(name, options);
  const read =
    found === undefined
      ? { problem: "there is no such file below .relay/workflows" }
      : readTree(found);
  if ("problem" in read) {
    notes.refused(spot, {
      what: `the workflow ${JSON.stringify(name)} cannot be read: ${read.problem}`,
    });
    return { root: { ...root, entries: new Map() }, notes: notes.all() };
  }
  const tree = withPrograms(notes, read.root, entryOf(root, "swarm")?.node);
  const isOfTroupe = ["pattern", "template"].some((key) => tree.entries.has(key));
  const made: ImportedTree = isOfTroupe
    ? { root: tree, notes: [] }
    : convert({ root: tree, text: read.text, options });
  const placed = made.notes.map((note): ImportNote => ({ ...note, range: entry.node }));
  return { root: placedAt(made.root, entry.node), notes: [...notes.all(), ...placed] };
}

function findFile(
  name: string,
  { fileDirectory, cwd, projectRoot }: ForeignFile["options"],
): string | undefined {
  if (!NAME.test(name)) return undefined;
  const base = fileDirectory ?? cwd ?? projectRoot;
  const directory = join(base, basename(base) === ".relay" ? "workflows" : ".relay/workflows");
  const names = /\.ya?ml$/.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`];
  const file = names.map((each) => join(directory, each)).find((each) => existsSync(each));
  if (file === undefined || !isInside(realLocation(file), realLocation(projectRoot)))
    return undefined;
  return file;
}

type ReadTree = { readonly root: MapNode; readonly text: string } | { readonly problem: string };

function readTree(file: string): ReadTree {
  const text = readTextBounded(file, MAX_BYTES);
  if (typeof text !== "string") return { problem: text.problem };
  const { root, faults } = parseSource(text, file);
  const [fault] = faults;
  if (fault !== undefined) return { problem: fault.error.message };
  return root?.kind === "map" ? { root, text } : { problem: `${relative("", file)} is no object` };
}

/** The workflow with the programs that `swarm.agents` gives to its agents: `developer: codex`. */
function withPrograms(notes: Notes, tree: MapNode, swarm: SourceNode | undefined): MapNode {
  const given = entryOf(swarm, "agents");
  const agents = entryOf(tree, "agents");
  if (given === undefined || agents === undefined) return tree;
  const programs = new Map(membersOf(given.node).map((member) => [member.key, member]));
  const taken = new Set<string>();
  const change = (node: SourceNode, name: string | undefined): SourceNode => {
    const program = name === undefined ? undefined : programs.get(name);
    if (program === undefined || node.kind !== "map") return node;
    taken.add(program.key);
    const cli = entryAt("cli", program.node, program.keyRange);
    return mapAt(
      [cli, ...membersOf(node).filter(({ key }) => key !== "cli" && key !== "backend")],
      node,
    );
  };
  const node = changeAgents(agents.node, change);
  for (const { key, keyRange } of programs.values())
    if (!taken.has(key)) {
      const spot = { place: `swarm.agents.${key}`, range: keyRange, at: [], entry: given };
      notes.refused(spot, { what: "the workflow has no such agent" });
    }
  return mapAt([{ ...agents, node }, ...membersOf(tree)], tree);
}

function changeAgents(
  agents: SourceNode,
  change: (node: SourceNode, name: string | undefined) => SourceNode,
): SourceNode {
  if (agents.kind === "list") {
    const nameOf = (item: SourceNode) =>
      textOf((entryOf(item, "id") ?? entryOf(item, "name"))?.node);
    return { ...agents, items: agents.items.map((item) => change(item, nameOf(item))) };
  }
  if (agents.kind !== "map") return agents;
  return mapAt(
    membersOf(agents).map((member) => ({ ...member, node: change(member.node, member.key) })),
    agents,
  );
}

const KEPT_OF_TRAJECTORY = [
  ...["enabled", "agentName", "dataDir", "taskSource"],
  ...["autoRecordMessages", "autoRecordReflections"],
];
const ALWAYS = { what: "what a pattern and its people decide is always told" };
const LEFT_OUT_OF_TRAJECTORY: Remarks = {
  autoDecisions: ALWAYS,
  reflectOnBarriers: { what: "reflection of the file says when the work is reflected on" },
  reflectOnConverge: { what: "reflection of the file says when the work is reflected on" },
};

/** What a file of relay says of trajectories: an object, or false for none. */
export function trajectoryOf(
  notes: Notes,
  entry: SourceEntry | undefined,
): SourceEntry | undefined {
  if (entry === undefined) return undefined;
  const { key, node, keyRange } = entry;
  if (node.kind === "scalar" && node.value === false) return undefined;
  if (node.kind !== "map") return entryAt("trajectory", node, keyRange);
  settleRest(
    notes,
    { entries: membersOf(node), place: key, at: ["trajectory"] },
    { taken: KEPT_OF_TRAJECTORY, leftOut: LEFT_OUT_OF_TRAJECTORY },
  );
  const kept = KEPT_OF_TRAJECTORY.flatMap((name) => entryOf(node, name) ?? []);
  return entryAt("trajectory", mapAt(kept, node), keyRange);
}

const KEPT_OF_REFLECTION = ["enabled", "reflector", "prompt"];
/** A message of no special kind; relay counts messages, and Troupe how important they are. */
const IMPORTANCE_OF_MESSAGE = 5;

/** What a file of relay says of reflection. */
export function reflectionOf(
  notes: Notes,
  entry: SourceEntry | undefined,
): SourceEntry | undefined {
  if (entry === undefined) return undefined;
  const { node, keyRange } = entry;
  if (node.kind !== "map") return entryAt("reflection", node, keyRange);
  const taken = [...KEPT_OF_REFLECTION, "threshold"];
  settleRest(
    notes,
    { entries: membersOf(node), place: "reflection", at: ["reflection"] },
    { taken },
  );
  const kept = KEPT_OF_REFLECTION.flatMap((name) => entryOf(node, name) ?? []);
  const threshold = thresholdOf(notes, entryOf(node, "threshold"));
  return entryAt("reflection", mapAt([...kept, threshold], node), keyRange);
}

function thresholdOf(notes: Notes, entry: SourceEntry | undefined): SourceEntry | undefined {
  if (entry?.node.kind !== "scalar" || typeof entry.node.value !== "number") return entry;
  const { node, keyRange } = entry;
  const importance = entry.node.value * IMPORTANCE_OF_MESSAGE;
  const spot = { place: "reflection.threshold", range: keyRange, at: ["reflection", "threshold"] };
  notes.changed(spot, {
    what: `it counts messages there, and their importance here: ${importance} is about as much`,
  });
  return entryAt("threshold", scalarAt(importance, node), keyRange);
}
