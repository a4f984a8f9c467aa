import { isStandingName } from "../../../programs/language/pattern-names.ts";
import { placeInText } from "../../checks/place-in-text.ts";
import type { ScalarNode, SourceEntry, SourceNode } from "../../source/source-node.ts";
import { entryAt, mapAt, scalarAt } from "../parts/nodes.ts";
import type { Notes } from "../parts/notes.ts";
import { idOf } from "./names.ts";

/** What variables of a file may name, and what they turn out to name besides. */
export interface RelayScope {
  readonly notes: Notes;
  /** The text of the whole file. */
  readonly source: string;
  /** Names of steps and agents, as written. */
  readonly steps: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  /** Variables that nothing declares, by their names as params. */
  readonly params: Map<string, SourceEntry>;
}

/** A text of the file with variables. */
export interface RelayText {
  readonly node: SourceNode;
  /** The path in the file. */
  readonly place: string;
  readonly at: readonly string[];
}

/** A text with the variables of relay under their names here, and the ids of the steps whose output it uses. */
export interface ConvertedText {
  readonly node: SourceNode;
  readonly uses: readonly string[];
}

const MARK = /(\$?)(\\?)\{\{(?:([^{}]{1,256})\}\})?/g;
const VARIABLE = /^(\s*)([A-Za-z0-9_][\w.-]*)(\s*)(?:\|\s*([\w-]+)\s*)?$/;
/** Names of steps may have spaces. */
const OF_STEP = /^(\s*)(steps\.[^|]*[^|\s])(\s*)(?:\|\s*([\w-]+)\s*)?$/;
const STEP = /^steps\.(.+)\.(output|text|status)$/;
const AGENT = /^agents\.(.+)\.name$/;

/** Rewrites the variables of a text; braces that are no variable of relay stay text. */
export function convertText(scope: RelayScope, text: RelayText): ConvertedText {
  const { node } = text;
  if (node.kind === "list") {
    const items = node.items.map((item) => convertText(scope, { ...text, node: item }));
    const uses = items.flatMap((item) => item.uses);
    return { node: { ...node, items: items.map((item) => item.node) }, uses };
  }
  if (node.kind !== "scalar" || typeof node.value !== "string") return { node, uses: [] };
  const uses: string[] = [];
  let value = "";
  let offset = 0;
  for (const match of node.value.matchAll(MARK)) {
    const [found] = match;
    const variable = readMark(scope, { ...text, node }, match);
    if (variable?.step !== undefined) uses.push(variable.step);
    value += node.value.slice(offset, match.index) + (variable?.text ?? `\\${found}`);
    offset = match.index + found.length;
  }
  return { node: { ...node, value: value + node.value.slice(offset) }, uses };
}

/** What stands in place of braces; undefined for text. */
function readMark(
  scope: RelayScope,
  text: RelayText & { readonly node: ScalarNode },
  match: RegExpExecArray,
): { readonly text: string; readonly step?: string } | undefined {
  const [found, dollar = "", backslash = "", name] = match;
  // Troupe reads neither as a variable.
  if (dollar !== "" || backslash !== "") return { text: found };
  if (name === undefined) return undefined;
  const variable = readVariable(scope, { ...text, found, start: match.index }, name);
  if (variable === undefined) return undefined;
  const { step } = variable;
  const filled = `{{${variable.name}${variable.filter}}}`;
  return step === undefined ? { text: filled } : { text: filled, step };
}

/** A text in which relay reads no variables. */
export function escapedText(node: SourceNode): SourceNode {
  if (node.kind !== "scalar" || typeof node.value !== "string") return node;
  return { ...node, value: node.value.replaceAll("{{", "\\{{") };
}

/** The params that the variables of a file are. */
export function paramsOf(scope: RelayScope, declared: SourceEntry | undefined): SourceEntry[] {
  const [first] = scope.params.values();
  if (first === undefined) return declared === undefined ? [] : [declared];
  const own = declared?.node.kind === "map" ? [...declared.node.entries.values()] : [];
  const { keyRange } = declared ?? first;
  return [entryAt("params", mapAt([...own, ...scope.params.values()], keyRange), keyRange)];
}

interface Found extends RelayText {
  readonly node: ScalarNode;
  readonly found: string;
  readonly start: number;
}

interface Variable {
  readonly name: string;
  readonly filter: "" | " | first-line";
  /** The step whose output it is. */
  readonly step?: string;
}

function readVariable(scope: RelayScope, spot: Found, written: string): Variable | undefined {
  const [, before = "", path = "", after = "", filter] =
    OF_STEP.exec(written) ?? VARIABLE.exec(written) ?? [];
  if (path === "") return undefined;
  if (filter !== undefined && filter !== "first-line")
    return stays(scope, spot, `there is no filter ${filter}`);
  const known = { filter: filter === undefined ? "" : " | first-line" } as const;
  if (isStandingName(path)) return { name: path, ...known };
  const [, agent] = AGENT.exec(path) ?? [];
  if (agent !== undefined && scope.agents.has(agent))
    return { name: `agents.${idOf(agent)}.name`, ...known };
  if (path.startsWith("steps.")) {
    const [, step, member] = STEP.exec(path) ?? [];
    if (step === undefined || !scope.steps.has(step))
      return stays(scope, spot, "no step has such an output");
    const id = idOf(step);
    return { name: `steps.${id}.${member}`, ...known, step: id };
  }
  // Relay reads no variable with spaces around its name.
  const hasSpaces = before !== "" || (after !== "" && filter === undefined);
  return hasSpaces ? undefined : { name: `params.${paramFor(scope, spot, path)}`, ...known };
}

function stays({ notes, source }: RelayScope, spot: Found, why: string): undefined {
  if (notes.isFull) return undefined;
  const { place, at, found } = spot;
  const where = { place: `${place}: ${found}`, range: rangeOf(spot, source), at };
  notes.changed(where, { what: `stays as it is written: ${why}` });
}

function rangeOf({ node, found, start }: Found, source: string) {
  const text = typeof node.value === "string" ? node.value : "";
  return placeInText({ text, node }, { start, end: start + found.length }, source);
}

/** The param that a variable is; one that nothing declares is a text that has to be given. */
function paramFor(scope: RelayScope, spot: Found, path: string): string {
  const id = idOf(path.replace(/^params\./, ""));
  if (scope.params.has(id)) return id;
  const range = rangeOf(spot, scope.source);
  const spec = mapAt([entryAt("type", scalarAt("string", range), range)], range);
  scope.params.set(id, entryAt(id, spec, range));
  return id;
}
