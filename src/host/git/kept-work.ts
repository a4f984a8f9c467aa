import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { GitCommitRequest, GitCommitted, GitKept } from "../../contracts/host.ts";
import { fingerprintFile } from "./file-fingerprint.ts";
import type { GitDoor } from "./git-door.ts";
import { listRealIndex } from "./real-index.ts";
import { type StagedTree, stageWork } from "./stage-work.ts";
import {
  changesBetween,
  followInIndex,
  indexLines,
  isSameEntry,
  LINK_MODE,
  readEntries,
  type TreeChange,
} from "./tree-entries.ts";
import { moveHead } from "./update-ref.ts";
import { fields, headOf, readWorkingChanges, type WorkingChanges } from "./working-changes.ts";

// Owns commits of exactly what was changed between two moments, in a working tree that somebody else works in, too.
// W1: a commit has no path that was not changed between the two moments.
// W2: of a file that differed from HEAD before, only what was changed since goes into the commit; where that cannot
//     be told apart, where something of it is staged, and where a filter or another repository is needed, it is left.
// W3: no file of the working tree is written, and what is staged stays so; all else of the index follows the commit.
// W4: a commit that was made and not reported is found again by its trailers, not made again.

const MOST_COMMITS_SEARCHED = 500;
// Renames would have changes of one file follow another one.
const NO_RENAMES = ["-c", "merge.renames=false", "-c", "merge.directoryRenames=false"];

/** A tree of all files as they are now, and what it cannot hold. */
interface KeptTree extends StagedTree {
  readonly changes: WorkingChanges;
  readonly apart: { readonly [path: string]: string };
}

/** Keeps what a working tree holds. Raises HOST_GIT_FAILED. */
export async function keepWork(door: GitDoor): Promise<GitKept> {
  const { changes, tree, apart } = await treeOfWork(door);
  const { commit, branch = null } = changes.head;
  const staged = await stagedPaths(door, commit);
  const isDirty =
    changes.links.some(({ committed, present }) => committed !== present) ||
    changes.files.some(({ kind, filter }) => kind !== "edited" || !isForeign(filter));
  return { commit, branch, tree, isDirty: isDirty || staged.length > 0, staged, apart };
}

/** Commits what was changed since. Raises HOST_GIT_FAILED; asked again it makes no second commit (W4). */
export async function commitSince(
  door: GitDoor,
  kept: GitKept,
  request: GitCommitRequest,
): Promise<GitCommitted> {
  const made = await findMade(door, kept, request);
  const plan = await planCommit(door, kept);
  if (made !== undefined) {
    const parent = (await parentOf(door, made)) ?? (await emptyIn(door));
    const changes = await changesBetween(door, [parent, made], envOf(door));
    if (headOf(door).commit === made)
      await door.landing((landing) => followInIndex(landing, changes));
    return { commit: made, files: pathsOf(changes), uncommitted: plan.uncommitted };
  }
  if (plan.changes.length === 0) return { commit: null, files: [], uncommitted: plan.uncommitted };
  const commit = await door.landing(async (landing) => {
    const from = plan.head;
    const parents = from === null ? [] : ["-p", from];
    const args = ["commit-tree", plan.tree, ...parents];
    const { stdout } = await landing.must(args, { stdin: messageOf(request) });
    const to = stdout.trim();
    await moveHead(landing, { from, to, message: `commit: ${request.subject}` });
    if (from === null || hasIndex(door)) await followInIndex(landing, plan.changes);
    return to;
  });
  return { commit, files: pathsOf(plan.changes), uncommitted: plan.uncommitted };
}

interface CommitPlan {
  readonly head: string | null;
  readonly tree: string;
  /** What the commit changes. */
  readonly changes: readonly TreeChange[];
  readonly uncommitted: readonly string[];
}

