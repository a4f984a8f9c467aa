import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { SourceRange } from "../../source/source-node.ts";
import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import type { ForeignFile } from "../parts/importer.ts";
import { entryAt, isNothing, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, type Remark, settleRest } from "../parts/notes.ts";
import { namesIn } from "./names.ts";

/** What an agent may do, and where it stands. */
export interface PermissionSpot {
  /** `permissions` of the agent: a preset, or an object. */
  readonly entry: SourceEntry | undefined;
  /** `permission_profiles` of the file. */
  readonly profiles: SourceNode | undefined;
  readonly place: string;
  readonly at: readonly string[];
}

/** The names that every agent may do what it does by default with. */
const OPEN: ReadonlySet<string> = new Set(["readwrite", "full"]);
const EVERYTHING = "**";
const TAKEN = ["profile", "access", "files", "network", "exec", "description", "why", "inherit"];
const SCOPES = { what: "troupe gives agents no tokens, so there is nothing to put them into" };
const READING = {
  what: "troupe keeps no agent from reading files of the project, so it could read more",
  hint: "keep such files out of the project, or remove this if reading them does no harm",
};
const NETWORK = {
  what: "the agent could reach more of the network",
  hint: "use isolation: sandbox, and sandbox.network of the configuration for its hosts",
};
const COMMANDS = {
  what: "no agent has a list of commands of its own, so it could run others",
  hint: "write permissions: { allow: [Bash(npm test*)] } into the configuration, and remove this",
};

/** The constraints that the permissions of an agent are. What would leave it more than they do is refused. */
export function convertPermissions(notes: Notes, spot: PermissionSpot): readonly SourceEntry[] {
  const { entry, place, at } = spot;
  if (entry === undefined || isNothing(entry.node)) return [];
  const settings = settingsOf(notes, spot);
  tellRest(notes, settings, { entry, place: `${place}.permissions`, at });
  const access = settings.find(({ key }) => key === "access");
  const files = settings.find(({ key }) => key === "files");
  return filesOf(notes, { access, files, entry, place: `${place}.permissions`, at });
}

/** The members of the permissions with those of the profile that they name. */
function settingsOf(
  notes: Notes,
  { entry, profiles, place, at }: PermissionSpot,
): readonly SourceEntry[] {
  if (entry === undefined) return [];
  if (entry.node.kind !== "map") return [entryAt("access", entry.node, entry.keyRange)];
  const named = entryOf(entry.node, "profile");
  const name = textOf(named?.node);
  if (named === undefined || name === undefined) return membersOf(entry.node);
  const profile = entryOf(profiles, name);
  if (profile === undefined) {
    const spot = { place: `${place}.permissions.profile`, range: named.node, at, entry };
    notes.refused(spot, { what: `permission_profiles has no ${JSON.stringify(name)}` });
  }
  const own = membersOf(entry.node);
  const given = membersOf(profile?.node).filter(
    ({ key }) => entryOf(entry.node, key) === undefined,
  );
  return [...own, ...given];
}

function tellRest(
  notes: Notes,
  settings: readonly SourceEntry[],
  { entry, place, at }: Omit<FileRules, "access" | "files">,
): void {
  const unknown = settings.filter(({ key }) => !TAKEN.includes(key) && key !== "scopes");
  const lost = { what: "troupe does not know what it forbids" };
  settleRest(
    notes,
    { entries: settings, place, at },
    {
      taken: TAKEN,
      leftOut: { scopes: SCOPES },
      refused: Object.fromEntries(unknown.map(({ key }) => [key, lost])),
    },
  );
  for (const { key, keyRange, node } of settings) {
    const spot = { place: `${place}.${key}`, range: keyRange, at, entry };
    const isOpen = node.kind === "scalar" && node.value === true;
    if (key === "network" && !isOpen) notes.refused(spot, NETWORK);
    if (key === "exec" && !isNothing(node)) notes.refused(spot, COMMANDS);
  }
}

interface FileRules {
  readonly access: SourceEntry | undefined;
  readonly files: SourceEntry | undefined;
  readonly entry: SourceEntry;
  readonly place: string;
  readonly at: readonly string[];
}

function filesOf(notes: Notes, rules: FileRules): readonly SourceEntry[] {
  const { access, files, entry, place, at } = rules;
  const name = textOf(access?.node) ?? "readwrite";
  const denied = entryOf(files?.node, "deny");
  const isBounded = !OPEN.has(name);
  if (isBounded && name !== "readonly") {
    const what = name === "restricted" ? READING : { what: `there is no access ${name}` };
    const range = access?.node ?? entry.node;
    notes.refused({ place: `${place}.access`, range, at, entry }, what);
  }
  if (denied !== undefined && !isNothing(denied.node))
    notes.refused({ place: `${place}.files.deny`, range: denied.keyRange, at, entry }, READING);
  if (!isBounded) return [];
  const writable = entryOf(files?.node, "write");
  if (writable !== undefined && namesIn(writable.node).length > 0) return [scopeOf(writable)];
  const { node } = access ?? entry;
  return [entryAt("readOnly", listOf([scalarAt(EVERYTHING, node)], node), entry.keyRange)];
}

function scopeOf({ node, keyRange }: SourceEntry): SourceEntry {
  const include = entryAt("include", listOf(namesIn(node), node), keyRange);
  return entryAt("fileScope", mapAt([include], node), keyRange);
}

function listOf(items: readonly SourceNode[], { start, end }: SourceNode): SourceNode {
  return { kind: "list", items, start, end };
}

const IGNORE_FILES: ReadonlyMap<string, Remark> = new Map([
  [
    ".agentignore",
    {
      what: "troupe does not read it, so agents could read the files that it hides",
      hint: "move such files out of the project, and remove it",
    },
  ],
  [
    ".agentreadonly",
    {
      what: "troupe does not read it, so agents could write the files that it protects",
      hint: "write its lines into constraints: { readOnly: [...] } of the agents, and remove it",
    },
  ],
]);

/** Refuses a workflow whose project keeps agents from files by files of relay, for all agents or for one. */
export function tellIgnoreFiles(notes: Notes, { options }: ForeignFile, range: SourceRange): void {
  const { fileDirectory, cwd, projectRoot } = options;
  const around = [fileDirectory, cwd, projectRoot].filter((each) => each !== undefined);
  const directories = new Set(around.flatMap((each) => [each, ...projectAround(each)]));
  for (const name of new Set([...directories].flatMap(filesIn))) {
    const remark = IGNORE_FILES.get(/\.agent(?:ignore|readonly)$/.exec(name)?.[0] ?? "");
    if (remark === undefined) continue;
    const entry = entryAt(name, scalarAt(true, range), range);
    notes.refused({ place: name, range, at: [], entry }, remark);
  }
}

function filesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The project of a file in `.relay` or `.relay/workflows`. */
function projectAround(directory: string): readonly string[] {
  const folder = basename(directory) === "workflows" ? dirname(directory) : directory;
  return basename(folder) === ".relay" ? [dirname(folder)] : [];
}
