import {
  entryOf,
  type MapNode,
  type SourceEntry,
  type SourceNode,
  type SourceRange,
} from "../../source/source-node.ts";
import type { ForeignFile } from "../parts/importer.ts";
import { durationEntry, entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, settleRest } from "../parts/notes.ts";
import { idEntry, namesIn, reference } from "./names.ts";
import type { ConvertedStep } from "./relay-parts.ts";

/** The steps of a file with what orders them. */
export interface OrderedFile {
  readonly notes: Notes;
  readonly patterns: ForeignFile["options"]["patterns"];
  /** The pattern as it is written. */
  readonly written: SourceEntry | undefined;
  /** Where the pattern stands that is not written. */
  readonly range: SourceRange;
  readonly steps: readonly ConvertedStep[];
}

/** Patterns of relay of which only the order of steps is taken over. */
const GRAPHS: ReadonlySet<string> = new Set([
  ...["map-reduce", "scatter-gather", "supervisor", "reflection", "red-team", "verifier"],
  ...["auction", "escalation", "saga", "circuit-breaker", "blackboard", "swarm", "competitive"],
  ...["review-loop"],
]);
const AT = ["pattern"];

/** The pattern of a file: its own if troupe has it and orders the steps as the file does, else `dag`. */
export function convertPattern(file: OrderedFile): SourceEntry {
  const { notes, written, range, steps } = file;
  const text = textOf(written?.node);
  if (written === undefined || text === undefined) {
    const chosen = steps.length === 0 ? "fan-out" : "dag";
    notes.changed(
      { place: "swarm.pattern", range, at: AT },
      { what: `is not said: it is ${chosen}` },
    );
    return entryAt("pattern", scalarAt(chosen, range), range);
  }
  const why = steps.length === 0 ? undefined : reasonForGraph(file, text);
  if (why === undefined) return entryAt("pattern", written.node, written.keyRange);
  const spot = { place: `swarm.pattern`, range: written.node, at: AT };
  notes.changed(spot, { what: `becomes dag: ${why}` });
  return entryAt("pattern", scalarAt("dag", written.node), written.keyRange);
}

function reasonForGraph({ patterns, steps }: OrderedFile, pattern: string): string | undefined {
  // What relay tells their agents is not what Troupe's patterns of these names do.
  if (GRAPHS.has(pattern)) return "its steps run as soon as what they depend on is done";
  const known = patterns.find(({ name }) => name === pattern);
  return known?.order === "list" && isOutOfOrder(steps)
    ? "its steps do not wait for each other in the order of the list"
    : undefined;
}

function isOutOfOrder(steps: readonly ConvertedStep[]): boolean {
  const seen = new Set<string>();
  const all = new Set(steps.map(({ id }) => id));
  for (const { id, dependsOn, uses } of steps) {
    const before = [...dependsOn.map((node) => textOf(node) ?? ""), ...uses];
    if (before.some((name) => all.has(name) && !seen.has(name))) return true;
    seen.add(id);
  }
  return false;
}

/**
 * The steps with what they wait for: what the file says, for steps that wait for nothing all of `first`, and the steps
 * whose output they use.
 */
export function orderSteps(
  { notes, steps }: Pick<OrderedFile, "notes" | "steps">,
  { isList, first }: { readonly isList: boolean; readonly first: readonly string[] },
): readonly SourceNode[] {
  const before = new Map(
    steps.map((step) => [step.id, new Set(step.dependsOn.map((node) => textOf(node) ?? ""))]),
  );
  return steps.map((step): SourceNode => {
    const { node, id } = step;
    const range = step.dependsOnRange ?? headOf(node);
    const used = isList ? [] : addUsed(step, before);
    for (const name of used) {
      const what = `waits for ${name} too, whose output it uses`;
      notes.changed({ place: `steps.${id}`, range, at: ["steps", id] }, { what });
    }
    const starts = step.dependsOn.length + used.length === 0 && !isList ? first : [];
    const added = [...used, ...starts].map((name) => scalarAt(name, range));
    const items = [...step.dependsOn, ...added];
    if (items.length === 0) return node;
    const list = { kind: "list", items, start: range.start, end: range.end } as const;
    return mapAt([...membersOf(node), entryAt("dependsOn", list, range)], node);
  });
}

/** The steps whose output a step uses without waiting for them, also by way of others; none that waits for it. */
function addUsed({ id, uses }: ConvertedStep, before: Map<string, Set<string>>): readonly string[] {
  return [...new Set(uses)].filter((name) => {
    if (name === id || reaches(before, id, name) || reaches(before, name, id)) return false;
    before.get(id)?.add(name);
    return true;
  });
}

