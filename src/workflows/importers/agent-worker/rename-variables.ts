import { placeInText } from "../../checks/place-in-text.ts";
import type { ScalarNode } from "../../source/source-node.ts";
import type { Notes } from "../parts/notes.ts";

/** A text of the file, and what its variables may name. */
export interface TextSpot {
  readonly node: ScalarNode;
  readonly place: string;
  readonly at: readonly string[];
  /** Outputs of the setup commands before it, and params. */
  readonly names: ReadonlySet<string>;
  /** The text of the whole file. */
  readonly source: string;
}

const VARIABLE = /\\?\$\{\{(?:\s*([^{}]+?)\s*\}\})?/g;
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["workflow.tag", "workflow.instance"],
  ["harness.name", "workflow.name"],
  ["harness.tag", "workflow.instance"],
  ["workspace.name", "workflow.name"],
  ["workspace.tag", "workflow.instance"],
]);
const KEPT: ReadonlySet<string> = new Set([
  ...["workflow.name", "workflow.instance", "instance", "context.channel", "context.document"],
]);
const DIRECTORY = "source.dir";
const MEMBER = /^(env|secrets)\.([A-Za-z_][A-Za-z0-9_]*)$/;

/** A text with the variables of agent-worker under their names here. What is no variable there stays text. */
export function renameVariables(notes: Notes, spot: TextSpot): ScalarNode {
  const { node } = spot;
  if (typeof node.value !== "string" || !node.value.includes("${{")) return node;
  const text = node.value;
  const value = text.replace(VARIABLE, (found: string, name: string | undefined, start: number) => {
    // Written for troupe already: agent-worker knows no such escape.
    if (found.startsWith("\\")) return found;
    const renamed = name === undefined ? undefined : nameOf(name, spot);
    if (renamed !== undefined) return renamed === name ? found : `\${{ ${renamed} }}`;
    tellKept(notes, spot, { found, name, start, text });
    return name === DIRECTORY ? found : `\\${found}`;
  });
  return { ...node, value };
}

function nameOf(name: string, { names }: TextSpot): string | undefined {
  if (KEPT.has(name) || names.has(name)) return name;
  const [, root, member] = MEMBER.exec(name) ?? [];
  if (root !== undefined) return `env.${member}`;
  return RENAMED.get(name);
}

interface Found {
  readonly found: string;
  readonly name: string | undefined;
  readonly start: number;
  readonly text: string;
}

function tellKept(notes: Notes, spot: TextSpot, { found, name, start, text }: Found): void {
  const { node, place, at, source } = spot;
  if (notes.isFull && name !== DIRECTORY) return;
  const range = placeInText({ text, node }, { start, end: start + found.length }, source);
  const where = { place: `${place}: ${found}`, range, at };
  if (name === DIRECTORY) {
    const hint = "write the path; setup commands run in the directory of the file";
    notes.refused(where, { what: "no variable holds the directory of the file", hint });
  } else {
    const what = "stays as it is written: nothing sets such a variable";
    notes.changed(where, { what });
  }
}
