import { copyFileSync, lstatSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { gitFailed, gitFiltered } from "../system/errors.ts";
import type { DoorOptions, GitDoor } from "./git-door.ts";
import { keepLfsObject, lfsPointer } from "./lfs-pointer.ts";
import { removal, type WorkingChanges, type WorkingFile } from "./working-changes.ts";

/** What of a working tree becomes a tree. */
export interface StagedPart {
  readonly changes: WorkingChanges;
  /** Whether files are part of it that git does not know yet. */
  readonly takesNew: boolean;
  /** Absolute directory that the objects go to; that of the shadow without it. */
  readonly objects: string | undefined;
}

/** A tree of the files as they are now. */
export interface StagedTree {
  readonly tree: string;
  /** The index that it was written from, absolute. */
  readonly index: string;
  /** Files that are stored through a filter that is not run: they are in the tree as they were. */
  readonly filtered: readonly WorkingFile[];
}

const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;

/** Writes the files of a working tree as a tree, in an index beside that of the door. Raises HOST_GIT_FAILED. */
export async function stageWork(door: GitDoor, part: StagedPart): Promise<StagedTree> {
  const { changes, takesNew, objects } = part;
  const index = join(door.directory, "index.work");
  copyIndex(join(door.directory, "index"), index);
  const env = {
    GIT_INDEX_FILE: index,
    ...(objects === undefined ? {} : { GIT_OBJECT_DIRECTORY: objects }),
  };
  const files = changes.files.filter(({ kind }) => takesNew || kind !== "new");
  const isForeign = ({ filter, kind }: WorkingFile) =>
    filter !== undefined && filter !== "lfs" && kind !== "deleted";
  await addFiles(
    door,
    files.filter((file) => !isForeign(file)),
    env,
  );
  const idLength = (changes.head.commit ?? "").length || idLengthOf(door);
  const lines = changes.links.map(({ path, present }) => `160000 ${present}\t${path}\0`);
  const gone = files.filter(({ path }) => !isStorable(door, path));
  const stdin = [...gone.map(({ path }) => removal(path, idLength)), ...lines].join("");
  if (stdin !== "") await door.must(["update-index", "-z", "--index-info"], { env, stdin });
  const { stdout } = await door.must(["write-tree", "--missing-ok"], { env });
  return { tree: stdout.trim(), index, filtered: files.filter(isForeign) };
}

/** Raises HOST_GIT_FILTERED where work would be stored without the filter that it belongs through. */
export function assertUnfiltered(door: GitDoor, { filtered }: StagedTree): void {
  const [file] = filtered;
  if (file === undefined) return;
  const { path, filter = "" } = file;
  const { root: directory } = door.place;
  const isUsers = door.settings.userFilters.has(filter);
  throw gitFiltered({ path, filter, directory, isUsers, more: filtered.length - 1 });
}

/**
 * With its time: a file that was changed in the second in which the index was written, and is as long as before,
 * is known as changed by that time alone.
 */
function copyIndex(from: string, to: string): void {
  const { atimeMs, mtimeMs } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atimeMs / 1000, Math.floor(mtimeMs) / 1000);
}

async function addFiles(
  door: GitDoor,
  files: readonly WorkingFile[],
  env: NonNullable<DoorOptions["env"]>,
): Promise<void> {
  const there = files.filter(({ path }) => isStorable(door, path));
  const asIs = there.filter(({ filter }) => filter !== "lfs");
  if (asIs.length > 0) {
    const stdin = asIs.map(({ path }) => `${path}\0`).join("");
    await door.must(["update-index", "--add", "--remove", "-z", "--stdin"], { env, stdin });
  }
  const lines: string[] = [];
  for (const { path } of there.filter(({ filter }) => filter === "lfs")) {
    const place = join(door.place.root, path);
    const text = lfsPointer(place);
    if (text === undefined) continue;
    if (env["GIT_OBJECT_DIRECTORY"] !== undefined)
      keepLfsObject(door.place.commonDirectory, place, text);
    const args = ["hash-object", "-w", "--stdin", "--no-filters"];
    const id = (await door.must(args, { env, stdin: text })).stdout.trim();
    lines.push(`${modeOf(place)} ${id}\t${path}\0`);
  }
  if (lines.length > 0)
    await door.must(["update-index", "-z", "--index-info"], { env, stdin: lines.join("") });
}

/** Whether there is something at a path that git can store. Raises HOST_GIT_FAILED for what is too large. */
function isStorable({ place: { root } }: GitDoor, path: string): boolean {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) return true;
  if (stat?.isFile() !== true) return false;
  if (stat.size <= MAX_FILE_BYTES) return true;
  const reason = `${path} has ${stat.size} bytes`;
  throw gitFailed({ cwd: root, action: "reading", reason });
}

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o100) === 0 ? "100644" : "100755";
}

function idLengthOf({ settings }: GitDoor): number {
  return /objectformat = sha256/i.test(settings.text) ? 64 : 40;
}
