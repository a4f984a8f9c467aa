import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { GitDoor } from "../../../src/host/git/git-door.ts";
import {
  checkOut,
  finishChange,
  giveMergeUp,
  goBackTo,
  mergeIntoWorkingTree,
  pendingChange,
  takeChangeBack,
} from "../../../src/host/git/working-merge.ts";
import { doorOf } from "../../../src/host/git/worktree.ts";
import { createTestHost } from "../survivors.ts";
import { createTwoTrees, gitIn, lookAt } from "./two-trees.ts";

const trees = createTwoTrees();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "troupe-tree-move-")));
const host = createTestHost({ env: { PATH: process.env["PATH"], HOME: scratch } });
let copies = 0;
let root: string;
let door: GitDoor;

beforeEach(async () => {
  copies += 1;
  root = join(scratch, `copy-${copies}`);
  cpSync(trees.root, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  // The times of copies are not those that the index has.
  gitIn(root, "status");
  door = await doorOf(host.repositories, root);
});
afterAll(async () => {
  await host.close();
  for (const directory of [scratch, trees.root]) rmSync(directory, { recursive: true });
});

const git = (...args: readonly string[]) => gitIn(root, ...args);
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const read = (path: string) => readFileSync(join(root, path), "utf8");
const by = "run_a";
const merge = (commit: string) => mergeIntoWorkingTree(door, { commit, message: "merge", by });
const { main, target, clash } = trees;
const nothing = async () => {};

const entries = [
  { name: "merging", prepare: nothing, act: () => merge(target), back: true },
  { name: "a conflict", prepare: nothing, act: () => merge(clash), back: true },
  {
    ...{ name: "a checkout", prepare: nothing, back: true },
    act: () => checkOut(door, { branch: "target", tip: target, by }),
  },
  {
    ...{ name: "going back", prepare: () => merge(target), back: false },
    act: () => goBackTo(door, { commit: main, by }),
  },
  {
    ...{ name: "giving up", prepare: () => merge(clash), back: false },
    act: () => giveMergeUp(door, by),
  },
];

/** Cuts a change off when its files are written and the index is not: somebody else has locked that. */
async function cutOff(act: () => Promise<unknown>): Promise<void> {
  const lock = join(root, ".git/index.lock");
  writeFileSync(lock, "");
  await expect(act()).rejects.toMatchObject({ code: "HOST_GIT_FAILED" });
  rmSync(lock);
}

test.each(entries)(
  "what the user has changed since $name was cut off stays and is named, whether it is finished or taken back [AGT-22.merge]",
  async ({ prepare, act }) => {
    for (const settle of [finishChange, takeChangeBack]) {
      git("reset", "--quiet", "--hard");
      git("checkout", "--quiet", "main");
      git("reset", "--quiet", "--hard", main);
      await prepare();
      await cutOff(act);
      expect(pendingChange(door)).toMatchObject({ by, from: expect.any(String) });
      write("edited.txt", "mine\n");
      rmSync(join(root, "ü name.txt"));
      expect(await settle(door)).toEqual({ edited: ["edited.txt", "ü name.txt"] });
      expect(read("edited.txt")).toBe("mine\n");
      expect(read("untracked.txt")).toBe("of the user\n");
      expect(pendingChange(door)).toBeUndefined();
    }
  },
);

test.each(entries)(
  "$name that was cut off is finished, or taken back where it takes nothing back itself, as often as it is cut off [AGT-22.merge]",
  async ({ prepare, act, back }) => {
    await prepare();
    const before = lookAt(root);
    await cutOff(act);
    await cutOff(() => takeChangeBack(door));
    await cutOff(() => finishChange(door));
    await takeChangeBack(door);
    const found = lookAt(root);
    if (back) expect(found).toEqual(before);
    else expect(found).not.toEqual(before);
    if (!back) return;
    await act();
    expect(lookAt(root)).toMatchObject({ locks: [] });
    expect(pendingChange(door)).toBeUndefined();
  },
);

test("a conflict that is given up leaves what was there before [AGT-22.merge]", async () => {
  const before = lookAt(root);
  await merge(clash);
  expect(lookAt(root)).toMatchObject({ isMerging: true });
  expect(await giveMergeUp(door, by)).toEqual({ edited: [] });
  expect(lookAt(root)).toEqual(before);
});

test("the files are byte for byte what git itself would check out [AGT-22.merge]", async () => {
  await checkOut(door, { branch: "target", tip: target, by });
  const own = lookAt(root);
  git("checkout", "--quiet", "--force", "main");
  git("checkout", "--quiet", "--force", "target");
  expect(own).toEqual(lookAt(root));
});

test.each([
  { what: "that git does not know", path: "new", text: "new", why: "in the way|overwritten" },
  { what: "that git ignores", path: "to-file.log", text: "ignored", why: "in the way" },
  { what: "that was changed", path: "edited.txt", text: "changed", why: "not uptodate" },
  {
    ...{ what: "in a directory that becomes a file", path: "to-file/mine", text: "mine" },
    why: "untracked|overwritten",
  },
])(
  "a file $what is not lost: nothing is written at all [AGT-22.merge]",
  async ({ path, text, why }) => {
    git("switch", "--quiet", "target");
    writeFileSync(join(root, "to-file.log"), "of the branch\n");
    git("add", "--force", "to-file.log");
    git("commit", "--quiet", "-m", "more");
    const commit = git("rev-parse", "HEAD");
    git("switch", "--quiet", "main");
    write(path, text);
    const before = lookAt(root);
    for (const act of [
      () => merge(commit),
      () => checkOut(door, { branch: "target", tip: commit, by }),
    ])
      await expect(act()).rejects.toThrow(new RegExp(why));
    rmSync(join(root, ".git/troupe-move"), { recursive: true });
    expect(lookAt(root)).toEqual(before);
    expect(read(path)).toBe(text);
  },
);

test("where the user has moved on since, nothing is written and what is left over is named [AGT-22.merge]", async () => {
  await cutOff(() => merge(target));
  git("add", "--all");
  git("commit", "--quiet", "-m", "mine");
  const before = lookAt(root);
  await expect(finishChange(door)).rejects.toThrow("HEAD stands elsewhere by now");
  expect((await takeChangeBack(door)).edited).toContain("edited.txt");
  expect(lookAt(root)).toEqual({ ...before, locks: [] });
});

test("files outside of a sparse checkout stay away, and the index says so [AGT-22.merge]", async () => {
  git("sparse-checkout", "set", "--no-cone", "/*", "!/new", "!/to-file");
  const fresh = createTestHost({ env: { PATH: process.env["PATH"], HOME: scratch } });
  const sparse = await doorOf(fresh.repositories, root);
  await mergeIntoWorkingTree(sparse, { commit: target, message: "merge", by });
  await fresh.close();
  expect(git("ls-files", "-t", "new", "to-file").split("\n").sort()).toEqual([
    "S new/deep/n",
    "S to-file",
  ]);
  expect(git("status", "--porcelain")).toBe("?? untracked.txt");
});

test("a resolution that the user has begun goes with a conflict that is given up, and other edits stay [AGT-22.merge]", async () => {
  await merge(clash);
  write("a.txt", "half resolved\n");
  write("same.txt", "mine\n");
  write("edited.txt", "mine, too\n");
  expect(await giveMergeUp(door, by)).toEqual({ edited: ["edited.txt"] });
  expect([read("a.txt"), read("same.txt"), read("edited.txt")]).toEqual([
    "ours\n",
    "mine\n",
    "mine, too\n",
  ]);
  expect(git("status", "--porcelain").split("\n").sort()).toEqual(
    ["?? untracked.txt", "M edited.txt", " M same.txt"].sort(),
  );
});
