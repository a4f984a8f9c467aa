import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { branchHolders } from "../../../src/host/git/branch-holders.ts";
import type { GitDoor } from "../../../src/host/git/git-door.ts";
import { commitSince, keepWork } from "../../../src/host/git/kept-work.ts";
import {
  checkOut,
  commitBegunMerge,
  goBackTo,
  mergeIntoWorkingTree,
  takeAsResolved,
  unmergedPaths,
} from "../../../src/host/git/working-merge.ts";
import { addWorktree, concludeWorktree, doorOf } from "../../../src/host/git/worktree.ts";
import { createTestHost } from "../survivors.ts";
import { createTwoTrees, gitIn } from "./two-trees.ts";

const trees = createTwoTrees();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "troupe-holders-")));
const host = createTestHost({ env: { PATH: process.env["PATH"], HOME: scratch } });
let copies = 0;
let root: string;
let other: string;
let door: GitDoor;

beforeEach(async () => {
  copies += 1;
  root = join(scratch, `copy-${copies}`);
  other = join(scratch, `other-${copies}`);
  cpSync(trees.root, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  door = await doorOf(host.repositories, root);
});
afterAll(async () => {
  await host.close();
  for (const directory of [scratch, trees.root]) rmSync(directory, { recursive: true });
});

const git = (...args: readonly string[]) => gitIn(root, ...args);
const { main, target, clash } = trees;
const by = "run_a";
const request = { subject: "work", body: "", trailers: {} };

const entries: readonly { readonly name: string; readonly act: () => Promise<unknown> }[] = [
  { name: "merging", act: () => mergeIntoWorkingTree(door, { commit: target, message: "m", by }) },
  { name: "going back", act: () => goBackTo(door, { commit: git("rev-parse", "main~1"), by }) },
  {
    name: "committing a merge that was resolved",
    act: async () => {
      git("worktree", "remove", "--force", other);
      await mergeIntoWorkingTree(door, { commit: clash, message: "m", by });
      git("worktree", "add", "--quiet", "--force", other, "main");
      await takeAsResolved(door, await unmergedPaths(door));
      await commitBegunMerge(door);
    },
  },
  {
    name: "the commits of an iteration",
    act: async () => {
      const kept = await keepWork(door);
      writeFileSync(join(root, "made.txt"), "made\n");
      await commitSince(door, kept, request);
    },
  },
];

test.each(entries)(
  "$name does not move a branch that another working tree has checked out, and names that tree [AGT-22.merge]",
  async ({ act }) => {
    git("worktree", "add", "--quiet", "--force", other, "main");
    await expect(act()).rejects.toMatchObject({
      code: "HOST_GIT_BRANCH_ELSEWHERE",
      details: { branch: "main", root: other, reason: "is checked out" },
    });
    expect(git("rev-parse", "main")).toBe(main);
  },
);

test.each([
  ["is checked out", "dev"],
  ["is being rebased", "dev"],
  ["is being bisected", "dev"],
])("a branch that %s elsewhere is not checked out here [AGT-22.merge]", async (reason, branch) => {
  git("branch", branch, clash);
  git("worktree", "add", "--quiet", other, branch);
  if (reason === "is being rebased") expect(() => gitIn(other, "rebase", "main")).toThrow();
  if (reason === "is being bisected") {
    gitIn(other, "bisect", "start");
    gitIn(other, "bisect", "bad");
    gitIn(other, "bisect", "good", `${main}~1`);
    gitIn(other, "checkout", "--quiet", "--detach");
  }
  expect(branchHolders(door.place, branch)).toEqual([{ root: other, reason }]);
  await expect(checkOut(door, { branch, tip: clash, by })).rejects.toMatchObject({
    ...{ code: "HOST_GIT_BRANCH_ELSEWHERE", details: { branch, root: other, reason } },
  });
  expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
  // Nobody works where there is nothing any more.
  rmSync(other, { recursive: true });
  expect(branchHolders(door.place, branch)).toEqual([]);
});

test("from a linked working tree the branch of the main one is seen, and one's own is not [AGT-22.merge]", async () => {
  git("worktree", "add", "--quiet", other, "target");
  const linked = await doorOf(host.repositories, other);
  expect(branchHolders(linked.place, "main")).toEqual([{ root, reason: "is checked out" }]);
  expect(branchHolders(linked.place, "target")).toEqual([]);
  expect(branchHolders(door.place, "main")).toEqual([]);
});

test("the branch of an agent does not follow its work where somebody else has it checked out [AGT-22.merge]", async () => {
  const path = join(root, "place");
  const worktree = { root, path, branch: "troupe/run_a/one", base: main };
  await addWorktree(host, worktree);
  gitIn(path, "switch", "--quiet", "--create", "elsewhere");
  git("worktree", "add", "--quiet", other, worktree.branch);
  writeFileSync(join(path, "made.txt"), "made\n");
  await expect(concludeWorktree(host, worktree, "work")).rejects.toMatchObject({
    code: "HOST_GIT_BRANCH_ELSEWHERE",
  });
  expect(git("rev-parse", worktree.branch)).toBe(main);
  expect(git("show", "elsewhere:made.txt")).toBe("made");
});
