import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mount, mountDisk } from "../host/mount-disk.ts";
import { has } from "../machine.ts";
import { createProject, troupe } from "./troupe-process.ts";

const LOUD = `name: loud
pattern: dag
agents:
  - { id: quiet, backend: command, command: "echo hi" }
  - { id: loud, backend: command, command: "head -c 1500000 /dev/zero | tr '\\\\0' x | fold -w 100; echo written" }
steps:
  - { id: one, agent: quiet }
  - { id: two, agent: loud, dependsOn: [one] }
  - { id: three, agent: quiet, dependsOn: [two] }
`;

test.runIf(has("the right to mount"))(
  "a run on a full disk stays resumable, however often it is tried before there is space [ENG-5, P6.full]",
  async () => {
    const cwd = createProject();
    mountDisk(cwd, "size=2m");
    writeFileSync(join(cwd, "loud.yaml"), LOUD);
    const filler = join(cwd, "filler");
    writeFileSync(filler, "x".repeat(600_000));
    const first = await troupe(cwd, ["run", "loud.yaml", "go"]);
    expect([first.exitCode, first.err]).toEqual([1, expect.stringMatching(NO_SPACE)]);
    const [run = ""] = /run_\w{6}/.exec(first.out) ?? [];
    // Twice as often as deaths of an owner count.
    for (let tries = 0; tries < 6; tries += 1) {
      const again = await troupe(cwd, ["resume", run]);
      expect([again.exitCode, again.err]).toEqual([1, expect.stringMatching(NO_SPACE)]);
    }
    expect((await troupe(cwd, ["show", run])).out).not.toMatch(/failed|blocked/);
    rmSync(filler);
    mount(["-o", "remount,size=20m", cwd]);
    const end = await troupe(cwd, ["resume", run]);
    expect([end.exitCode, end.out]).toEqual([0, expect.stringContaining("✔ done")]);
  },
);

test.runIf(has("the right to mount"))(
  "a file system that is mounted read-only is told as that, wherever a run would be written [ENG-5, P6.read-only]",
  async () => {
    const cwd = createProject();
    mountDisk(cwd, "size=20m");
    writeFileSync(join(cwd, "quiet.yaml"), LOUD.replace("1500000", "1"));
    mount(["-o", "remount,ro", cwd]);
    const nowhere = await troupe(cwd, ["run", "quiet.yaml", "go"]);
    expect([nowhere.exitCode, nowhere.err]).toEqual([2, expect.stringMatching(READ_ONLY)]);
    mount(["-o", "remount,rw", cwd]);
    const { out } = await troupe(cwd, ["run", "quiet.yaml", "go"]);
    const [run = ""] = /run_\w{6}/.exec(out) ?? [];
    mount(["-o", "remount,ro", cwd]);
    for (const args of [
      ["run", "quiet.yaml", "go"],
      ["cancel", run],
      ["rerun", run, "--from", "two"],
    ]) {
      const refused = await troupe(cwd, args);
      expect([args[0], refused.err]).toEqual([args[0], expect.stringMatching(READ_ONLY)]);
      expect([args[0], refused.err]).toEqual([args[0], expect.not.stringMatching(/ENOENT|SQLite/)]);
    }
  },
);

test.runIf(has("the right to mount"))(
  "a full disk of the user's state directory is told as that, and the run is made once there is space [P6.full]",
  async () => {
    const cwd = createProject({
      "quiet.yaml": LOUD.replace("1500000", "1"),
      ".troupe/config.yaml": "limits:\n  hostConcurrency: 1\n",
    });
    const home = createProject();
    mountDisk(home, "size=64k");
    const filler = join(home, "filler");
    expect(() => writeFileSync(filler, "x".repeat(100_000))).toThrow(/ENOSPC/);
    const args = ["run", "quiet.yaml", "go"];
    const refused = await troupe(cwd, args, { TROUPE_HOME: home });
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringMatching(NO_SPACE)]);
    rmSync(filler);
    mount(["-o", "remount,size=20m", home]);
    expect((await troupe(cwd, args, { TROUPE_HOME: home })).exitCode).toBe(0);
  },
);

const NO_SPACE =
  /^error\[(STORE_FULL|HOST_DISK_FULL)\].*\n *= free space on that disk, then resume/m;
const READ_ONLY = /^error\[\w+\].*read-only/m;

// A committed file of 4 MiB that does not compress: a tree of it needs as much again.
const TREES = `name: trees
pattern: dag
agents:
  - { id: plain, backend: command, command: "echo once >> ledger; echo ok" }
  - id: coder
    backend: command
    isolation: worktree
    command: "head -c 3000000 /dev/urandom > first && echo DONE: written"
steps:
  - { id: one, agent: plain }
  - { id: two, agent: coder, dependsOn: [one] }
  - { id: three, agent: plain, dependsOn: [two] }
`;
const MIB = 1024 * 1024;

