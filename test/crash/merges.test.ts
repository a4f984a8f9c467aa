import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  finishChange,
  mergeIntoWorkingTree,
  pendingChange,
  takeChangeBack,
} from "../../src/host/git/working-merge.ts";
import { doorOf } from "../../src/host/git/worktree.ts";
import { takesAll } from "../cases.ts";
import { createTwoTrees, gitIn, lookAt } from "../host/git/two-trees.ts";
import { createTestHost } from "../host/survivors.ts";
import { has } from "../machine.ts";
import { crashProgram } from "./crash-program.ts";
import { countsOf, say, seedOf } from "./report.ts";
import { sideBySide } from "./side-by-side.ts";

/** System calls of each change that are tried: `npm run prove` tries all. */
const SAMPLE = takesAll() ? Number.POSITIVE_INFINITY : 4;
const WIDTH = 2;

/** What changes a file, a directory or a lock. A file that was made and is empty is there at the write to it. */
const CALLS = ["link", "rename", "unlink", "mkdir", "rmdir", "symlink", "write", "fsync"];
/** What git itself does to a reference. */
const CALLS_OF_GIT = ["write", "rename", "unlink"];
const MOST_CALLS_OF_GIT = 40;

const random = seedOf("merges");
const trees = createTwoTrees();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "troupe-merges-")));
const host = createTestHost({ env: { PATH: process.env["PATH"], HOME: scratch } });
let copies = 0;

afterAll(async () => {
  await host.close();
  for (const directory of [scratch, trees.root]) rmSync(directory, { recursive: true });
});

/** A change of the working tree, and what has to be there before it. */
interface Change {
  readonly name: string;
  readonly action: string;
  readonly commit: string;
  readonly prepare: (root: string) => Promise<unknown>;
  /** Whether giving it up leaves the tree as it is after it: what takes back is not taken back. */
  readonly onlyForward: boolean;
}

const merge = async (root: string, commit: string) =>
  mergeIntoWorkingTree(await doorOf(host.repositories, root), {
    ...{ commit, message: "merge", by: "run_killed" },
  });
const nothing = async () => {};
const { main, target, clash } = trees;
const changes: readonly Change[] = [
  { name: "a merge", action: "merge", commit: target, prepare: nothing, onlyForward: false },
  { name: "a conflict", action: "merge", commit: clash, prepare: nothing, onlyForward: false },
  { name: "a checkout", action: "check-out", commit: target, prepare: nothing, onlyForward: false },
  {
    ...{ name: "a merge that is undone", action: "go-back", commit: main, onlyForward: true },
    prepare: (root) => merge(root, target),
  },
  {
    ...{ name: "a conflict that is given up", action: "give-up", commit: main, onlyForward: true },
    prepare: (root) => merge(root, clash),
  },
];

