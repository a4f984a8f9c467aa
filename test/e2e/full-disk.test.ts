import { rmSync, writeFileSync } from "node:fs";
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
