import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addWorktree, concludeWorktree } from "../../../src/host/git/worktree.ts";
import { has } from "../../machine.ts";
import { createTestHost } from "../survivors.ts";

/** A repository and a host that nobody has configured. */
function scene(...init: readonly string[]) {
  const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-door-")));
  const repo = join(all, "repo");
  const env = { PATH: process.env["PATH"], HOME: all };
  const host = createTestHost({ env, git: { ownFiles: [join(repo, "mine")] } });
  onTestFinished(async () => {
    await host.close();
    rmSync(all, { recursive: true });
  });
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    return execFileSync("git", [...identity, ...args], { cwd: repo, env, encoding: "utf8" }).trim();
  };
  mkdirSync(repo);
  git("init", "--quiet", "--initial-branch", "main", ...init);
  const write = (path: string, text: string) => writeFileSync(join(repo, path), text);
  const commit = () => {
    git("add", "--all");
    git("commit", "--quiet", "-m", "change");
    return git("rev-parse", "HEAD");
  };
  return { all, repo, host, git, write, commit };
}

test("what is Troupe's own is nobody's change, followed or not", async () => {
  const { repo, host, write, commit } = scene();
  mkdirSync(join(repo, "mine"));
  write("mine/config", "1\n");
  write("a", "1\n");
  commit();
  const before = await host.git.fingerprint(repo);
  write("mine/config", "2\n");
  write("mine/journal", "new\n");
  expect(await host.git.diff(repo)).toBe("");
  expect(await host.git.fingerprint(repo)).toBe(before);
});

test("a working tree is where its .git lies, whatever the configuration says", async () => {
  const { all, repo, host, git, write, commit } = scene();
  write("a", "1\n");
  commit();
  mkdirSync(join(all, "elsewhere"));
  writeFileSync(join(all, "elsewhere", "strange"), "");
  git("config", "core.worktree", join(all, "elsewhere"));
  write("a", "2\n");
  expect(await host.git.diff(repo)).toMatch(/-1\n\+2\n$/);
});

test("a repository with SHA-256, one with CRLF, and a linked worktree are compared as git does [SEC-4.global]", async () => {
  const hashed = scene("--object-format=sha256");
  hashed.write("a", "1\n");
  expect(await hashed.host.git.diff(hashed.repo)).toBe("untracked: a\n");
  hashed.commit();
  hashed.write("a", "2\n");
  expect(await hashed.host.git.diff(hashed.repo)).toContain("+2");
  const lines = scene();
  writeFileSync(join(lines.all, ".gitconfig"), "[core]\n\tautocrlf = true\n");
  lines.write("a", "1\r\n");
  lines.commit();
  lines.write("a", "1\n");
  expect(await lines.host.git.diff(lines.repo)).toBe("");
  const ended = scene();
  writeFileSync(join(ended.all, ".gitconfig"), "[core]\n\teol = crlf\n");
  ended.write(".gitattributes", "* text\n");
  ended.write("a", "1\r\n");
  ended.commit();
  ended.write("a", "2\r\n");
  // Stored with plain ends of lines: the change is one of words.
  expect(await ended.host.git.diff(ended.repo)).toContain("-1\n+2\n");
  const linked = join(lines.all, "linked");
  lines.git("worktree", "add", "--quiet", "-b", "side", linked);
  writeFileSync(join(linked, "b"), "b\n");
  expect(await lines.host.git.branch(linked)).toBe("side");
  expect(await lines.host.git.diff(linked)).toBe("untracked: b\n");
});

test("Git LFS is done without its program: the same pointer, and the content where it looks for it", async () => {
  const { repo, host, git, write, commit } = scene();
  write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  const pointer = (text: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash("sha256").update(text).digest("hex")}\nsize ${text.length}\n`;
  write("a.bin", pointer("content"));
  const base = commit();
  write("a.bin", "content");
  expect(await host.git.diff(repo)).toBe("");
  const tree = { root: repo, path: join(repo, "mine/tree"), branch: "t/one", base };
  await addWorktree(host, tree);
  writeFileSync(join(tree.path, "a.bin"), "other content");
  await concludeWorktree(host, tree, "work");
  expect(`${git("show", "t/one:a.bin")}\n`).toBe(pointer("other content"));
  const id = createHash("sha256").update("other content").digest("hex");
  const kept = join(".git/lfs/objects", id.slice(0, 2), id.slice(2, 4), id);
  expect(git("hash-object", kept)).toBe(git("hash-object", join(tree.path, "a.bin")));
});

test("files that an agent hides in a nested repository, or by flags, are seen", async () => {
  const { repo, host, git, write, commit } = scene();
  write("a", "1\n");
  commit();
  const before = await host.git.fingerprint(repo);
  git("update-index", "--assume-unchanged", "a");
  write("a", "2\n");
  expect(await host.git.diff(repo)).toContain("+2");
  write("a", "1\n");
  expect(await host.git.fingerprint(repo)).toBe(before);
  git("init", "--quiet", "nest");
  write("nest/hidden", "1\n");
  expect(await host.git.diff(repo)).toBe("untracked: nest/hidden\n");
});

test("a sparse checkout misses nothing that is not there", async () => {
  const { repo, host, git, write, commit } = scene();
  for (const name of ["in", "out"]) {
    mkdirSync(join(repo, name));
    write(`${name}/a`, "1\n");
  }
  commit();
  git("sparse-checkout", "set", "in");
  expect(await host.git.diff(repo)).toBe("");
});

test.each([".gitignore", "sub/.gitattributes", "nest/.git/HEAD"])(
  "a pipe in the place of %s is told, and waited for by nobody",
  async (name) => {
    const { repo, host, git, write, commit } = scene();
    write("a", "1\n");
    commit();
    mkdirSync(join(repo, "sub"));
    git("init", "--quiet", "nest");
    rmSync(join(repo, name), { force: true });
    execFileSync("mkfifo", [join(repo, name)]);
    await expect(host.git.diff(repo)).rejects.toMatchObject({ code: "HOST_GIT_FAILED" });
  },
);

test.runIf(has("root"))(
  "a repository of somebody else is left alone unless the user's own configuration says that it is safe [SEC-4.global]",
  async () => {
    const { all, repo, host, write, commit } = scene();
    write("a", "1\n");
    commit();
    chownSync(repo, 65534, 65534);
    await expect(host.git.diff(repo)).rejects.toMatchObject({ code: "HOST_GIT_FAILED" });
    writeFileSync(join(all, ".gitconfig"), `[safe]\n\tdirectory = ${repo}\n`);
    expect(await host.git.diff(repo)).toBe("");
  },
);

test("a change of one character is seen however soon it comes after the last look", async () => {
  const { repo, host, write, commit } = scene();
  write("a", "0\n");
  commit();
  for (let round = 1; round < 10; round += 1) {
    write("a", `${round}\n`);
    expect(await host.git.diff(repo)).toContain(`+${round}\n`);
  }
});