function reaches(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  to: string,
): boolean {
  const reached = new Set([from]);
  for (const name of reached) {
    for (const earlier of before.get(name) ?? []) reached.add(earlier);
    if (reached.has(to)) return true;
  }
  return false;
}

function headOf(node: MapNode): SourceRange {
  const [first] = node.entries.values();
  return first?.keyRange ?? node;
}

const LEFT_OUT = {
  votingThreshold: { what: "the block of the pattern consensus says how votes count" },
  consensusStrategy: { what: "the block of the pattern consensus says how votes count" },
};

/** What of `coordination` orders steps; an agent in a barrier means its steps. */
export function convertCoordination(
  entry: SourceEntry | undefined,
  { notes, steps, written }: Pick<OrderedFile, "notes" | "steps" | "written">,
): readonly SourceEntry[] {
  if (entry?.node.kind !== "map") return entry === undefined ? [] : [entry];
  const { node, keyRange } = entry;
  const votes =
    textOf(written?.node) === "consensus" ? entryOf(node, "consensusStrategy") : undefined;
  settleRest(
    notes,
    { entries: membersOf(node), place: "coordination", at: ["coordination"] },
    { taken: ["barriers", "mode", ...(votes === undefined ? [] : [votes.key])], leftOut: LEFT_OUT },
  );
  const barriers = entryOf(node, "barriers");
  const members = [entryOf(node, "mode"), barriersOf(notes, barriers, steps)];
  const isEmpty = members.every((member) => member === undefined);
  const type = votes === undefined ? undefined : entryAt("type", votes.node, votes.keyRange);
  return [
    ...(isEmpty ? [] : [entryAt("coordination", mapAt(members, node), keyRange)]),
    ...(votes === undefined
      ? []
      : [entryAt("consensus", mapAt([type], votes.node), votes.keyRange)]),
  ];
}

function barriersOf(
  notes: Notes,
  entry: SourceEntry | undefined,
  steps: readonly ConvertedStep[],
): SourceEntry | undefined {
  if (entry?.node.kind !== "list") return entry;
  const items = entry.node.items.flatMap(
    (item, index) => barrierOf(item, { notes, index, steps }) ?? [],
  );
  return items.length === 0 ? undefined : { ...entry, node: { ...entry.node, items } };
}

function barrierOf(
  node: SourceNode,
  { notes, index, steps }: Pick<OrderedFile, "notes" | "steps"> & { readonly index: number },
): SourceNode | undefined {
  const named = entryOf(node, "id") ?? entryOf(node, "name");
  if (node.kind !== "map" || named === undefined) return node;
  const place = `coordination.barriers.${textOf(named.node) ?? index}`;
  const at = ["coordination", "barriers"];
  const taken = ["id", "name", "waitFor", "timeoutMs", "timeout", "type", "signal", "description"];
  settleRest(notes, { entries: membersOf(node), place, at }, { taken });
  const waitFor = entryOf(node, "waitFor");
  const items = namesIn(waitFor?.node).flatMap((name) => awaited(name, node, steps));
  if (waitFor === undefined || items.length === 0) {
    notes.leftOut({ place, range: named.node, at }, { what: "it waits for nothing" });
    return undefined;
  }
  const { start, end } = waitFor.node;
  return mapAt(
    [
      barrierId(notes, named, { place, at, steps }),
      entryAt("waitFor", { kind: "list", items, start, end }, waitFor.keyRange),
      entryOf(node, "type"),
      entryOf(node, "signal"),
      durationEntry("timeout", entryOf(node, "timeoutMs"), entryOf(node, "timeout")),
    ],
    node,
  );
}

/** A name of an agent means its steps: nothing asks agents of relay for a signal. */
function awaited(
  name: SourceNode,
  barrier: SourceNode,
  steps: readonly ConvertedStep[],
): readonly SourceNode[] {
  const text = textOf(name);
  const id = reference(name);
  const isStep = steps.some((step) => step.id === textOf(id));
  if (isStep || entryOf(barrier, "signal") !== undefined) return [id];
  const own = steps.filter(({ agent }) => agent === text);
  return own.length === 0 ? [id] : own.map((step) => scalarAt(step.id, name));
}

function barrierId(
  notes: Notes,
  named: SourceEntry,
  spot: { place: string; at: readonly string[]; steps: readonly ConvertedStep[] },
): SourceEntry {
  const id = idEntry(notes, named, spot);
  const text = textOf(id.node) ?? "";
  if (!spot.steps.some((step) => step.id === text)) return id;
  return { ...id, node: scalarAt(`${text.slice(0, 55)}-barrier`, id.node) };
}