/** The changes since, on what is checked out now: a merge of three trees, of which the kept one is the base. */
async function planCommit(door: GitDoor, kept: GitKept): Promise<CommitPlan> {
  const env = envOf(door);
  const after = await treeOfWork(door);
  const head = after.changes.head.commit;
  const headTree = await treeIn(door, head);
  const touched = await changesBetween(door, [kept.tree, after.tree], env);
  const others = await changesBetween(door, [kept.tree, headTree], env);
  const differing = new Set(pathsOf(others));
  const left = new Set<string>(
    kept.staged.filter((path) => touched.some((one) => one.path === path)),
  );
  // Two moves of one repository could only be joined by entering it.
  for (const { path, before, after: now } of touched)
    if ([before?.mode, now?.mode].includes(LINK_MODE) && differing.has(path)) left.add(path);
  const theirs = await withEntries(
    door,
    after.tree,
    touched.filter(({ path }) => left.has(path)),
  );
  const merged = await mergeTrees(door, { base: kept.tree, ours: headTree, theirs });
  for (const path of merged.conflicts) left.add(path);
  const wanted = new Set(pathsOf(touched).filter((path) => !left.has(path)));
  const made = await changesBetween(door, [headTree, merged.tree], env);
  const tree = await withEntries(
    door,
    merged.tree,
    made.filter(({ path }) => !wanted.has(path)),
  );
  const stays = await changesBetween(door, [headTree, after.tree], env);
  const uncommitted = [
    ...pathsOf(stays).filter((path) => left.has(path)),
    ...changedApart(kept.apart, after.apart),
  ];
  return {
    head,
    tree,
    changes: await changesBetween(door, [headTree, tree], env),
    uncommitted: [...new Set(uncommitted)].sort(),
  };
}

/** A merge that starts nothing and writes no file. Its tree has marks of conflict where it says so. */
async function mergeTrees(
  door: GitDoor,
  { base, ours, theirs }: { readonly base: string; readonly ours: string; readonly theirs: string },
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  if (base === ours) return { tree: theirs, conflicts: [] };
  if (base === theirs) return { tree: ours, conflicts: [] };
  const env = envOf(door);
  const commitOf = async (tree: string, parents: readonly string[]) => {
    const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
    return (await door.must(args, { env, stdin: "kept by Troupe\n" })).stdout.trim();
  };
  const root = await commitOf(base, []);
  const sides = [await commitOf(ours, [root]), await commitOf(theirs, [root])];
  const args = [...NO_RENAMES, "merge-tree", "--write-tree", "-z", "--no-messages", ...sides];
  const merged = await door.run(args, { env });
  const [tree, ...listed] = fields(merged.stdout);
  if (tree === undefined || (merged.exitCode !== 0 && merged.exitCode !== 1))
    return { tree: ours, conflicts: pathsOf(await changesBetween(door, [base, theirs], env)) };
  return { tree, conflicts: listed.map((line) => line.slice(line.indexOf("\t") + 1)) };
}

/** A tree in which these paths are as they were before their change. */
async function withEntries(
  door: GitDoor,
  tree: string,
  back: readonly TreeChange[],
): Promise<string> {
  if (back.length === 0) return tree;
  const env = { ...envOf(door), GIT_INDEX_FILE: join(door.directory, "index.kept") };
  await door.must(["read-tree", tree], { env });
  // A file may be where a directory is to be, so what goes, goes first.
  const gone = back.map(({ path }) => ({ path, entry: undefined }));
  const put = back.flatMap(({ path, before }) =>
    before === undefined ? [] : [{ path, entry: before }],
  );
  const stdin = indexLines([...gone, ...put], tree.length);
  await door.must(["update-index", "-z", "--index-info"], { env, stdin });
  return (await door.must(["write-tree", "--missing-ok"], { env })).stdout.trim();
}

