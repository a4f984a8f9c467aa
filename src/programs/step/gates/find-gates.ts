import type { Workspace } from "../../../contracts/host.ts";
import { isRecord } from "../../../foundation/json.ts";
import { parseShell } from "../../language/shell/shell-commands.ts";
import { type GateReference, gateReferences, sourcedPaths } from "./gate-references.ts";

/** What must be as it was when a step is checked. Paths are relative to the directory. */
export type Gate =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "entries"; readonly path: string; readonly names: readonly string[] };

const MAX_GATES = 100;
const SHELL_SHEBANG = /^#!.*\b(?:ba|da|a|z|k)?sh\b/;

/**
 * Follows references through entries of package.json and what scripts source, in the files as they are; what lies
 * outside of the directory cannot be watched from it and is left out.
 */
export async function findGates(
  workspace: Workspace,
  cwd: string,
  references: readonly GateReference[],
): Promise<readonly Gate[]> {
  const gates = new Map<string, Gate>();
  const pending = [...references];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (gates.size > MAX_GATES) break;
    for (const gate of gatesOf(next, cwd)) {
      const key = gate.kind === "file" ? gate.path : `${gate.path} ${gate.names.join()}`;
      if (gates.has(key) || !(await isInside(workspace, gate.path))) continue;
      gates.set(key, gate);
      pending.push(...(await followed(workspace, next, gate)));
    }
  }
  return [...gates.values()];
}

function gatesOf(reference: GateReference, cwd: string): readonly Gate[] {
  switch (reference.kind) {
    case "script":
      return toFile(reference.path, cwd);
    case "one-of":
      return reference.paths.flatMap((path) => toFile(path, cwd));
    case "entries": {
      const directory = reference.directory === "" ? "" : `${reference.directory}/`;
      return toFile(`${directory}package.json`, cwd).map(({ path }) => ({
        kind: "entries",
        path,
        names: reference.names,
      }));
    }
  }
}

function toFile(path: string, cwd: string): readonly { kind: "file"; path: string }[] {
  const own = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  const parts = own.split("/").filter((part) => part !== "." && part !== "");
  if (own.startsWith("/") || parts.includes("..") || parts.length === 0) return [];
  return [{ kind: "file", path: parts.join("/") }];
}

// A link may lead out of the directory, or the place hold no file.
async function isInside(workspace: Workspace, path: string): Promise<boolean> {
  try {
    if (await workspace.exists(path)) await workspace.readText(path);
    return true;
  } catch {
    return false;
  }
}

/** What the thing that a reference leads to runs in its turn. */
async function followed(
  workspace: Workspace,
  reference: GateReference,
  { path }: Gate,
): Promise<readonly GateReference[]> {
  if (reference.kind === "one-of" || !(await workspace.exists(path))) return [];
  const text = await workspace.readText(path);
  if (reference.kind === "entries")
    return reference.names.flatMap((name) => {
      const { directory } = reference;
      return gateReferences(parseShell(scriptEntryOf(text, name) ?? ""), { directory });
    });
  if (!reference.isSourced && !SHELL_SHEBANG.test(text.slice(0, 100))) return [];
  return sourced(workspace, path, text);
}

/** A literal path is taken from where the script was started, or from where it lies if it goes there first. */
async function sourced(
  workspace: Workspace,
  script: string,
  text: string,
): Promise<readonly GateReference[]> {
  const found: GateReference[] = [];
  for (const path of sourcedPaths(text)) {
    const beside = `${script.slice(0, script.lastIndexOf("/") + 1)}${path}`;
    const isBeside = beside !== path && (await workspace.exists(beside).catch(() => false));
    for (const one of isBeside ? [beside, path] : [path])
      found.push({ kind: "script", path: one, isSourced: true });
  }
  return found;
}

/** The entry of `scripts` in the text of a package.json; undefined when there is none, or no such text. */
export function scriptEntryOf(text: string, name: string): string | undefined {
  const scripts = parsed(text)?.["scripts"];
  if (!isRecord(scripts) || !Object.hasOwn(scripts, name)) return undefined;
  const entry = scripts[name];
  return typeof entry === "string" ? entry : undefined;
}

/** The text with these entries, null for one that shall not be there; undefined when it is no package.json. */
export function withEntries(
  text: string,
  entries: { readonly [name: string]: string | null },
): string | undefined {
  const content = parsed(text);
  if (content === undefined) return undefined;
  const scripts = isRecord(content["scripts"]) ? content["scripts"] : {};
  const kept = Object.entries({ ...scripts, ...entries }).filter(([, entry]) => entry !== null);
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  const end = text.endsWith("\n") ? "\n" : "";
  return JSON.stringify({ ...content, scripts: Object.fromEntries(kept) }, null, indent) + end;
}

function parsed(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
