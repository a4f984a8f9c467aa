import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TroupeError } from "../../foundation/errors.ts";
import { gitFailed } from "../system/errors.ts";
import { reasonOf, systemErrorCode } from "../system/system-error.ts";
import { shownName } from "./exact-names.ts";
import type { Landing } from "./git-door.ts";
import { readBranchHead, readRef } from "./git-head.ts";
import {
  ABSENT,
  fileStateOf,
  keepBefore,
  type MoveDirection,
  type MovedFile,
  type MovePlaces,
  makeLinkDirectory,
  removeLinkDirectory,
  settleFiles,
} from "./moved-files.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { RepositoryPlace } from "./repository-place.ts";
import {
  changesBetween,
  indexLines,
  isSameEntry,
  LINK_MODE,
  readEntries,
  type TreeChange,
  type TreeEntry,
} from "./tree-entries.ts";
import { moveHead, moveRef, putGitFile, type RefMove, removeGitFile } from "./update-ref.ts";
import { fields, removal } from "./working-changes.ts";

// Owns changes of a user's working tree from one tree of git to another.
// V1: before the first write to the working tree the record is on the disk: both trees, the state of each file before
//     and after, and how it is to end. Files of both trees lie in full beside it.
// V2: from the record alone the change can be finished or taken back after a kill at any moment, as often as that happens.
// V3: files first, then the index, then HEAD, then the record goes. Each of them is replaced at once.
// V4: a file that is in neither of its two states was changed by somebody else: it stays, and is told.
// V5: without a record nothing of the working tree was written.

/** A change of the working tree that is recorded. */
export interface TreeMove {
  /** Name of what changes it, for people: the id of a run. */
  readonly by: string;
  /** Ids of commits or trees. */
  readonly from: string;
  readonly to: string;
  readonly end: MoveEnd;
}

/** What the repository says once the files are there. */
export type MoveEnd =
  | { readonly kind: "merged" | "undone"; readonly commit: string }
  | { readonly kind: "switched"; readonly branch: string }
  | {
      readonly kind: "conflict";
      readonly commit: string;
      readonly message: string;
      /** Entries of the index, as `ls-files -s` has them. */
      readonly entries: readonly string[];
    }
  | { readonly kind: "given-up"; readonly unmerged: readonly string[] };

/** The files that a change left alone because somebody else has changed them. */
export interface MoveOutcome {
  readonly edited: readonly string[];
}

const entrySchema = z.object({ mode: z.string(), id: z.string() });
const pathSchema = z.string().refine(isPathInTree);
const changeSchema = z.object({
  path: pathSchema,
  before: entrySchema.optional(),
  after: entrySchema.optional(),
});
const commitSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const endSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["merged", "undone"]), commit: commitSchema }),
  z.object({ kind: z.literal("switched"), branch: z.string() }),
  z.object({
    kind: z.literal("conflict"),
    commit: commitSchema,
    message: z.string(),
    entries: z.array(z.string()).readonly(),
  }),
  z.object({ kind: z.literal("given-up"), unmerged: z.array(z.string()).readonly() }),
]);
const recordSchema = z.object({
  v: z.literal(1),
  by: z.string(),
  from: commitSchema,
  to: commitSchema,
  end: endSchema,
  /** The commit that was checked out. */
  head: commitSchema,
  changes: z.array(changeSchema).readonly(),
  /** Paths that a sparse checkout leaves out. */
  sparse: z.array(z.string()).readonly(),
  files: z.array(z.object({ path: pathSchema, before: z.string(), after: z.string() })),
  /** Files that were not as they should be when the change began: left alone. */
  edited: z.array(z.string()),
});
type MoveRecord = z.infer<typeof recordSchema>;

const STAGE = "troupe-move";
const RECORD = "record.json";
const MAX_RECORD_BYTES = 512 * 1024 * 1024;
const MERGE_FILES = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"];
const LOCKED_FILES = ["index", "HEAD", ...MERGE_FILES];

/** What a working tree is in the middle of; undefined for nothing. Raises HOST_GIT_FAILED. */
export function pendingMove(place: RepositoryPlace): TreeMove | undefined {
  return readRecord(place);
}

/**
 * Changes the working tree, or nothing at all where a file of the user's would be lost. Where it fails later, the record
 * stays: it is finished or taken back by the other functions here. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE.
 */
export async function moveTree(landing: Landing, move: TreeMove): Promise<MoveOutcome> {
  const { place } = landing;
  if (readRecord(place) !== undefined)
    throw failed(place, "an earlier change of the working tree is not finished");
  const record = await named(place, () => prepare(landing, move));
  writeRecord(place, record);
  return named(place, () => settle(landing, record, "after"));
}

