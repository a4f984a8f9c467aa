import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findRepositoryPlace } from "../../../src/host/git/repository-place.ts";
import { moveHead, moveRef } from "../../../src/host/git/update-ref.ts";
import { createTestHost } from "../survivors.ts";

/** A repository with one commit, and a host whose user has configured nothing yet. */
function scene() {
  const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-edges-")));
  const repo = join(all, "repo");
  const env = { PATH: process.env["PATH"], HOME: all };
  const host = createTestHost({ env, git: { ownFiles: [] } });
  onTestFinished(async () => {
    await host.close();
    rmSync(all, { recursive: true });
  });
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    return execFileSync("git", [...identity, ...args], { cwd: repo, env, encoding: "utf8" }).trim();
  };
  const commit = () => {
    git("commit", "--quiet", "--allow-empty", "-m", "change");
    return git("rev-parse", "HEAD");
  };
  mkdirSync(repo);
  git("init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(repo, "a"), "1\n");
  git("add", "a");
  return { all, repo, host, git, first: commit(), commit };
}

test("a move that races a commit of the user is refused, and the commit stays [T18]", async () => {
  const { repo, host, git, first, commit } = scene();
  const door = await host.repositories.open(repo);
  const ofUser = commit();
  const tree = git("rev-parse", "HEAD^{tree}");
  const ofTroupe = git("commit-tree", "-p", first, "-m", "late", tree);
  const move = { from: first, to: ofTroupe, message: "late" };
  const failed = { code: "HOST_GIT_FAILED" };
  await expect(door?.landing((it) => moveHead(it, move))).rejects.toMatchObject(failed);
  await expect(
    door?.landing((it) => moveRef(it, { ...move, ref: "refs/heads/main" })),
  ).rejects.toMatchObject(failed);
  expect(git("rev-parse", "refs/heads/main")).toBe(ofUser);
});

test("files that claim the repository of somebody else are no repository [T18]", async () => {
  const { all, repo, host } = scene();
  const claimed = join(all, "claimed");
  mkdirSync(join(claimed, ".git"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: claimed });
  writeFileSync(join(claimed, ".git", "commondir"), `${join(repo, ".git")}\n`);
  expect(findRepositoryPlace(claimed)).toBeUndefined();
  expect(await host.git.diff(claimed)).toBeUndefined();
});

test("objects that a partial clone lacks are told and not fetched", async () => {
  const { all, repo, host, git } = scene();
  const trap = join(all, "fetched");
  const blob = git("rev-parse", "HEAD:a");
  rmSync(join(repo, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  git("config", "core.repositoryformatversion", "1");
  git("config", "extensions.partialClone", "origin");
  git("config", "remote.origin.promisor", "true");
  git("config", "remote.origin.url", `ext::sh -c "touch ${trap}"`);
  git("config", "protocol.ext.allow", "always");
  writeFileSync(join(repo, "a"), "2\n");
  await expect(host.git.diff(repo)).rejects.toThrow(blob);
  expect(() => realpathSync(trap)).toThrow("ENOENT");
});

test("the user's own excludes and name count, and the repository's list of ignored files does not [SEC-4.global]", async () => {
  const { all, repo, host, git } = scene();
  writeFileSync(join(all, "ignored"), "*.mine\n");
  writeFileSync(
    join(all, ".gitconfig"),
    `[user]\n\tname = Own\n\temail = own@localhost\n[core]\n\texcludesFile = ${all}/ignored\n`,
  );
  writeFileSync(join(all, "strange"), "*.seen\n");
  git("config", "core.excludesFile", join(all, "strange"));
  writeFileSync(join(repo, "x.mine"), "");
  writeFileSync(join(repo, "x.seen"), "");
  expect(await host.git.diff(repo)).toBe("untracked: x.seen\n");
  const door = await host.repositories.open(repo);
  const tree = git("rev-parse", "HEAD^{tree}");
  const made = await door?.landing((it) => it.must(["commit-tree", "-m", "x", tree]));
  const id = made?.stdout.trim() ?? "";
  expect(git("log", "-1", "--format=%an <%ae> %cn <%ce>", id)).toBe(
    "Own <own@localhost> Own <own@localhost>",
  );
});

test("a nested repository is compared by its commit, and nothing that it names is run [SEC-4.nested, T18]", async () => {
  const { all, repo, host, git } = scene();
  const nested = join(repo, "nested");
  const inside = (...args: readonly string[]) => git("-C", nested, ...args);
  mkdirSync(nested);
  inside("init", "--quiet", "--initial-branch", "main");
  inside("commit", "--quiet", "--allow-empty", "-m", "one");
  const before = inside("rev-parse", "HEAD");
  git("add", "nested");
  git("commit", "--quiet", "-m", "with nested");
  expect(await host.git.diff(repo)).toBe("");
  const fingerprint = await host.git.fingerprint(repo);
  inside("commit", "--quiet", "--allow-empty", "-m", "two");
  const after = inside("rev-parse", "HEAD");
  // Whoever entered it would obey it.
  const trap = `touch ${all}/sprung`;
  for (const [key, value] of [
    ["core.fsmonitor", trap],
    ["core.hooksPath", join(all, "hooks")],
    ["filter.evil.clean", `${trap}; cat`],
    ["diff.external", trap],
  ] as const)
    inside("config", key, value);
  writeFileSync(join(nested, ".gitattributes"), "* filter=evil\n");
  writeFileSync(join(nested, "a"), "a\n");
  const diff = await host.git.diff(repo);
  expect(diff).toContain(`-Subproject commit ${before}\n+Subproject commit ${after}`);
  expect(await host.git.fingerprint(repo)).not.toBe(fingerprint);
  expect(existsSync(join(all, "sprung"))).toBe(false);
});

test("what is armed between a look and writing is not run, and a place that has changed is refused [SEC-4.write, T18]", async () => {
  const { all, repo, host, git, first } = scene();
  const door = await host.repositories.open(repo);
  const tree = git("rev-parse", "HEAD^{tree}");
  const trap = `#!/bin/sh\ntouch ${all}/sprung\n`;
  const hooks = join(repo, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of ["reference-transaction", "post-index-change", "post-checkout", "post-commit"])
    writeFileSync(join(hooks, hook), trap, { mode: 0o755 });
  git("config", "filter.evil.smudge", `touch ${all}/sprung; cat`);
  git("config", "core.fsmonitor", join(hooks, "post-commit"));
  git("config", "gpg.program", join(hooks, "post-commit"));
  git("config", "commit.gpgSign", "true");
  rmSync(join(all, "sprung"), { force: true });
  const made = await door?.landing(async (it) => {
    const { stdout } = await it.must(["commit-tree", "-m", "x", "-p", first, tree]);
    await moveHead(it, { from: first, to: stdout.trim(), message: "x" });
    await it.must(["read-tree", "-m", "-u", stdout.trim()]);
    return stdout.trim();
  });
  expect(readFileSync(join(repo, ".git/refs/heads/main"), "utf8").trim()).toBe(made);
  expect(existsSync(join(all, "sprung"))).toBe(false);
  // Looked at again with each writing: the branches lead somewhere else by now.
  renameSync(join(repo, ".git/refs"), join(all, "elsewhere"));
  symlinkSync(join(all, "elsewhere"), join(repo, ".git/refs"));
  await expect(door?.landing((it) => it.must(["write-tree"]))).rejects.toMatchObject({
    code: "HOST_GIT_FAILED",
    message: expect.stringContaining("is not what it should be"),
  });
});
