import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isCommitId, readGitHead } from "../../../src/host/git/git-head.ts";

let repo: string;
beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), "troupe-head-"));
});
afterEach(() => rmSync(repo, { recursive: true }));

function git(...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: repo, encoding: "utf8" }).trim();
}

function commit(): string {
  git("commit", "--quiet", "--allow-empty", "-m", "change");
  return git("rev-parse", "HEAD");
}

test("outside a repository there is no head, and before the first commit there is none yet", () => {
  expect(readGitHead(repo)).toBeUndefined();
  git("init", "--quiet");
  expect(readGitHead(repo)).toEqual({ commit: null });
});

test("the head is found from any directory, on a branch, packed, detached and in a worktree", () => {
  git("init", "--quiet", "--initial-branch", "feature/x");
  const first = commit();
  mkdirSync(join(repo, "a/b"), { recursive: true });
  expect(readGitHead(join(repo, "a/b"))).toEqual({ commit: first });
  git("pack-refs", "--all");
  expect(readGitHead(repo)).toEqual({ commit: first });
  const second = commit();
  expect(readGitHead(repo)).toEqual({ commit: second });
  git("checkout", "--quiet", "--detach", first);
  expect(readGitHead(repo)).toEqual({ commit: first });
  git("worktree", "add", "--quiet", "-b", "other", join(repo, "tree"), second);
  expect(readGitHead(join(repo, "tree"))).toEqual({ commit: second });
});

test.each([
  ["ref: refs/heads/../../../../etc/passwd", undefined],
  ["ref: /etc/passwd", undefined],
  ["nonsense", undefined],
  ["ref: refs/heads/.invalid", undefined],
  ["ref: refs/heads/none", { commit: null }],
])("a head that says %j is no path to other files [T16]", (head, expected) => {
  git("init", "--quiet");
  writeFileSync(join(repo, ".git/HEAD"), `${head}\n`);
  expect(readGitHead(repo)).toEqual(expected);
});

test("links in a circle and a file in the place of the repository are no repository", () => {
  symlinkSync(".git", join(repo, ".git"));
  expect(readGitHead(repo)).toBeUndefined();
  rmSync(join(repo, ".git"));
  writeFileSync(join(repo, ".git"), "gitdir: /no/such/place\n");
  expect(readGitHead(repo)).toBeUndefined();
});

test("an option of git is no commit", () => {
  expect(["--output=x", "HEAD", "a".repeat(39), ""].map(isCommitId)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect(["a".repeat(40), "0".repeat(64)].map(isCommitId)).toEqual([true, true]);
});