/** Finishes what is pending, if anything is. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export async function finishMove(landing: Landing): Promise<MoveOutcome> {
  const { place } = landing;
  const record = readRecord(place);
  if (record === undefined) return { edited: [] };
  if (hasMovedOn(place, record)) throw failed(place, "HEAD stands elsewhere by now");
  dropOwnLocks(landing, record);
  return named(place, () => settle(landing, record, "after"));
}

/**
 * Takes back what is pending, if anything is. What itself takes something back, and what only has to be forgotten, is
 * finished. Where the user has moved HEAD meanwhile, nothing is written. Raises HOST_GIT_FAILED.
 */
export async function takeMoveBack(landing: Landing): Promise<MoveOutcome> {
  const { place } = landing;
  const record = readRecord(place);
  if (record === undefined) return { edited: [] };
  if (hasMovedOn(place, record)) {
    const places = placesOf(landing);
    const changed = record.files.filter(({ path, before }) => fileStateOf(places, path) !== before);
    forget(place);
    return { edited: changed.map(({ path }) => shownName(path)).sort() };
  }
  dropOwnLocks(landing, record);
  const isForward =
    record.end.kind === "undone" || record.end.kind === "given-up" || hasArrived(place, record);
  return named(place, () => settle(landing, record, isForward ? "after" : "before"));
}

function isPathInTree(path: string): boolean {
  const names = path.split("/");
  return names.every((name) => name !== "" && name !== "." && name !== ".." && name !== ".git");
}

/** All that can fail is done here, before anything of the working tree is written. */
async function prepare(landing: Landing, move: TreeMove): Promise<MoveRecord> {
  const { place } = landing;
  const { from, to, end } = move;
  const { commit: head } = readBranchHead(place) ?? {};
  if (head === undefined || head === null) throw failed(place, "HEAD is not readable");
  const places = emptyStage(landing);
  const target = { ...places, root: join(places.stage, "after") };
  const changes = await changesBetween(landing, [from, to], {});
  const discards = end.kind === "given-up" ? new Set(end.unmerged) : undefined;
  const expected = { ...places, root: join(places.stage, "expected") };
  if (discards !== undefined) await stageFiles(landing, [to, from], expected.root);
  await stageFiles(landing, [from, to], target.root);
  const sparse = landing.settings.isSparse ? await sparsePaths(landing, places.stage) : [];
  const alike = unmergedAlike(changes, end);
  await stageAlike(landing, alike, target.root);
  const files: MovedFile[] = [];
  const edited: string[] = [];
  const isLeftOut = new Set(sparse);
  for (const path of [...changes.map((change) => change.path), ...alike]) {
    if (isLeftOut.has(path)) continue;
    const file = { path, before: fileStateOf(places, path), after: fileStateOf(target, path) };
    if (file.before === file.after) continue;
    const isTheirs = discards?.has(path) === false && file.before !== fileStateOf(expected, path);
    if (isTheirs) edited.push(path);
    else files.push(file);
    if (!isTheirs && file.before !== ABSENT) keepBefore(places, path);
  }
  if (discards === undefined) await assertClean(landing, { move, changes, files, places });
  return { v: 1, ...move, head, changes, sparse, files, edited };
}

/** What is in conflict although both trees have the same: one side has deleted what the other has changed. */
function unmergedAlike(changes: readonly TreeChange[], end: MoveEnd): readonly string[] {
  if (end.kind !== "given-up") return [];
  const known = new Set(changes.map(({ path }) => path));
  return end.unmerged.filter((path) => !known.has(path));
}

/** Writes files that both trees have, once those of the second one are staged. */
async function stageAlike(
  landing: Landing,
  paths: readonly string[],
  directory: string,
): Promise<void> {
  if (paths.length === 0) return;
  const index = join(landing.place.gitDirectory, STAGE, "index.staged");
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: directory };
  const stdin = paths.map((path) => `${path}\0`).join("");
  // It ends with 1 where the tree does not have a path.
  await landing.run(["checkout-index", "-q", "-z", "--stdin"], { cwd: directory, env, stdin });
}

function placesOf({ place, settings }: Landing): MovePlaces {
  const stage = join(place.gitDirectory, STAGE);
  return {
    root: place.root,
    stage,
    ignoresCase: /ignorecase = (?:true|yes|on|1)/i.test(settings.text),
  };
}

