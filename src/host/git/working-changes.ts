import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import type { GitDoor } from "./git-door.ts";
import type { BranchHead } from "./git-head.ts";
import { lfsPointer } from "./lfs-pointer.ts";
import { nestedCommit, nestedFiles } from "./nested-files.ts";
import { assertReadable } from "./reading-hazards.ts";
import { listRealIndex } from "./real-index.ts";

/** A file that is not as the commit has it. */
export interface WorkingFile {
  /** From the root of the working tree. */
  readonly path: string;
  /** `added`: new, and known to the index of the repository. */
  readonly kind: "edited" | "deleted" | "added" | "new";
  /** The filter through which git would store it; undefined for none. */
  readonly filter: string | undefined;
}

/** A repository within the working tree that the commit names by the id of a commit of its own. */
export interface WorkingLink {
  readonly path: string;
  readonly committed: string;
  /** What is checked out there; what was committed where nothing is. */
  readonly present: string;
}

/** How a working tree differs from the commit that it has checked out. */
export interface WorkingChanges {
  readonly head: BranchHead;
  readonly files: readonly WorkingFile[];
  readonly links: readonly WorkingLink[];
}

const LINK_MODE = "160000";

/**
 * Compares a working tree with its commit, on an index that only Troupe has: no flag in the repository's own can
 * hide a change. Nested repositories count by their commit, and by their files where no commit names them. What
 * is Troupe's own is left out. Raises HOST_GIT_FAILED. Only one at a time per door.
 */
export async function readWorkingChanges(door: GitDoor): Promise<WorkingChanges> {
  const { place, ownFiles } = door;
  await assertReadable({ place, leftOut: ownFiles });
  const head = headOf(door);
  await prepareIndex(door, head);
  const flags = ["-t", "-z", "-m", "-d", "-o", "--exclude-standard"];
  const listed = fields((await door.must(["ls-files", ...flags])).stdout);
  const found = toFiles(door, listed);
  return {
    head,
    files: await withoutUnchanged(door, await withAdded(door, found)),
    links: [...door.memory.links].map(([path, committed]) => {
      const present = isLeftOut(door, path) ? undefined : nestedCommit(join(place.root, path));
      return { path, committed, present: present ?? committed };
    }),
  };
}

/** Whether a path is Troupe's own. */
function isLeftOut({ place, ownFiles }: GitDoor, path: string): boolean {
  const absolute = join(place.root, path);
  return ownFiles.some((own) => absolute === own || absolute.startsWith(`${own}/`));
}

/** The texts between NUL characters. */
export function fields(output: string): readonly string[] {
  return output.split("\0").filter((field) => field !== "");
}

/** Where a working tree stands. Raises HOST_GIT_FAILED where that cannot be known. */
export function headOf(door: GitDoor): BranchHead {
  const head = door.head();
  if (head !== undefined) return head;
  const kept = door.settings.refStorage;
  const reason =
    kept === undefined ? "its HEAD is not readable" : `its branches are kept as "${kept}"`;
  throw gitFailed({ cwd: door.place.root, action: "reading of HEAD", reason });
}

/** An index of the commit alone, with the times of the files as they are now. */
async function prepareIndex(door: GitDoor, { commit }: BranchHead): Promise<void> {
  const { memory } = door;
  if (memory.indexOf === commit && commit !== undefined) return;
  memory.indexOf = undefined;
  await door.must(commit === null ? ["read-tree", "--empty"] : ["read-tree", commit]);
  memory.links = await takeLinksOut(door);
  if (door.settings.isSparse) await skipSparse(door);
  // It ends with 1 where files differ.
  await door.run(["update-index", "-q", "--refresh"]);
  memory.indexOf = commit;
}

/** What is in the index for nested repositories would have git look into them. */
async function takeLinksOut(door: GitDoor): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  for (const entry of fields((await door.must(["ls-files", "-s", "-z"])).stdout)) {
    const [mode, id = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    if (mode === LINK_MODE) links.set(entry.slice(entry.indexOf("\t") + 1), id);
  }
  if (links.size === 0) return links;
  const stdin = [...links].map(([path, id]) => removal(path, id.length)).join("");
  await door.must(["update-index", "-z", "--index-info"], { stdin });
  return links;
}

