import { type Token, tokenize } from "../../../programs/language/expressions/tokenize.ts";
import type { AgentTypeFinder } from "../../resolve/agent-type.ts";
import {
  entryOf,
  type MapNode,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import type { ForeignFile, ImportedTree } from "../parts/importer.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { createNotes, type Notes, type Remarks, settleRest } from "../parts/notes.ts";

const TAKEN: readonly string[] = [
  ...["id", "description", "steps", "initial_context", "parallel"],
  ...["max_iterations", "max_duration_ms"],
];
const RESULTS_KEPT = { what: "all results are kept, and a prompt is told those that it names" };
const JOURNALED = { what: "every run is kept and can be resumed" };
const EVERYTHING_SEEN = { what: "everything is recorded: see troupe logs and troupe report" };
const LEFT_OUT: Remarks = {
  max_context_size: RESULTS_KEPT,
  context_retention: RESULTS_KEPT,
  persist: JOURNALED,
  persist_dir: JOURNALED,
  debug: EVERYTHING_SEEN,
  trace: EVERYTHING_SEEN,
};

const EXPRESSIONS: readonly string[] = ["condition", "transform"];
const ROUTES: readonly string[] = ["next", "on_error", "on_approve", "on_reject", "then", "else"];
/** A route that leads to no step. */
const NOWHERE = "end";

/** Agents that opencode has without a file of theirs, and what they may do. */
const OF_OPENCODE: ReadonlyMap<string, { readonly [key: string]: string }> = new Map([
  ["plan", { backend: "opencode", permission_mode: "plan" }],
  ["build", { backend: "opencode" }],
  ["test", { backend: "opencode" }],
  ["review", { backend: "opencode" }],
]);

/** A workflow of OpenAgents as a step workflow. */
export function convertOpenAgentsFile({ root, options }: ForeignFile): ImportedTree {
  const notes = createNotes({ others: { what: "OpenAgents does not read it either" } });
  const entries = membersOf(root);
  settleRest(notes, { entries, place: "", at: [] }, { taken: TAKEN, leftOut: LEFT_OUT });
  const steps = entryOf(root, "steps");
  const ids = new Set(
    stepsIn(steps?.node).flatMap((step) => textOf(entryOf(step, "id")?.node) ?? []),
  );
  const kept = entries.filter(({ key }) => TAKEN.includes(key) && key !== "steps");
  const tree = mapAt(
    [
      ...kept,
      agentsOf(notes, steps, options.agentTypes),
      steps && { ...steps, node: convertSteps(steps.node, ids) },
    ],
    root,
  );
  return { root: tree, notes: notes.all() };
}

/** All steps, those within others too. */
function stepsIn(node: SourceNode | undefined): readonly MapNode[] {
  if (node?.kind !== "list") return [];
  return node.items.flatMap((step) =>
    step.kind === "map" ? [step, ...stepsIn(entryOf(step, "steps")?.node)] : [],
  );
}

function convertSteps(node: SourceNode, ids: ReadonlySet<string>): SourceNode {
  if (node.kind !== "list") return node;
  return { ...node, items: node.items.map((step) => convertStep(step, ids)) };
}

function convertStep(step: SourceNode, ids: ReadonlySet<string>): SourceNode {
  if (step.kind !== "map") return step;
  const members = membersOf(step).flatMap((entry) => {
    const { key, node } = entry;
    const given = textOf(node);
    if (ROUTES.includes(key) && given === NOWHERE && !ids.has(NOWHERE)) return [];
    if (key === "steps") return { ...entry, node: convertSteps(node, ids) };
    if (!EXPRESSIONS.includes(key) || given === undefined) return entry;
    return { ...entry, node: scalarAt(nameResults(given, ids), node) };
  });
  return mapAt(members, step);
}

/** Those of opencode that steps name and no file describes. */
function agentsOf(
  notes: Notes,
  steps: SourceEntry | undefined,
  types: AgentTypeFinder | undefined,
): SourceEntry | undefined {
  if (steps === undefined) return undefined;
  const found = new Map<string, SourceEntry>();
  for (const step of stepsIn(steps.node)) {
    const agent = entryOf(step, "agent");
    const name = textOf(agent?.node);
    const bounds = name === undefined ? undefined : OF_OPENCODE.get(name);
    if (agent === undefined || name === undefined || bounds === undefined) continue;
    if (found.has(name) || types?.find(name) !== undefined) continue;
    const members = Object.entries(bounds).map(([key, value]) =>
      entryAt(key, scalarAt(value, agent.node), agent.keyRange),
    );
    found.set(name, entryAt(name, mapAt(members, agent.node), agent.keyRange));
    notes.changed(
      { place: `agent ${name}`, range: agent.node, at: ["agents", name] },
      {
        what: `is an agent of opencode${name === "plan" ? ", which may not change files" : ""}`,
        hint: `to have another one, write .troupe/agents/${name}.md`,
      },
    );
  }
  if (found.size === 0) return undefined;
  return entryAt("agents", mapAt([...found.values()], steps.node), steps.keyRange);
}

/**
 * An expression in which results of steps have `context.` before them: OpenAgents takes them with and without. One that
 * cannot be read here, such as arithmetic, is left as it is: its check says so at its place.
 */
function nameResults(expression: string, ids: ReadonlySet<string>): string {
  const tokens = wordsOf(expression);
  const starts = tokens
    .filter(({ kind, text }, index) => {
      const isMember = tokens[index - 1]?.kind === "symbol" && tokens[index - 1]?.text === ".";
      const isFunction = tokens[index + 1]?.kind === "symbol" && tokens[index + 1]?.text === "(";
      return kind === "name" && !isMember && !isFunction && ids.has(text);
    })
    .map(({ span }) => span.start);
  // Piece by piece: an expression may be as long as a file.
  const pieces = [0, ...starts].map((start, index) => expression.slice(start, starts[index]));
  return pieces.join("context.");
}

function wordsOf(expression: string): readonly Token[] {
  try {
    return tokenize(expression);
  } catch {
    return [];
  }
}