/** What an earlier change left there belongs to nobody: its record is gone. */
function emptyStage(landing: Landing): MovePlaces {
  const places = placesOf(landing);
  dropFileLocks(landing.place);
  rmSync(places.stage, { recursive: true, force: true });
  mkdirSync(places.stage, { mode: 0o700 });
  for (const name of ["before", "after", "expected"]) mkdirSync(join(places.stage, name));
  return places;
}

/** Writes the files that the second tree has differently, as git would check them out. */
async function stageFiles(
  landing: Landing,
  [from, to]: readonly [string, string],
  directory: string,
): Promise<void> {
  const index = join(landing.place.gitDirectory, STAGE, "index.staged");
  rmSync(index, { force: true });
  const more = { cwd: directory, env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: directory } };
  await landing.must(["read-tree", from], more);
  await landing.must(["read-tree", "-m", "-u", from, to], more);
}

/** What a sparse checkout leaves out of the tree that is to be there, and of the one that is. */
async function sparsePaths(landing: Landing, stage: string): Promise<readonly string[]> {
  const copy = join(stage, "index.checked");
  copyIndex(landing, copy);
  const skipped: string[] = [];
  for (const index of [join(stage, "index.staged"), copy]) {
    const { stdout } = await landing.must(["ls-files", "-t", "-z"], {
      env: { GIT_INDEX_FILE: index },
    });
    for (const entry of fields(stdout)) if (entry.startsWith("S ")) skipped.push(entry.slice(2));
  }
  return [...new Set(skipped)];
}

interface CleanCheck {
  readonly move: TreeMove;
  readonly changes: readonly TreeChange[];
  readonly files: readonly MovedFile[];
  readonly places: MovePlaces;
}

/** Makes sure that no file is lost: not one that was changed, and not one that git does not know, ignored or not. */
async function assertClean(
  landing: Landing,
  { move: { from, to }, changes, files, places }: CleanCheck,
): Promise<void> {
  const index = join(places.stage, "index.checked");
  copyIndex(landing, index);
  const env = { GIT_INDEX_FILE: index };
  // What was only touched is no change. It ends with 1 where something is.
  await landing.run(["update-index", "-q", "--refresh"], { env });
  await landing.must(["read-tree", "-n", "-m", "-u", from, to], { env });
  const states = new Map(files.map((file) => [file.path, file.before]));
  const unknown = changes.find(
    ({ path, before }) =>
      (before === undefined || before.mode === LINK_MODE) &&
      (states.get(path) ?? ABSENT) !== ABSENT,
  );
  if (unknown === undefined) return;
  const reason = `${shownName(unknown.path)} is in the way: git does not know it, and it would be overwritten`;
  throw failed(landing.place, reason);
}

function copyIndex({ place }: Landing, copy: string): void {
  rmSync(copy, { force: true });
  const real = join(place.gitDirectory, "index");
  if (existsSync(real)) writeFileSync(copy, readFileSync(real));
}

/** Brings all that a record is about to one of its two ends. */
async function settle(
  landing: Landing,
  record: MoveRecord,
  wanted: MoveDirection,
): Promise<MoveOutcome> {
  const { place } = landing;
  const left = await settleFiles(placesOf(landing), record.files, wanted);
  for (const { path, before, after } of record.changes) {
    const [from, to] = wanted === "after" ? [before, after] : [after, before];
    if (to?.mode === LINK_MODE && !record.sparse.includes(path))
      makeLinkDirectory(place.root, path);
    else if (from?.mode === LINK_MODE && to === undefined) removeLinkDirectory(place.root, path);
  }
  await settleIndex(landing, record, wanted);
  await (wanted === "after" ? arrive(landing, record) : goBack(landing, record));
  forget(place);
  return { edited: [...new Set([...record.edited, ...left].map(shownName))].sort() };
}

const MOST_TRIES = 20;

/** Has the index follow. What somebody else has staged meanwhile stays. */
async function settleIndex(
  landing: Landing,
  record: MoveRecord,
  wanted: MoveDirection,
): Promise<void> {
  const real = join(landing.place.gitDirectory, "index");
  const fresh = join(landing.place.gitDirectory, STAGE, "index");
  const env = { GIT_INDEX_FILE: fresh };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    copyIndex(landing, fresh);
    const known = existsSync(real) ? readFileSync(real) : undefined;
    const now = readEntries(fields((await landing.must(["ls-files", "-s", "-z"], { env })).stdout));
    const stdin = await linesFor(landing, { record, wanted, now });
    if (stdin !== "") await landing.must(["update-index", "-z", "--index-info"], { env, stdin });
    if (record.sparse.length > 0 && wanted === "after") await skipPaths(landing, record, env);
    // It ends with 1 where a file is not as the index has it.
    await landing.run(["update-index", "-q", "--refresh"], { env });
    const isSame = known === undefined ? !existsSync(real) : known.equals(readFileSync(real));
    if (isSame) return putGitFile(landing.place.gitDirectory, "index", fresh);
  }
  throw failed(landing.place, "its index is changed by somebody else all the time");
}