/** A line that takes a path out of an index. */
export function removal(path: string, idLength: number): string {
  return `0 ${"0".repeat(idLength)}\t${path}\0`;
}

/** Files that a sparse checkout leaves out, as long as they are not there. */
async function skipSparse(door: GitDoor): Promise<void> {
  const skipped = ((await listRealIndex(door, ["-t"])) ?? [])
    .filter((entry) => entry.startsWith("S "))
    .map((entry) => entry.slice(2))
    .filter((path) => !existsSync(join(door.place.root, path)));
  if (skipped.length === 0) return;
  const stdin = skipped.map((path) => `${path}\0`).join("");
  await door.run(["update-index", "--skip-worktree", "-z", "--stdin"], { stdin });
}

/** `-t` prints a letter before each path; what is gone is listed as changed, too. */
function toFiles(door: GitDoor, listed: readonly string[]): readonly WorkingFile[] {
  const { root } = door.place;
  const kinds = new Map<string, WorkingFile["kind"]>();
  for (const entry of listed) {
    const [letter, path] = [entry[0], entry.slice(2)];
    if (isLeftOut(door, path)) continue;
    if (letter === "R") kinds.set(path, "deleted");
    else if (letter === "C" && !kinds.has(path)) kinds.set(path, "edited");
    else if (letter === "?" && !path.endsWith("/")) kinds.set(path, "new");
    else if (letter === "?" && !door.memory.links.has(path.slice(0, -1)))
      for (const below of nestedFiles(root, path.slice(0, -1)))
        if (!isLeftOut(door, below)) kinds.set(below, "new");
  }
  return [...kinds].map(([path, kind]) => ({ path, kind, filter: undefined }));
}

async function withAdded(
  door: GitDoor,
  files: readonly WorkingFile[],
): Promise<readonly WorkingFile[]> {
  if (!files.some(({ kind }) => kind === "new")) return files;
  const known = new Set(await listRealIndex(door, []));
  return files.map((file) =>
    file.kind === "new" && known.has(file.path) ? { ...file, kind: "added" } : file,
  );
}

/** Says which filters files have, and leaves out what only looks changed because its filter was not run. */
async function withoutUnchanged(
  door: GitDoor,
  files: readonly WorkingFile[],
): Promise<readonly WorkingFile[]> {
  const asked = files.filter(({ kind }) => kind !== "deleted");
  if (asked.length === 0) return files;
  const stdin = asked.map(({ path }) => `${path}\0`).join("");
  const { stdout } = await door.must(["check-attr", "-z", "--stdin", "filter"], { stdin });
  const filters = new Map<string, string>();
  const answers = stdout.split("\0");
  for (let index = 0; index + 2 < answers.length; index += 3) {
    const value = answers[index + 2] ?? "";
    // What nobody has configured does nothing, as in git itself; what is trusted git has run.
    const { filters: configured, runs } = door.settings;
    if (value === "lfs" || (configured.has(value) && !runs.has(value)))
      filters.set(answers[index] ?? "", value);
  }
  if (filters.size === 0) return files;
  const known = files.map((file) => ({ ...file, filter: filters.get(file.path) }));
  const committed = await blobsOf(
    door,
    known.filter(({ kind, filter }) => kind === "edited" && filter === "lfs"),
  );
  return known.filter(({ path, kind, filter }) => {
    if (kind !== "edited" || filter !== "lfs") return true;
    const pointer = lfsPointer(join(door.place.root, path));
    return pointer === undefined || blobId(pointer, committed.get(path)) !== committed.get(path);
  });
}

/** The ids that the index has for files. */
async function blobsOf(
  door: GitDoor,
  files: readonly WorkingFile[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  if (files.length === 0) return ids;
  const wanted = new Set(files.map(({ path }) => path));
  for (const entry of fields((await door.must(["ls-files", "-s", "-z"])).stdout)) {
    const path = entry.slice(entry.indexOf("\t") + 1);
    if (wanted.has(path)) ids.set(path, entry.split(" ", 2)[1] ?? "");
  }
  return ids;
}

function blobId(text: string, like: string | undefined): string {
  const algorithm = like?.length === 64 ? "sha256" : "sha1";
  return createHash(algorithm)
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
}
