import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { readRunDiff } from "../../../src/app/history/run-diff.ts";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";
import "../../one-reaper.ts";

const HOSTILE = 'we"ird\n\u001b[31m\u202e\\name.txt';

let machine: Machine & { readonly root: string };
beforeEach(() => {
  machine = createFileMachine();
});

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
}

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(machine.root, name), content);
}

function commit(): string {
  git(machine.root, "add", "-A", ".", ":!.troupe");
  git(machine.root, "commit", "--quiet", "-m", "change");
  return git(machine.root, "rev-parse", "HEAD").trim();
}

function repository(): string {
  git(machine.root, "init", "--quiet");
  writeFileSync(join(machine.root, ".git/info/exclude"), "tmp\n");
  write("kept.txt", "same\n");
  write("edited.txt", "one\ntwo\n");
  write("gone.txt", "bye\n");
  return commit();
}

/** A run whose only agent does these things. */
function runThat(...actions: readonly object[]): Promise<string> {
  return runWith({}, ...actions);
}

async function runWith(
  place: { readonly isolation?: "worktree" },
  ...actions: readonly object[]
): Promise<string> {
  const definition: PatternDefinition = {
    format: 1,
    shape: "pattern",
    name: "one",
    pattern: "fan-out",
    params: {},
    agents: [
      {
        id: "coder",
        backend: "script",
        ...place,
        settings: { script: [{ do: JSON.parse(JSON.stringify(actions)), say: "DONE: done" }] },
      },
    ],
    steps: [],
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
  const run = await startRun(machine, definition, { task: "x" });
  expect((await run.result).success).toBe(true);
  return run.id;
}

test("a run knows the commit that it began at, from the files of the repository alone", async () => {
  const head = repository();
  const run = await runThat();
  expect(readEvents(machine, run)[0]).toMatchObject({ repository: { commit: head } });
});

test("outside a repository nothing is recorded, and what agents reported is shown", async () => {
  const run = await runThat({ write: { path: "new.txt", content: "x" } });
  expect(readEvents(machine, run)[0]).not.toHaveProperty("repository");
  expect(await readRunDiff(machine, run)).toEqual({
    root: machine.root,
    base: null,
    files: [
      { path: "new.txt", kind: "create", agents: ["coder"], isInPatch: false, isOlder: false },
    ],
    patch: { status: "none", reason: "not-recorded" },
    branches: [],
  });
});

test("created, edited and deleted files are shown with who changed them, also what was committed meanwhile", async () => {
  const base = repository();
  const run = await runThat(
    { write: { path: "edited.txt", content: "one\nthree\n" } },
    { write: { path: "new file.txt", content: "hello" } },
    { run: "rm gone.txt" },
  );
  commit();
  const diff = await readRunDiff(machine, run);
  expect(diff).toMatchObject({ root: machine.root, base });
  expect(diff.files.map(({ path, kind, agents }) => [path, kind, agents])).toEqual([
    ["edited.txt", "edit", ["coder"]],
    ["gone.txt", "delete", []],
    ["new file.txt", "create", ["coder"]],
  ]);
  expect(diff.patch).toMatchObject({ status: "made", isCut: false });
});

test("the patch makes the same files from the commit, with hostile names, links and programs [T16]", async () => {
  const base = repository();
  const run = await runThat();
  write("edited.txt", "one\nthree\nno newline");
  write(HOSTILE, "x\n");
  write("run me.sh", "#!/bin/sh\n");
  write("empty", "");
  chmodSync(join(machine.root, "run me.sh"), 0o755);
  symlinkSync("kept.txt", join(machine.root, "link"));
  mkdirSync(join(machine.root, "deep/er"), { recursive: true });
  write("deep/er/file", "1\n2");
  const diff = await readRunDiff(machine, run);
  if (diff.patch.status !== "made") throw new Error("no patch");
  const copy = mkdtempSync(join(tmpdir(), "troupe-copy-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  git(copy, "clone", "--quiet", machine.root, ".");
  git(copy, "checkout", "--quiet", base);
  execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: copy, input: diff.patch.text });
  const same = ["edited.txt", HOSTILE, "run me.sh", "empty", "deep/er/file"];
  for (const name of same)
    expect(readFileSync(join(copy, name))).toEqual(readFileSync(join(machine.root, name)));
  expect(git(copy, "status", "--porcelain", "--untracked-files=all").split("\n")).toHaveLength(7);
  expect(diff.files).toHaveLength(6);
});

test("files of runs, binary files and long patches do not flood the view", async () => {
  repository();
  const run = await runThat();
  write("binary", Buffer.from([0, 1, 2, 255]));
  write("long.txt", `${"x".repeat(100)}\n`.repeat(20_000));
  const diff = await readRunDiff(machine, run);
  expect(diff.files.map(({ path }) => path)).toEqual(["binary", "long.txt"]);
  if (diff.patch.status !== "made") throw new Error("no patch");
  expect(diff.patch.text).toContain("Binary files /dev/null and b/binary differ");
  expect(diff.patch.text.length).toBeLessThanOrEqual(1024 * 1024);
});

test("what was changed before the run began is named and not shown [USE-4.before]", async () => {
  repository();
  write("edited.txt", "changed before\n");
  write("new before.txt", "new before\n");
  for (const name of ["edited.txt", "new before.txt"])
    utimesSync(join(machine.root, name), 1_700_000_000, 1_700_000_000);
  const run = await runThat({ write: { path: "new.txt", content: "new in it\n" } });
  const { files, patch } = await readRunDiff(machine, run);
  expect(files.map(({ path, isOlder, isInPatch }) => [path, isOlder, isInPatch])).toEqual([
    ["edited.txt", true, false],
    ["new before.txt", true, false],
    ["new.txt", false, true],
  ]);
  if (patch.status !== "made") throw new Error("no patch");
  expect(patch.text).toContain("+new in it");
  expect(patch.text).not.toContain("before");
});

test("an old file that is put in place by the run is shown, whatever its time says", async () => {
  repository();
  const run = await runThat({ run: "echo old > old.txt; touch -d 2001-01-01 old.txt" });
  const { files } = await readRunDiff(machine, run);
  expect(files).toMatchObject([{ path: "old.txt", isOlder: false, isInPatch: true }]);
});

test("what an agent left on the branch of its worktree is shown, with its name [USE-4.branches]", async () => {
  repository();
  const action = { write: { path: "edited.txt", content: "in the worktree\n" } };
  const run = await runWith({ isolation: "worktree" }, action);
  const { files, patch, branches } = await readRunDiff(machine, run);
  const branch = `troupe/${run}/coder`;
  expect(files).toEqual([
    {
      ...{ path: "edited.txt", kind: "edit", agents: ["coder"] },
      ...{ isInPatch: true, isOlder: false, branch },
    },
  ]);
  expect(patch).toEqual({ status: "made", text: "", isCut: false });
  expect(branches).toEqual([
    {
      ...{ agent: "coder", branch },
      patch: {
        ...{ status: "made", isCut: false },
        text: expect.stringContaining("-one\n-two\n+in the worktree\n"),
      },
    },
  ]);
});

test.each([
  ["--output=/tmp/evil", "no-commit"],
  ["0".repeat(40), "no-commit"],
  ["HEAD", "no-commit"],
])(
  "a journal that names %j as its commit makes git do nothing else [T6, T16]",
  async (base, reason) => {
    repository();
    const recorded = recordedRun("run_forged", 20);
    const events = recorded.events.map((event) =>
      event.type === "run-created"
        ? { ...event, cwd: machine.root, repository: { commit: base } }
        : event,
    );
    await writeRun(machine, { ...recorded, events });
    const { patch } = await readRunDiff(machine, "run_forged");
    expect(patch).toEqual({ status: "none", reason });
  },
);

test("a run from elsewhere says that its directory is not here", async () => {
  await writeRun(machine, recordedRun("run_moved1"));
  const { patch } = await readRunDiff(machine, "run_moved1");
  expect(patch).toEqual({ status: "none", reason: "no-directory" });
});
