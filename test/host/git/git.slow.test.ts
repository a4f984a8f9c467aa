import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ProcessHost } from "../../../src/host/host.ts";
import { createTestHost } from "../survivors.ts";

let host: ProcessHost;
let repo: string;
beforeAll(() => {
  host = createTestHost();
});
afterAll(() => host.close());
beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), "troupe-git-"));
});
afterEach(() => rmSync(repo, { recursive: true }));

function git(...args: string[]): void {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  execFileSync("git", [...identity, ...args], { cwd: repo, stdio: "ignore" });
}

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(repo, name), content);
}

function commit(): void {
  git("add", ".");
  git("commit", "--quiet", "-m", "change");
}

test("outside a repository there is nothing to tell", async () => {
  expect(await host.git.branch(repo)).toBeUndefined();
  expect(await host.git.diff(repo)).toBeUndefined();
  expect(await host.git.fingerprint(repo)).toBeUndefined();
});

test("without the git program nothing is a repository", async () => {
  git("init", "--quiet");
  const bare = createTestHost({ env: { PATH: "/absent" } });
  expect(await bare.git.branch(repo)).toBeUndefined();
  await bare.close();
});

test("a repository has a branch before and after its first commit, and HEAD when detached", async () => {
  git("init", "--quiet", "--initial-branch", "feature/x");
  expect(await host.git.branch(repo)).toBe("feature/x");
  write("a", "1\n");
  commit();
  expect(await host.git.branch(repo)).toBe("feature/x");
  git("checkout", "--quiet", "--detach");
  expect(await host.git.branch(repo)).toBe("HEAD");
});

test("a diff shows staged and other changes against HEAD and names untracked files", async () => {
  git("init", "--quiet");
  write("a", "1\n");
  git("add", ".");
  expect(await host.git.diff(repo)).toContain("+1");
  commit();
  expect(await host.git.diff(repo)).toBe("");
  write("a", "2\n");
  write("ä b", "new\n");
  mkdirSync(join(repo, "sub"));
  const diff = await host.git.diff(join(repo, "sub"));
  expect(diff).toContain("-1\n+2\n");
  expect(diff).toContain("untracked: ä b\n");
});

test("the fingerprint changes with every change of HEAD or the working tree, and with nothing else", async () => {
  git("init", "--quiet");
  write("a", "1\n");
  write(".gitignore", "ignored\n");
  commit();
  const seen = new Set([await host.git.fingerprint(repo)]);
  const changes = [
    () => write("a", "2\n"),
    () => write("a", "3\n"),
    () => write("a", Buffer.from([0xe8])),
    () => write("a", Buffer.from([0xe9])),
    () => write("untracked", "1"),
    () => write("untracked", "2"),
    () => write("with space", ""),
    () => rmSync(join(repo, "a")),
    () => commit(),
  ];
  for (const change of changes) {
    change();
    seen.add(await host.git.fingerprint(repo));
  }
  expect(seen.size).toBe(changes.length + 1);
  write("ignored", "x");
  const last = await host.git.fingerprint(repo);
  expect([...seen].at(-1)).toBe(last);
});

test("programs that a repository names in its settings are not run [T6]", async () => {
  git("init", "--quiet");
  write("a", "1\n");
  write(".gitattributes", "* diff=evil\n");
  commit();
  const evil = `touch ${join(repo, "pwned")}`;
  git("config", "core.fsmonitor", evil);
  git("config", "core.pager", evil);
  git("config", "diff.external", evil);
  git("config", "diff.evil.textconv", evil);
  git("config", "diff.evil.command", evil);
  write("a", "2\n");
  expect(await host.git.diff(repo)).toContain("+2");
  expect(await host.git.fingerprint(repo)).toBeDefined();
  expect(existsSync(join(repo, "pwned"))).toBe(false);
});
