import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findGitPlaces } from "../../src/host/git-places.ts";

function scratch() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-git-places-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (...names: string[]) => join(root, ...names);
  const git = (directory: string, ...args: string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    const env = { PATH: process.env["PATH"], HOME: root };
    execFileSync("git", [...identity, ...args], { cwd: directory, env });
  };
  const repository = (directory: string) => {
    mkdirSync(directory, { recursive: true });
    git(directory, "init", "--quiet");
    git(directory, "commit", "--quiet", "--allow-empty", "-m", "first");
  };
  return { root, at, git, repository };
}

test("all that git keeps for a directory is found: around it, nested, of worktrees and borrowed", async () => {
  const { at, git, repository, root } = scratch();
  repository(at("main"));
  repository(at("main", "vendor", "inner"));
  mkdirSync(at("main", "packages", "one"), { recursive: true });
  git(at("main"), "worktree", "add", "--quiet", at("tree"));
  git(root, "clone", "--quiet", "--shared", at("main"), at("borrower"));
  const look = (directory: string, below: readonly string[]) =>
    findGitPlaces({ directory, beyond: [], below });
  expect(await look(at("main", "packages", "one"), [at("main")])).toMatchObject({
    root: at("main"),
    directories: [at("main", ".git"), at("main", "vendor", "inner", ".git")],
  });
  expect(await look(at("tree"), [at("tree")])).toMatchObject({
    root: at("tree"),
    directories: [at("tree", ".git"), at("main", ".git", "worktrees", "tree"), at("main", ".git")],
  });
  expect(await look(at("borrower"), [at("borrower")])).toMatchObject({
    root: at("borrower"),
    directories: [at("borrower", ".git"), at("main", ".git", "objects")],
  });
});

test("a `.git` that points to a repository which knows nothing of it lets nothing in [T8]", async () => {
  const { at, repository } = scratch();
  repository(at("secrets"));
  repository(at("app", "nested"));
  const theft = join(at("secrets"), ".git");
  writeFileSync(at("app", ".git"), `gitdir: ${theft}\n`);
  // A worktree's directory of the agent's own, and objects to borrow.
  mkdirSync(at("app", "sub", "made"), { recursive: true });
  writeFileSync(at("app", "sub", ".git"), "gitdir: made\n");
  writeFileSync(at("app", "sub", "made", "commondir"), `${theft}\n`);
  writeFileSync(at("app", "nested", ".git", "objects", "info", "alternates"), `${theft}/objects\n`);
  const found = await findGitPlaces({ directory: at("app"), beyond: [], below: [at("app")] });
  expect([...found.directories].sort()).toEqual([
    at("app", ".git"),
    at("app", "nested", ".git"),
    at("app", "sub", ".git"),
    at("app", "sub", "made"),
  ]);
});

test("the repository of a home, or of what is around it, is not that of a directory in it", async () => {
  const { at, repository } = scratch();
  repository(at("home"));
  mkdirSync(at("home", "app"));
  const search = { directory: at("home", "app"), beyond: [at("home")], below: [] };
  expect(await findGitPlaces(search)).toMatchObject({
    root: undefined,
    directories: [],
    trees: [],
  });
});