async function treeOfWork(door: GitDoor): Promise<KeptTree> {
  const { root } = door.place;
  const changes = await readWorkingChanges(door);
  const nested = changes.files.filter(({ path }) => isInOther(root, path));
  const own = { ...changes, files: changes.files.filter((file) => !nested.includes(file)) };
  const { GIT_OBJECT_DIRECTORY: objects } = envOf(door);
  const staged = await stageWork(door, { changes: own, takesNew: true, objects });
  const apart: { [path: string]: string } = {};
  for (const { path } of [...staged.filtered, ...nested])
    apart[path] = await fingerprintFile(root, path);
  return { ...staged, changes, apart };
}

/** Whether a file belongs to another repository around it. */
function isInOther(root: string, path: string): boolean {
  const names = path.split("/").slice(0, -1);
  return names.some((_, index) => existsSync(join(root, ...names.slice(0, index + 1), ".git")));
}

function changedApart(before: GitKept["apart"], after: GitKept["apart"]): readonly string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.filter((path) => before[path] !== after[path]);
}

/** Files of which the user's index has something else than the commit. */
async function stagedPaths(door: GitDoor, commit: string | null): Promise<readonly string[]> {
  const listed = await listRealIndex(door, ["-s"]);
  if (listed === undefined) return [];
  const index = readEntries(listed);
  const tree = commit ?? (await emptyIn(door));
  const { stdout } = await door.must(["ls-tree", "-r", "-z", "--full-tree", tree]);
  const committed = new Map(
    fields(stdout).map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
      return [line.slice(tab + 1), { mode, id }] as const;
    }),
  );
  const paths = [...new Set([...index.keys(), ...committed.keys()])];
  return paths.filter((path) => !isSameEntry(index.get(path), committed.get(path)));
}

/** The commit with these trailers that was made since. */
async function findMade(
  door: GitDoor,
  kept: GitKept,
  { trailers }: GitCommitRequest,
): Promise<string | undefined> {
  const { commit } = headOf(door);
  if (commit === null || commit === kept.commit) return undefined;
  const since = kept.commit === null ? [] : [`^${kept.commit}`];
  const format = ["--no-commit-header", "--format=%H%n%B%x00"];
  const args = ["rev-list", `--max-count=${MOST_COMMITS_SEARCHED}`, ...format, commit, ...since];
  const { stdout } = await door.must(args);
  const wanted = trailerLines(trailers);
  for (const record of stdout.split("\0")) {
    const [id = "", ...lines] = record.trim().split("\n");
    if (wanted.length > 0 && wanted.every((line) => lines.includes(line))) return id;
  }
  return undefined;
}

async function parentOf(door: GitDoor, commit: string): Promise<string | undefined> {
  const { stdout } = await door.must(["rev-list", "--max-count=1", "--parents", commit]);
  return stdout.trim().split(" ")[1];
}

async function treeIn(door: GitDoor, commit: string | null): Promise<string> {
  if (commit === null) return emptyIn(door);
  return (await door.must(["rev-parse", `${commit}^{tree}`])).stdout.trim();
}

async function emptyIn(door: GitDoor): Promise<string> {
  const args = ["hash-object", "-w", "-t", "tree", "--stdin"];
  return (await door.must(args, { env: envOf(door), stdin: "" })).stdout.trim();
}

/** Objects go to the repository itself, so that they outlive this process. */
function envOf({ place }: GitDoor): { readonly GIT_OBJECT_DIRECTORY: string } {
  return { GIT_OBJECT_DIRECTORY: realpathSync(join(place.commonDirectory, "objects")) };
}

function hasIndex({ place }: GitDoor): boolean {
  return existsSync(join(place.gitDirectory, "index"));
}

function isForeign(filter: string | undefined): boolean {
  return filter !== undefined && filter !== "lfs";
}

function messageOf({ subject, body, trailers }: GitCommitRequest): string {
  const parts = [subject, body, trailerLines(trailers).join("\n")];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function trailerLines(trailers: GitCommitRequest["trailers"]): readonly string[] {
  return Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
}

function pathsOf(changes: readonly TreeChange[]): readonly string[] {
  return changes.map(({ path }) => path);
}