async function skipPaths(
  landing: Landing,
  { sparse, changes }: MoveRecord,
  env: { readonly GIT_INDEX_FILE: string },
): Promise<void> {
  const isThere = new Set(
    changes.filter(({ after }) => after !== undefined).map(({ path }) => path),
  );
  const stdin = sparse.filter((path) => isThere.has(path)).map((path) => `${path}\0`);
  const args = ["update-index", "--skip-worktree", "-z", "--stdin"];
  await landing.run(args, { env, stdin: stdin.join("") });
}

interface IndexWish {
  readonly record: MoveRecord;
  readonly wanted: MoveDirection;
  readonly now: ReadonlyMap<string, TreeEntry | undefined>;
}

async function linesFor(landing: Landing, { record, wanted, now }: IndexWish): Promise<string> {
  const { changes, end, head } = record;
  const isGivenUp = end.kind === "given-up";
  const isUnmerged = (path: string) => now.has(path) && now.get(path) === undefined;
  const following = changes.filter(({ path, before, after }) => {
    if (isGivenUp || isUnmerged(path)) return true;
    return isSameEntry(now.get(path), wanted === "after" ? before : after);
  });
  const entries = following.map(({ path, before, after }) => ({
    ...{ path, entry: wanted === "after" ? after : before },
  }));
  const paths = conflictPaths(end);
  const known = new Set(changes.map(({ path }) => path));
  // What is in conflict may be the same in both trees; then only the index has to be put right.
  const alike = paths.filter((path) => !known.has(path) && (isGivenUp || isUnmerged(path)));
  if (alike.length > 0 && !(end.kind === "conflict" && wanted === "after")) {
    const found = await entriesIn(landing, head, alike);
    for (const path of alike) entries.push({ path, entry: found.get(path) });
  }
  const gone = entries
    .filter(({ path }) => now.has(path))
    .map(({ path }) => ({ path, entry: undefined }));
  const put = entries.filter(({ entry }) => entry !== undefined);
  const idLength = head.length;
  const stages =
    end.kind === "conflict" && wanted === "after"
      ? [
          ...paths.map((path) => removal(path, idLength)),
          ...end.entries.map((entry) => `${entry}\0`),
        ]
      : [];
  return [indexLines([...gone, ...put], idLength), ...stages].join("");
}

function conflictPaths(end: MoveEnd): readonly string[] {
  if (end.kind === "given-up") return end.unmerged;
  return end.kind === "conflict" ? pathsOfEntries(end.entries) : [];
}

/** The paths of entries as `ls-files -s` has them, each once. */
export function pathsOfEntries(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}

async function entriesIn(
  landing: Landing,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  const { stdout } = await landing.must(["ls-tree", "-r", "-z", "--full-tree", tree]);
  const wanted = new Set(paths);
  const found = new Map<string, TreeEntry>();
  for (const line of fields(stdout)) {
    const tab = line.indexOf("\t");
    const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
    if (wanted.has(line.slice(tab + 1))) found.set(line.slice(tab + 1), { mode, id });
  }
  return found;
}

/** Has the repository say that the change is made. */
async function arrive(landing: Landing, { end, head, from }: MoveRecord): Promise<void> {
  const { place } = landing;
  const { gitDirectory } = place;
  switch (end.kind) {
    case "merged":
    case "undone": {
      const message = end.kind === "merged" ? "merge by Troupe" : "reset by Troupe";
      return setHead(landing, { from: head, to: end.commit, message });
    }
    case "switched": {
      const ref = `refs/heads/${end.branch}`;
      if (readBranchHead(place)?.branch === end.branch) return;
      if (readRef(place, ref) === undefined)
        await moveRef(landing, { ref, from: null, to: from, message: "branch: made by Troupe" });
      return putText(place, "HEAD", `ref: ${ref}\n`);
    }
    case "conflict":
      // The head of the merge comes last: without it there is none.
      putText(place, "MERGE_MSG", `${end.message}\n`);
      putText(place, "MERGE_MODE", "no-ff");
      return putText(place, "MERGE_HEAD", `${end.commit}\n`);
    case "given-up":
      return forgetMerge(gitDirectory);
  }
}

