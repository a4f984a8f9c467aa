import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readBranch, readBranchTip, readRepository } from "../../../src/host/git/repository.ts";
import {
  addWorktree,
  concludeWorktree,
  isDirty,
  removeBranch,
  removeWorktree,
} from "../../../src/host/git/worktree.ts";
import { createTestHost } from "../survivors.ts";

const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-worktree-")));
const host = createTestHost({ env: { PATH: process.env["PATH"], HOME: all } });
let repo: string;
let base: string;

beforeEach(() => {
  repo = mkdtempSync(join(all, "repo-"));
  git(repo, "init", "--quiet", "--initial-branch", "main");
  write("a.txt", "a\n");
  write(".gitignore", "node_modules\n.env\n");
  base = commitAll("first");
});
afterAll(async () => {
  await host.close();
  rmSync(all, { recursive: true });
});

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

function write(path: string, text: string): void {
  writeFileSync(join(repo, path), text);
}

function commitAll(message: string): string {
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "-m", message);
  return git(repo, "rev-parse", "HEAD");
}

function worktree(agent = "coder") {
  const path = join(repo, ".troupe/runs/run_a/worktrees", agent);
  return { root: repo, path, branch: `troupe/run_a/${agent}`, base };
}

test("a repository tells its root, branch and commit, and what it cannot be [AGT-13]", async () => {
  mkdirSync(join(repo, "sub"));
  expect(await readRepository(host, join(repo, "sub"))).toEqual({
    root: repo,
    commonDirectory: join(repo, ".git"),
    commit: base,
    branch: "main",
    hasSubmodules: false,
  });
  expect(await readRepository(host, all)).toBeUndefined();
  const bare = join(repo, "bare");
  git(repo, "init", "--quiet", "--bare", bare);
  expect(await readRepository(host, bare)).toBeUndefined();
});

test("a worktree has the files of its base on a branch of its own, and can be made again [AGT-13]", async () => {
  const tree = worktree();
  write("a.txt", "changed by the user\n");
  await addWorktree(host, tree);
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("a\n");
  expect(readBranch(tree.path)).toBe(tree.branch);
  rmSync(tree.path, { recursive: true });
  await addWorktree(host, tree);
  expect(readBranch(tree.path)).toBe(tree.branch);
  expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("changed by the user\n");
});

test("what an agent left is committed in its name, ignored files aside, and without its hooks [AGT-13, T18]", async () => {
  const tree = worktree();
  await addWorktree(host, tree);
  const hooks = join(repo, ".git/hooks");
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\ntouch hooked; exit 1\n", { mode: 0o755 });
  writeFileSync(join(tree.path, "new.txt"), "new\n");
  writeFileSync(join(tree.path, ".env"), "secret\n");
  expect(await isDirty(host, tree.path)).toBe(true);
  const end = await concludeWorktree(host, tree, "work of coder");
  expect(end).toEqual({ commit: git(repo, "rev-parse", tree.branch), files: 1 });
  const log = ["log", "-1", "--format=%an <%ae> %s", tree.branch];
  expect(git(repo, ...log)).toBe("Troupe <troupe@localhost> work of coder");
  expect(existsSync(join(tree.path, "hooked"))).toBe(false);
  expect(await isDirty(host, tree.path)).toBe(false);
  // Nothing more to commit: the same end.
  expect(await concludeWorktree(host, tree, "again")).toEqual(end);
});

test("work that belongs through a filter of the repository is not committed, stays where it is, and is named with what to do", async () => {
  write(".gitattributes", "*.key filter=own\n");
  git(repo, "config", "filter.own.clean", `touch ${join(all, "sprung")}; cat`);
  const tree = { ...worktree(), base: commitAll("filters") };
  await addWorktree(host, tree);
  writeFileSync(join(tree.path, "my.key"), "secret\n");
  await expect(concludeWorktree(host, tree, "work of coder")).rejects.toMatchObject({
    code: "HOST_GIT_FILTERED",
    message: expect.stringContaining("my.key in "),
    hint: `look at it and commit it yourself: git -C ${tree.path} add --all`,
  });
  expect(readBranchTip(repo, tree.branch)).toBe(tree.base);
  expect(readFileSync(join(tree.path, "my.key"), "utf8")).toBe("secret\n");
  expect(existsSync(join(all, "sprung"))).toBe(false);
});

test("a worktree without changes goes with its branch; a branch that went on stays [AGT-13]", async () => {
  const tree = worktree();
  await addWorktree(host, tree);
  expect(await concludeWorktree(host, tree, "nothing")).toBeUndefined();
  await removeWorktree(host, tree);
  expect(await removeBranch(host, repo, { branch: tree.branch, commit: base })).toBe(true);
  expect(existsSync(tree.path)).toBe(false);
  expect(readBranchTip(repo, tree.branch)).toBeUndefined();
  write("b.txt", "b\n");
  commitAll("second");
  expect(await removeBranch(host, repo, { branch: "main", commit: base })).toBe(false);
});

test("an agent that switched the branch loses nothing: its own branch follows [AGT-13]", async () => {
  const tree = worktree();
  await addWorktree(host, tree);
  git(tree.path, "switch", "--quiet", "-c", "elsewhere");
  writeFileSync(join(tree.path, "new.txt"), "new\n");
  const end = await concludeWorktree(host, tree, "work of coder");
  expect(readBranchTip(repo, tree.branch)).toBe(end?.commit);
});

test("no program that only the repository's own configuration names is run [AGT-13, T6, T18]", async () => {
  const tree = worktree();
  await addWorktree(host, tree);
  git(repo, "config", "filter.evil.clean", `touch ${all}/ran; cat`);
  git(repo, "config", "filter.evil.required", "true");
  git(repo, "config", "core.fsmonitor", `touch ${all}/ran`);
  writeFileSync(join(tree.path, ".gitattributes"), "* filter=evil\n");
  writeFileSync(join(tree.path, "new.txt"), "new\n");
  await concludeWorktree(host, tree, "work of coder");
  expect(existsSync(join(all, "ran"))).toBe(false);
});
