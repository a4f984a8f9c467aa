import type { TroupeError } from "../../foundation/errors.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { parseSource } from "../source/parse-source.ts";
import { entryOf, type MapNode, type SourceEntry, type SourceNode } from "../source/source-node.ts";
import { agentTypeInvalid } from "./errors.ts";
import { type AgentTypeReading, placeInType, readTypeHead } from "./read-agent-type.ts";
import { sharedBounds, withSharedBounds } from "./shared-bounds.ts";

/** An agent of the settings of opencode. */
export interface OpencodeAgent {
  readonly name: string;
  readonly reading: AgentTypeReading;
}

// Texts that opencode takes from elsewhere when it starts.
const TAKEN_FROM_ELSEWHERE = /\{(?:file|env):/;

/**
 * The agents in the text of an `opencode.json`, each with what holds there for all of them. One that only changes an
 * agent of opencode's own, or that is switched off, is none. `file` is how people know it; `others` is what other settings
 * say for all.
 */
export function readOpencodeAgents(
  text: string,
  file: string,
  others?: MapNode,
): readonly OpencodeAgent[] {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { root, faults } = parseSource(source, file);
  const [fault] = faults;
  if (fault !== undefined || root?.kind !== "map") {
    const problem = fault?.error.message ?? "it is no JSON object";
    const where = placeInType({ source, file }, fault?.range.start ?? 0);
    const error = agentTypeInvalid({ where, problem, ...present({ hint: fault?.error.hint }) });
    return [{ name: file, reading: { status: "invalid", error } }];
  }
  const own = sharedBounds(root);
  const shared = own === undefined ? others : withSharedBounds(own, others);
  const agents = entryOf(root, "agent")?.node;
  const entries = agents?.kind === "map" ? [...agents.entries.values()] : [];
  return entries.flatMap(({ key, node }) => {
    if (node.kind !== "map" || !ID_PATTERN.test(key) || !isAgent(node)) return [];
    return [
      { name: key, reading: readAgent(key, withSharedBounds(node, shared), { source, file }) },
    ];
  });
}

function isAgent(node: MapNode): boolean {
  const isOff = scalarAt(node, "disable") === true;
  return !isOff && ["prompt", "description"].some((key) => scalarAt(node, key) !== undefined);
}

function readAgent(
  name: string,
  node: MapNode,
  place: { readonly source: string; readonly file: string },
): AgentTypeReading {
  const prompt = entryOf(node, "prompt")?.node;
  const text = scalarAt(node, "prompt") ?? "";
  if (typeof text !== "string" || TAKEN_FROM_ELSEWHERE.test(text))
    return { status: "invalid", error: elsewhere(name, place, prompt ?? node) };
  const entries = new Map(node.entries);
  entries.delete("prompt");
  entries.delete("disable");
  // It is asked for by its name.
  if (!entries.has("description"))
    entries.set(
      "description",
      toEntry("description", { ...startOf(node), kind: "scalar", value: name }),
    );
  const promptStart = prompt === undefined ? node.start : prompt.start + 1;
  const root = { ...node, entries };
  return readTypeHead({ root, prompt: text, promptStart, nameless: name }, place);
}

function elsewhere(
  name: string,
  place: { readonly source: string; readonly file: string },
  { start }: SourceNode,
): TroupeError {
  return agentTypeInvalid({
    where: placeInType(place, start),
    problem: "its prompt is taken from elsewhere, which only opencode does",
    hint: `write the prompt there, or into .opencode/agent/${name}.md`,
  });
}

function scalarAt(node: MapNode, key: string): string | number | boolean | null | undefined {
  const found = entryOf(node, key)?.node;
  return found?.kind === "scalar" ? found.value : undefined;
}

function toEntry(key: string, node: SourceNode): SourceEntry {
  return { key, keyRange: startOf(node), node };
}

function startOf({ start }: SourceNode) {
  return { start, end: start };
}
