import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readBranch, readCommit, readRepository } from "../../src/host/git-repository.ts";
import {
  addWorktree,
  concludeWorktree,
  isDirty,
  removeBranch,
  removeWorktree,
} from "../../src/host/git-worktree.ts";
import { createTreeSnapshots } from "../../src/host/tree-snapshots.ts";
import { createTestHost } from "./survivors.ts";

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
  expect(await readBranch(host, tree.path)).toBe(tree.branch);
  rmSync(tree.path, { recursive: true });
  await addWorktree(host, tree);
  expect(await readBranch(host, tree.path)).toBe(tree.branch);
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

test("a worktree without changes goes with its branch; a branch that went on stays [AGT-13]", async () => {
  const tree = worktree();
  await addWorktree(host, tree);
  expect(await concludeWorktree(host, tree, "nothing")).toBeUndefined();
  await removeWorktree(host, tree);
  expect(await removeBranch(host, repo, { branch: tree.branch, commit: base })).toBe(true);
  expect(existsSync(tree.path)).toBe(false);
  expect(await readCommit(host, repo, tree.branch)).toBeUndefined();
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
  expect(await readCommit(host, repo, tree.branch)).toBe(end?.commit);
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
  const snapshots = createTreeSnapshots(host, {
    repository: { root: tree.path, commonDirectory: join(repo, ".git") },
    directory: join(all, "evil"),
    exclude: [],
    watch: [],
  });
  await snapshots.take();
  expect(existsSync(join(all, "ran"))).toBe(false);
});

test("snapshots tell every kind of change, hidden and committed ones too, and touch nothing [AGT-12]", async () => {
  for (const name of ["edited", "deleted", "moved", "mode", "linked", "hidden", "same"])
    write(name, `${name}\n`);
  write(".env", "secret\n");
  commitAll("files");
  const before = git(repo, "count-objects");
  const snapshots = createTreeSnapshots(host, {
    repository: { root: repo, commonDirectory: join(repo, ".git") },
    directory: join(all, "kinds"),
    exclude: [".troupe"],
    watch: [":(top,glob)**/.env"],
  });
  const first = await snapshots.take();
  write("edited", "else\n");
  rmSync(join(repo, "deleted"));
  git(repo, "mv", "moved", "there");
  chmodSync(join(repo, "mode"), 0o755);
  rmSync(join(repo, "linked"));
  symlinkSync("/etc/passwd", join(repo, "linked"));
  git(repo, "update-index", "--assume-unchanged", "hidden");
  write("hidden", "else\n");
  write("same", "else\n");
  write("same", "same\n");
  write(".env", "other\n");
  write("new", "new\n");
  mkdirSync(join(repo, ".troupe"));
  write(".troupe/journal", "new\n");
  const second = await snapshots.take();
  expect(git(repo, "count-objects")).toBe(before);
  const changes = await snapshots.changes(first, second);
  expect(changes.filter(({ isLink }) => isLink).map(({ path }) => path)).toEqual(["linked"]);
  expect(changes.map(({ path }) => path).sort()).toEqual(
    [".env", "deleted", "edited", "hidden", "linked", "mode", "moved", "new", "there"].sort(),
  );
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "-m", "all of it");
  expect(await snapshots.changes(second, await snapshots.take())).toEqual([]);
});