/** Moves what is checked out to another commit, if it is not there yet. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export async function setHead(landing: Landing, move: Omit<RefMove, "ref">): Promise<void> {
  const { place } = landing;
  const head = readBranchHead(place);
  if (head?.commit === move.to) return;
  if (head?.branch !== undefined) return moveHead(landing, { ...move });
  if (head?.commit !== move.from) throw failed(place, "HEAD stands elsewhere by now");
  putText(place, "HEAD", `${move.to}\n`);
}

async function goBack({ place }: Landing, { end }: MoveRecord): Promise<void> {
  if (end.kind === "conflict") forgetMerge(place.gitDirectory);
}

/** Has git know of no merge that has begun. */
export function forgetMerge(gitDirectory: string): void {
  for (const name of MERGE_FILES) removeGitFile(gitDirectory, name);
}

function putText({ gitDirectory }: RepositoryPlace, name: string, text: string): void {
  mkdirSync(join(gitDirectory, STAGE), { recursive: true, mode: 0o700 });
  const fresh = join(gitDirectory, STAGE, name);
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text);
  putGitFile(gitDirectory, name, fresh);
}

/** Whether HEAD is where it stands after the change. */
function hasArrived(place: RepositoryPlace, { end }: MoveRecord): boolean {
  const head = readBranchHead(place);
  if (end.kind === "merged" || end.kind === "undone") return head?.commit === end.commit;
  return end.kind === "switched" && head?.branch === end.branch;
}

/** Whether somebody else has moved HEAD since the change began. */
function hasMovedOn(place: RepositoryPlace, record: MoveRecord): boolean {
  return readBranchHead(place)?.commit !== record.head && !hasArrived(place, record);
}

function dropFileLocks({ gitDirectory }: RepositoryPlace): void {
  for (const name of LOCKED_FILES) {
    const lock = join(gitDirectory, `${name}.lock`);
    if (isSameFile(lock, join(gitDirectory, STAGE, name))) rmSync(lock);
  }
}

/** Removes the locks of this very change, which a killed process cannot have let go. */
function dropOwnLocks({ place }: Landing, { end }: MoveRecord): void {
  const { commonDirectory } = place;
  dropFileLocks(place);
  if (end.kind !== "merged" && end.kind !== "undone") return;
  const { branch } = readBranchHead(place) ?? {};
  if (branch === undefined) return;
  // Written by git, which was killed, too: nobody else moves this branch to this commit.
  const lock = join(commonDirectory, "refs/heads", `${branch}.lock`);
  if (lstatSync(lock, { throwIfNoEntry: false })?.isFile() !== true) return;
  if (`${end.commit}\n`.startsWith(readRegularFile(lock, 100))) rmSync(lock);
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (left === undefined || right === undefined) return false;
  if (left.dev === right.dev && left.ino === right.ino) return true;
  // Where a file can have one name only, the lock is a copy, or the beginning of one.
  if (!left.isFile() || !right.isFile() || left.size === 0) return false;
  return isBeginning(one, other);
}

function isBeginning(part: string, whole: string): boolean {
  const begun = readFileSync(part);
  return readFileSync(whole).subarray(0, begun.length).equals(begun);
}

function readRecord({ gitDirectory, root }: RepositoryPlace): MoveRecord | undefined {
  const path = join(gitDirectory, STAGE, RECORD);
  const text = readRegularFile(path, MAX_RECORD_BYTES);
  if (text === "") return undefined;
  const record = recordSchema.safeParse(toJson(text));
  if (record.success) return record.data;
  const reason = `${path} is not as Troupe writes it; remove that file, and look at git status`;
  throw gitFailed({ cwd: root, action: "reading", reason });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function writeRecord({ gitDirectory }: RepositoryPlace, record: MoveRecord): void {
  const directory = join(gitDirectory, STAGE);
  const path = join(directory, RECORD);
  writeFileSync(`${path}.new`, JSON.stringify(record), { flush: true });
  renameSync(`${path}.new`, path);
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function forget({ gitDirectory }: RepositoryPlace): void {
  const stage = join(gitDirectory, STAGE);
  // From here on nothing is pending, whatever is left of the rest.
  rmSync(join(stage, RECORD), { force: true });
  rmSync(stage, { recursive: true, force: true });
}

function failed({ root }: RepositoryPlace, reason: string) {
  return gitFailed({ cwd: root, action: "change of the working tree", reason });
}

/** What the system refuses is said as what it was refused to. */
async function named<Result>(place: RepositoryPlace, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TroupeError || systemErrorCode(error) === undefined) throw error;
    throw failed(place, reasonOf(error));
  }
}