/** A copy of a repository that is removed when it was looked at. */
async function withCopy<Result>(of: string, work: (root: string) => Promise<Result>) {
  copies += 1;
  const root = join(scratch, `copy-${copies}`);
  cpSync(of, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  // The times of the copies are not those that the index has.
  gitIn(root, "status");
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function runProgram(
  root: string,
  { action, commit }: Pick<Change, "action" | "commit">,
  wrapper: readonly string[] = [],
): Promise<void> {
  const order = JSON.stringify({ cwd: root, action, commit });
  const argv = [...wrapper, process.execPath, crashProgram("merge-program"), order];
  const env = { ...process.env, NODE_OPTIONS: "", HOME: scratch, TMPDIR: scratch };
  const child = spawn(argv[0] ?? "", argv.slice(1), { stdio: "ignore", env });
  await once(child, "exit");
}

const STRACE = ["strace", "-qq", "-o", "/dev/null"];

/** Kills the process itself, or the git that it has started; that it then fails is as if both had died. */
function killing(call: string, at: number, whom: "troupe" | "git"): readonly string[] {
  const follow = whom === "git" ? ["-f"] : ["-D"];
  return [
    ...STRACE,
    ...follow,
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:signal=KILL:when=${at}`,
  ];
}

async function countOf(from: string, change: Change): Promise<ReadonlyMap<string, number>> {
  return withCopy(from, async (root) => {
    const log = join(scratch, `calls-${copies}`);
    await runProgram(root, change, ["strace", "-qq", "-D", "-o", log, "-e", `trace=${CALLS}`]);
    const names = readFileSync(log, "utf8").split("\n");
    return new Map(
      CALLS.map((call) => [call, names.filter((line) => line.startsWith(`${call}(`)).length]),
    );
  });
}

interface Point {
  readonly wrapper: readonly string[];
  readonly way: "finish" | "take-back";
}

/** All points, or a sample that is another one each time: as many of each kind of call. */
function pointsOf(counts: ReadonlyMap<string, number>): readonly Point[] {
  const ofGit = CALLS_OF_GIT.map((call) => ({
    call,
    count: MOST_CALLS_OF_GIT,
    whom: "git" as const,
  }));
  const ofTroupe = [...counts].map(([call, count]) => ({ call, count, whom: "troupe" as const }));
  const kinds = [...ofTroupe, ...ofGit].filter(({ count }) => count > 0);
  const wayOf = (index: number) => (index % 2 === 0 ? "finish" : "take-back");
  if (SAMPLE === Number.POSITIVE_INFINITY)
    return kinds.flatMap(({ call, count, whom }) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ wrapper: killing(call, index + 1, whom), way: wayOf(index) },
      })),
    );
  const first = Math.floor(random() * kinds.length);
  return Array.from({ length: SAMPLE }, (_, index) => kinds[(first + index) % kinds.length])
    .filter((kind) => kind !== undefined)
    .map(({ call, count, whom }, index) => ({
      ...{ wrapper: killing(call, 1 + Math.floor(random() * count), whom), way: wayOf(index) },
    }));
}

test.runIf(has("strace")).each(changes)(
  "$name that is killed at a system call is finished or taken back, every file as one of the two trees has it [AGT-22.merge]",
  async (change) => {
    await withCopy(trees.root, async (from) => {
      await change.prepare(from);
      const before = lookAt(from);
      const after = await withCopy(from, async (root) => {
        await runProgram(root, change);
        return lookAt(root);
      });
      expect(after).not.toEqual(before);
      const points = pointsOf(await countOf(from, change));
      const landings = await sideBySide(points, WIDTH, (point) =>
        withCopy(from, async (root) => {
          try {
            return await killAndRecover(root, { change, point, before, after });
          } catch (cause) {
            throw new Error(`after ${JSON.stringify(point)}`, { cause });
          }
        }),
      );
      say(`${change.name}: ${points.length} points: ${countsOf(landings)}`);
    });
  },
);

interface Case {
  readonly change: Change;
  readonly point: Point;
  readonly before: object;
  readonly after: object;
}

async function killAndRecover(
  root: string,
  { change, point, before, after }: Case,
): Promise<string> {
  await runProgram(root, change, point.wrapper);
  const door = await doorOf(host.repositories, root);
  if (pendingChange(door) === undefined) {
    // Nothing of the working tree was written yet, or all of it: what is left of the rest is swept up by the next change.
    rmSync(join(root, ".git/troupe-move"), { recursive: true, force: true });
    const found = lookAt(root);
    const isBefore = isSame(found, before);
    expect(isBefore ? before : after).toEqual(found);
    return isBefore ? "before the first write" : "when all was done";
  }
  const { commit, branch } = door.head() ?? {};
  const hasArrived =
    (change.action === "merge" && change.commit === target && commit !== main) ||
    (change.action === "check-out" && branch === "target");
  const isForward = point.way === "finish" || change.onlyForward || hasArrived;
  // The way there may be cut off as well, and be taken again the other way round.
  const half = killing("rename", 3, "troupe");
  await runProgram(
    root,
    { action: point.way === "finish" ? "take-back" : "finish", commit: main },
    half,
  );
  if (pendingChange(door) === undefined) {
    const isReturned =
      point.way === "finish" && !change.onlyForward && !hasNowArrived(change, door);
    expect(lookAt(root)).toEqual(isReturned ? before : after);
    return "recovered by what was to be killed";
  }
  const { edited } = await (point.way === "finish" ? finishChange(door) : takeChangeBack(door));
  expect(edited).toEqual([]);
  expect(lookAt(root)).toEqual(isForward || hasNowArrived(change, door) ? after : before);
  return isForward ? "finished" : "taken back";
}

function hasNowArrived(
  { action, commit: wanted }: Change,
  door: Awaited<ReturnType<typeof doorOf>>,
): boolean {
  const { commit, branch } = door.head() ?? {};
  if (action === "check-out") return branch === "target";
  return action === "merge" && wanted === target && commit !== main;
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
