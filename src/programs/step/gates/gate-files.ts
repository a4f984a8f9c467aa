import type { Workspace } from "../../../contracts/host.ts";
import type { Context } from "../../../contracts/ports/context.ts";
import { gatesTooMany } from "../../errors.ts";
import { findGates, type Gate, scriptEntryOf, withEntries } from "./find-gates.ts";
import type { GateReference } from "./gate-references.ts";
import { changedTests, markTests, type TestMark } from "./test-files.ts";
import type { PlaceOfWork } from "./work-place.ts";

const MAX_GATE_CHARS = 262_144;
/** Of all gates of a step together: they stand in the journal. */
const MAX_KEPT_CHARS = 1_048_576;
const MOST_PROTECTED = 2000;
/** How a workspace tells that there is no file. */
const ABSENT = "absent";

/** A file as it was before a step; `text` is null for one that is too large to be put back, or no text. */
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
  /** Patterns of a file; what comes to be that they stand for has changed as well. */
  readonly protects: readonly string[];
  readonly tests: TestMark;
  /** Whether they are those of the place where the step works: earlier versions knew of no worktrees. Undefined without any. */
  readonly isPlaced: boolean | undefined;
};

/** What is to be remembered of a place before a step. */
export interface WatchedGates {
  /** What the commands of its checks run. */
  readonly references: readonly GateReference[];
  /** Patterns of what is named instead (WF-11). */
  readonly protects: readonly string[];
  /** Whether changes of test files are told. */
  readonly tellsTests: boolean;
}

/** What a step changed of that which checks it. */
export interface GateBreach {
  /** Is as it was again. */
  readonly restored: readonly string[];
  /** New, or too large to be kept: still as the step left it. */
  readonly left: readonly string[];
  /** Test files and configuration of CI that were there before, changed or gone: no breach. */
  readonly tests: readonly string[];
}

const NO_GATES: Gates = {
  ...{ files: {}, packages: [], protects: [], tests: { kind: "unknown" } },
  isPlaced: undefined,
};

/** Remembers what checks a step as it is now. Raises GATES_TOO_MANY. */
export async function rememberGates(
  context: Context,
  place: PlaceOfWork,
  { references, protects, tellsTests }: WatchedGates,
): Promise<Gates> {
  if (references.length + protects.length === 0 && !tellsTests) return NO_GATES;
  const found = await context.step("remember gates", async (call) => {
    const { host } = call;
    const { cwd } = await place.find(call);
    const workspace = host.workspace(cwd);
    const files = new Set<string>();
    const packages: EntriesBefore[] = [];
    for (const gate of await findGates(workspace, cwd, references)) {
      if (gate.kind === "file") files.add(gate.path);
      else packages.push(...(await entriesBefore(workspace, gate)));
    }
    for (const path of await protectedFiles(workspace, protects)) files.add(path);
    const tests: TestMark = tellsTests ? await markTests(host, cwd) : { kind: "unknown" };
    const kept: KeptGates = {
      ...{ files: await readAll(workspace, [...files]), packages, protects, tests },
      isPlaced: true,
    };
    return kept;
  });
  return { ...found, isPlaced: found.isPlaced === true };
}

/** As the journal has them. */
type KeptGates = Omit<Gates, "isPlaced"> & { readonly isPlaced?: true };

async function protectedFiles(
  workspace: Workspace,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const found = patterns.length === 0 ? [] : await workspace.list(patterns, MOST_PROTECTED);
  if (found === undefined)
    throw gatesTooMany({ patterns: patterns.join(", "), most: MOST_PROTECTED });
  return found;
}

/** Puts back what was changed. */
export async function restoreGates(
  context: Context,
  place: PlaceOfWork,
  gates: Gates,
): Promise<GateBreach> {
  const { files, packages, protects, tests } = gates;
  const hasGates = Object.keys(files).length + packages.length + protects.length > 0;
  if (!hasGates && tests.kind === "unknown") return { restored: [], left: [], tests: [] };
  return context.step("restore gates", async (call) => {
    const { host } = call;
    const { cwd } = await place.find(call);
    const workspace = host.workspace(cwd);
    const [restored, left]: [string[], string[]] = [[], []];
    for (const [path, before] of Object.entries(files)) {
      const result = await restoreFile(workspace, path, before);
      if (result === "restored") restored.push(path);
      if (result === "left") left.push(path);
    }
    for (const before of packages) restored.push(...(await restoreEntries(workspace, before)));
    // A flood of new files is a breach like one of them.
    const now = (await workspace.list(protects, MOST_PROTECTED * 2)) ?? protects;
    left.push(...now.filter((path) => files[path] === undefined));
    return { restored, left, tests: await changedTests(host, cwd, tests) };
  });
}

async function readAll(
  workspace: Workspace,
  paths: readonly string[],
): Promise<{ readonly [path: string]: FileBefore }> {
  const files: { [path: string]: FileBefore } = {};
  let room = MAX_KEPT_CHARS;
  for (const path of paths) {
    const hash = await workspace.print(path);
    if (hash === ABSENT) files[path] = { status: "missing" };
    else {
      const text = await keepable(workspace, path, Math.min(room, MAX_GATE_CHARS));
      room -= text?.length ?? 0;
      files[path] = { status: "there", hash, text: text ?? null };
    }
  }
  return files;
}

/** Undefined for what would come back as something else: a link, no text, or more than there is room for. */
async function keepable(
  workspace: Workspace,
  path: string,
  room: number,
): Promise<string | undefined> {
  const text = await textOf(workspace, path).catch(() => undefined);
  return text === undefined || text.length > room || text.includes("\uFFFD") ? undefined : text;
}

async function restoreFile(
  workspace: Workspace,
  path: string,
  before: FileBefore,
): Promise<"same" | "restored" | "left"> {
  const now = await workspace.print(path).catch(() => "unreadable");
  if (now === (before.status === "missing" ? ABSENT : before.hash)) return "same";
  if (before.status === "missing") return "left";
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
  const entries = Object.fromEntries(
    names.map((name) => [name, scriptEntryOf(text, name) ?? null]),
  );
  return [{ path, text: text.length <= MAX_GATE_CHARS ? text : "", entries }];
}

/** Only the entries are put back: the rest of the file may be the step's work. */
async function restoreEntries(
  workspace: Workspace,
  { path, text, entries }: EntriesBefore,
): Promise<readonly string[]> {
  const now = (await textOf(workspace, path).catch(() => undefined)) ?? "";
  const changed = Object.entries(entries).filter(
    ([name, before]) => (scriptEntryOf(now, name) ?? null) !== before,
  );
  if (changed.length === 0) return [];
  await workspace.writeText(path, withEntries(now, Object.fromEntries(changed)) ?? text);
  return changed.map(([name]) => `${path} (scripts.${name})`);
}

/** Undefined for what is no file that can be read in the directory. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  return (await workspace.exists(path)) ? workspace.readText(path) : undefined;
}
