import type { Context } from "../../../contracts/context.ts";
import type { Workspace } from "../../../contracts/host.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { findGates, type Gate } from "./find-gates.ts";
import type { GateReference } from "./gate-references.ts";
import { entryOf, withEntries } from "./package-scripts.ts";

const MAX_GATE_CHARS = 262_144;
/** What became a link out of the directory, or no file. */
const UNREADABLE = Symbol("unreadable");

/** A file as it was before a step; `kept` is false for one that is too large to be put back, or no text. */
type FileBefore =
  | { readonly status: "missing" }
  | { readonly status: "there"; readonly hash: string; readonly text: string | null };

/** Entries of a package.json by name; null for one that was not there. */
type EntriesBefore = {
  readonly path: string;
  readonly text: string;
  readonly entries: { readonly [name: string]: string | null };
};

/** What checks a step, as it was before it. */
export type Gates = {
  readonly files: { readonly [path: string]: FileBefore };
  readonly packages: readonly EntriesBefore[];
};

/** What a step changed of that which checks it. */
export interface GateBreach {
  /** Is as it was again. */
  readonly restored: readonly string[];
  /** New, or too large to be kept: still as the step left it. */
  readonly left: readonly string[];
}

const NO_GATES: Gates = { files: {}, packages: [] };

/** Remembers what commands run as it is now. */
export async function rememberGates(
  context: Context,
  cwd: string,
  references: readonly GateReference[],
): Promise<Gates> {
  if (references.length === 0) return NO_GATES;
  return context.step("remember gates", async ({ host }) => {
    const workspace = host.workspace(cwd);
    const files: { [path: string]: FileBefore } = {};
    const packages: EntriesBefore[] = [];
    for (const gate of await findGates(workspace, cwd, references)) {
      if (gate.kind === "file") files[gate.path] = await readBefore(workspace, gate.path);
      else packages.push(...(await entriesBefore(workspace, gate)));
    }
    return { files, packages };
  });
}

/** Puts back what was changed. */
export async function restoreGates(
  context: Context,
  cwd: string,
  gates: Gates,
): Promise<GateBreach> {
  const nothing: GateBreach = { restored: [], left: [] };
  if (Object.keys(gates.files).length === 0 && gates.packages.length === 0) return nothing;
  return context.step("restore gates", async ({ host }) => {
    const workspace = host.workspace(cwd);
    const [restored, left]: [string[], string[]] = [[], []];
    for (const [path, before] of Object.entries(gates.files)) {
      const result = await restoreFile(workspace, path, before);
      if (result === "restored") restored.push(path);
      if (result === "left") left.push(path);
    }
    for (const before of gates.packages)
      restored.push(...(await restoreEntries(workspace, before)));
    return { restored, left };
  });
}

async function readBefore(workspace: Workspace, path: string): Promise<FileBefore> {
  const text = await textOf(workspace, path);
  if (text === undefined) return { status: "missing" };
  // What is no text would come back as something else.
  const isKept = text.length <= MAX_GATE_CHARS && !text.includes("\uFFFD");
  return { status: "there", hash: sha256(text), text: isKept ? text : null };
}

async function restoreFile(
  workspace: Workspace,
  path: string,
  before: FileBefore,
): Promise<"same" | "restored" | "left"> {
  const now = await textOf(workspace, path).catch(() => UNREADABLE);
  if (before.status === "missing") return now === undefined ? "same" : "left";
  if (typeof now === "string" && sha256(now) === before.hash) return "same";
  if (before.text === null) return "left";
  await workspace.writeText(path, before.text);
  return "restored";
}

async function entriesBefore(
  workspace: Workspace,
  { path, names }: Extract<Gate, { kind: "entries" }>,
): Promise<readonly EntriesBefore[]> {
  const text = await textOf(workspace, path);
  if (text === undefined) return [];
  const entries = Object.fromEntries(names.map((name) => [name, entryOf(text, name) ?? null]));
  return [{ path, text: text.length <= MAX_GATE_CHARS ? text : "", entries }];
}

/** Only the entries are put back: the rest of the file may be the step's work. */
async function restoreEntries(
  workspace: Workspace,
  { path, text, entries }: EntriesBefore,
): Promise<readonly string[]> {
  const now = (await textOf(workspace, path).catch(() => undefined)) ?? "";
  const changed = Object.entries(entries).filter(
    ([name, before]) => (entryOf(now, name) ?? null) !== before,
  );
  if (changed.length === 0) return [];
  await workspace.writeText(path, withEntries(now, Object.fromEntries(changed)) ?? text);
  return changed.map(([name]) => `${path} (scripts.${name})`);
}

/** Undefined for what is no file that can be read in the directory. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  return (await workspace.exists(path)) ? workspace.readText(path) : undefined;
}