function git(cwd: string, ...args: readonly string[]): string {
  const user = ["-c", "user.name=u", "-c", "user.email=u@example.org"];
  return execFileSync("git", [...user, ...args], { cwd, encoding: "utf8" });
}

/** A repository on a disk of its own, which can be filled up to so many bytes. */
function createTightRepository() {
  const cwd = createProject();
  mountDisk(cwd, "size=40m");
  writeFileSync(join(cwd, "trees.yaml"), TREES);
  writeFileSync(join(cwd, ".gitignore"), ".troupe/\nfiller\nledger\ntrees.yaml\n");
  writeFileSync(join(cwd, "large.bin"), randomBytes(4 * MIB));
  git(cwd, "init", "--quiet");
  git(cwd, "add", "--all");
  git(cwd, "commit", "--quiet", "-m", "files");
  const fill = (freeBytes: number) => {
    const { bavail, bsize } = statfsSync(cwd);
    writeFileSync(join(cwd, "filler"), Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
  };
  const makeSpace = () => rmSync(join(cwd, "filler"));
  const ledger = () => readFileSync(join(cwd, "ledger"), "utf8").split("\n").length - 1;
  return { cwd, fill, makeSpace, ledger };
}

test.runIf(has("the right to mount")).each([
  { what: "a worktree cannot be written", freeBytes: 2.5 * MIB },
  { what: "the agent cannot write its file", freeBytes: 6 * MIB },
])(
  "on a disk so full that $what the run stops, and goes on once there is space [P6.full, AGT-17.step]",
  async ({ freeBytes }) => {
    const { cwd, fill, makeSpace, ledger } = createTightRepository();
    fill(freeBytes);
    const first = await troupe(cwd, ["run", "trees.yaml", "go"]);
    expect([first.exitCode, first.err]).toEqual([1, expect.stringMatching(NO_SPACE)]);
    const [run = ""] = /run_\w{6}/.exec(first.out) ?? [];
    const again = await troupe(cwd, ["resume", run]);
    expect([again.exitCode, again.err]).toEqual([1, expect.stringMatching(NO_SPACE)]);
    makeSpace();
    const end = await troupe(cwd, ["resume", run]);
    expect([end.exitCode, end.out, ledger()]).toEqual([0, expect.stringContaining("✔ done"), 2]);
    const merged = await troupe(cwd, ["merge", run]);
    expect([merged.exitCode, statSync(join(cwd, "first")).size]).toEqual([0, 3_000_000]);
  },
);

test.runIf(has("the right to mount"))(
  "work that a full disk keeps from its branch stays in its directory, which the run and merge name [P6.full, ENG-21.alone]",
  async () => {
    const { cwd, fill, makeSpace } = createTightRepository();
    fill(9 * MIB);
    const { out, err } = await troupe(cwd, ["run", "trees.yaml", "go"]);
    const [run = ""] = /run_\w{6}/.exec(out) ?? [];
    const tree = join(cwd, ".troupe", "runs", run, "worktrees", "coder");
    expect(out + err).toMatch(
      /the worktree of coder stays as it is in \S+ with its work: make room/,
    );
    expect(statSync(join(tree, "first")).size).toBe(3_000_000);
    makeSpace();
    const refused = await troupe(cwd, ["merge", run]);
    expect([refused.exitCode, refused.err]).toEqual([
      2,
      expect.stringContaining(`git -C ${tree} status`),
    ]);
    git(tree, "add", "--all");
    git(tree, "commit", "--quiet", "-m", "work");
    expect((await troupe(cwd, ["merge", run])).exitCode).toBe(0);
    expect(statSync(join(cwd, "first")).size).toBe(3_000_000);
  },
);

test.runIf(has("the right to mount"))(
  "a merge on a full disk changes no file of the user, and is made once there is space [P6.full, AGT-22.merge]",
  async () => {
    const { cwd, fill, makeSpace } = createTightRepository();
    const { out } = await troupe(cwd, ["run", "trees.yaml", "go"]);
    const [run = ""] = /run_\w{6}/.exec(out) ?? [];
    writeFileSync(join(cwd, "mine"), "of the user\n");
    const look = () => [git(cwd, "rev-parse", "HEAD"), git(cwd, "status", "--porcelain")];
    const before = look();
    fill(1.5 * MIB);
    const refused = await troupe(cwd, ["merge", run]);
    expect(refused.err).toMatch(/^error\[RUN_MERGE_FAILED\].*: no space left to write/m);
    expect(refused.err).toContain(`troupe merge ${run} --continue`);
    expect(look()).toEqual(before);
    makeSpace();
    const merged = await troupe(cwd, ["merge", run, "--continue"]);
    expect([merged.exitCode, statSync(join(cwd, "first")).size]).toEqual([0, 3_000_000]);
    expect(readFileSync(join(cwd, "mine"), "utf8")).toBe("of the user\n");
  },
);
