import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

let cwd: string;
let home: string;

beforeEach(() => {
  home = createProject({});
  cwd = createProject({ ".gitignore": ".troupe\nteam.yaml\n", "a.txt": "a\n", "b.txt": "b\n" });
  git("init", "--quiet", "--initial-branch", "main");
  commit();
});

function git(...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "-m", "files");
}

/** A run whose agents each write their files; its id. */
async function work(files: { readonly [agent: string]: { readonly [path: string]: string } }) {
  const agents = Object.entries(files).map(([id, written]) => {
    const actions = Object.entries(written).map(([path, content]) => ({
      write: { path, content },
    }));
    const script = [{ do: actions, say: "DONE: ok" }];
    return { id, backend: "script", isolation: "worktree", script };
  });
  const steps = agents.map(({ id }) => ({ id: `do-${id}`, agent: id, prompt: "work" }));
  const workflow = { version: "1.0", name: "team", pattern: "dag", agents, steps };
  writeFileSync(join(cwd, "team.yaml"), JSON.stringify(workflow));
  const { out, exitCode } = await troupe("run", "team.yaml");
  expect(exitCode, out).toBe(0);
  return readdirSync(join(cwd, ".troupe/runs")).filter((name) => name.startsWith("run_"))[0] ?? "";
}

function troupe(...args: readonly string[]) {
  return call(cwd, args, { env: { TROUPE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home } });
}

const branches = () => git("branch", "--format=%(refname:short)").split("\n").sort();
const read = (path: string) => readFileSync(join(cwd, path), "utf8");

test("branches of a run come together one by one, verified, and are removed [AGT-13]", async () => {
  const run = await work({ one: { "a.txt": "one\n" }, two: { "new.txt": "two\n" }, idle: {} });
  const { out, exitCode } = await troupe("merge", "@last", "--verify", "test -s a.txt");
  expect(out.replaceAll(run, "RUN")).toBe(
    [
      "troupe/RUN/one: changes 1 file",
      "troupe/RUN/two: adds 1 file",
      "verifying: test -s a.txt",
      "merged troupe/RUN/one",
      "verifying: test -s a.txt",
      "merged troupe/RUN/two",
      "2 branches of RUN merged into main",
      "",
    ].join("\n"),
  );
  expect(exitCode).toBe(0);
  expect([read("a.txt"), read("new.txt")]).toEqual(["one\n", "two\n"]);
  expect(branches()).toEqual(["main"]);
  expect(git("log", "--merges", "--format=%s").replaceAll(run, "RUN")).toBe(
    "Merge two of RUN\nMerge one of RUN",
  );
  expect(existsSync(join(cwd, ".troupe/runs", run, "worktrees/one"))).toBe(false);
  expect((await troupe("merge", run)).err).toContain("RUN_MERGE_NOTHING");
});

test("candidates work in worktrees of their own, the one that passes is named, and merge takes over its work alone [PAT-more-2.competitive]", async () => {
  const candidate = (id: string, content: string) => ({
    ...{ id, backend: "script" },
    script: [{ do: [{ write: { path: "a.txt", content } }], say: `DONE: by ${id}` }],
  });
  const workflow = {
    ...{ name: "race", pattern: "competitive", competitive: { verify: "grep -q good a.txt" } },
    agents: [candidate("one", "bad\n"), candidate("two", "good\n")],
  };
  writeFileSync(join(cwd, "team.yaml"), JSON.stringify(workflow));
  const ran = await troupe("run", "team.yaml", "win", "--json");
  expect(ran.exitCode).toBe(0);
  const { result } = JSON.parse(ran.out.trim().split("\n").at(-1) ?? "");
  expect(result).toMatchObject({ output: "by two", metadata: { winner: "two" } });
  expect(read("a.txt")).toBe("a\n");
  expect(branches()).toHaveLength(3);
  const merged = await troupe("merge", "@last");
  expect([merged.exitCode, read("a.txt")]).toEqual([0, "good\n"]);
});

test("--into merges into another branch, made if need be, --keep leaves all, --json tells it [AGT-13]", async () => {
  const run = await work({ one: { "a.txt": "one\n" } });
  const { out, exitCode } = await troupe("merge", run, "--into", "next", "--keep", "--json");
  expect(exitCode).toBe(0);
  const brief = { agent: "one", branch: `troupe/${run}/one`, commit: git("rev-parse", "next^2") };
  expect(JSON.parse(out)).toEqual({
    ...{ v: 1, run, root: cwd, into: "next", start: git("rev-parse", "main") },
    ...{ switchedFrom: "main", edited: [] },
    ...{ status: "merged", merged: [brief], left: [], kept: [brief] },
  });
  expect(branches()).toEqual(["main", "next", `troupe/${run}/one`]);
  expect(git("show", "main:a.txt")).toBe("a");
});

describe("a conflict", () => {
  test("stops and waits for a person, whose resolution is verified before the merge goes on [AGT-13]", async () => {
    const run = await work({
      one: { "a.txt": "one\n" },
      two: { "a.txt": "two\n" },
      three: { "b.txt": "three\n" },
    });
    const stopped = await troupe("merge", run, "--verify", "! grep -q bad a.txt");
    expect(stopped.exitCode).toBe(3);
    expect(stopped.out.replaceAll(run, "RUN").replaceAll(cwd, "DIR")).toContain(
      "troupe/RUN/two conflicts in 1 file:\n  a.txt\nresolve them in DIR, git add them, then: troupe merge RUN --continue\n",
    );
    expect(read("a.txt")).toContain("<<<<<<<");
    // Nothing is lost by asking too early, or by beginning again.
    expect((await troupe("merge", run, "--continue")).exitCode).toBe(3);
    expect((await troupe("merge", run)).err).toContain("RUN_MERGE_UNFINISHED");
    writeFileSync(join(cwd, "a.txt"), "one and two\n");
    git("add", "a.txt");
    expect(await troupe("merge", run, "--continue")).toMatchObject({ exitCode: 0 });
    expect([read("a.txt"), read("b.txt")]).toEqual(["one and two\n", "three\n"]);
    expect(branches()).toEqual(["main"]);
  });

  test("can be given up: what was merged stays, and so do the branches that were not [AGT-13]", async () => {
    const run = await work({ one: { "a.txt": "one\n" }, two: { "a.txt": "two\n" } });
    await troupe("merge", run);
    const { out, exitCode } = await troupe("merge", run, "--abort");
    expect([exitCode, out.split("\n")[0]?.replaceAll(run, "RUN")]).toEqual([
      0,
      "the merge of RUN is given up; 1 branch stayed in main",
    ]);
    expect(read("a.txt")).toBe("one\n");
    expect(git("status", "--porcelain")).toBe("");
    expect(branches()).toContain(`troupe/${run}/two`);
    expect((await troupe("merge", run, "--continue")).err).toContain("RUN_MERGE_NOT_BEGUN");
  });

  test("that an agent did not resolve is left to a person [AGT-13]", async () => {
    const run = await work({ one: { "a.txt": "one\n" }, two: { "a.txt": "two\n" } });
    const { out, exitCode } = await troupe("merge", run, "--agent", "script");
    expect(out).toContain("script resolves 1 file");
    expect(exitCode).toBe(3);
    expect(git("rev-parse", "MERGE_HEAD")).toBe(git("rev-parse", `troupe/${run}/two`));
  });
});

test("a branch that does not pass is taken back alone, and merged once it does [AGT-13]", async () => {
  const run = await work({ one: { "b.txt": "one\n" }, two: { "a.txt": "bad\n" } });
  const verify = "if grep bad a.txt; then exit 1; fi";
  const failed = await troupe("merge", run, "--verify", verify);
  expect(failed.exitCode).toBe(1);
  expect(failed.out).toContain(`took troupe/${run}/two back`);
  expect([read("a.txt"), read("b.txt")]).toEqual(["a\n", "one\n"]);
  expect(git("status", "--porcelain")).toBe("");
  const place = join(cwd, ".troupe/runs", run, "worktrees/two");
  writeFileSync(join(place, "a.txt"), "good\n");
  const identity = ["-c", "user.name=T", "-c", "user.email=t@t"];
  execFileSync("git", [...identity, "commit", "--quiet", "-am", "better"], { cwd: place });
  expect(await troupe("merge", run, "--continue")).toMatchObject({ exitCode: 0 });
  expect(read("a.txt")).toBe("good\n");
});

test("what was under way when its process died is found again, whatever it had done [AGT-13, P1]", async () => {
  const run = await work({ one: { "a.txt": "one\n" }, two: { "b.txt": "two\n" } });
  await troupe("merge", run, "--keep", "--verify", "false");
  const record = join(cwd, ".troupe/runs", run, "merge.json");
  const state = JSON.parse(readFileSync(record, "utf8"));
  // Killed after git had merged and before anything was verified.
  git("merge", "--quiet", "--no-ff", "-m", "cut off", `troupe/${run}/one`);
  const current = { branch: `troupe/${run}/one`, before: state.start };
  writeFileSync(record, JSON.stringify({ ...state, verify: "false", current }));
  expect(await troupe("merge", run, "--continue")).toMatchObject({ exitCode: 1 });
  expect(git("rev-parse", "HEAD")).toBe(state.start);
  const { verify: _, ...passing } = state;
  writeFileSync(record, JSON.stringify(passing));
  expect(await troupe("merge", run, "--continue")).toMatchObject({ exitCode: 0 });
  expect([read("a.txt"), read("b.txt")]).toEqual(["one\n", "two\n"]);
});

test("gc keeps a run whose worktree holds what no commit has, and removes it with its worktree once that is gone or forced [AGT-13]", async () => {
  const gc = (...args: readonly string[]) => troupe("gc", ...args, "--yes");
  const run = await work({ one: { "a.txt": "one\n" } });
  const late = join(cwd, ".troupe/runs", run, "worktrees/one/late.txt");
  writeFileSync(late, "late\n");
  for (const policy of [["--keep", "0"], [run]]) {
    const kept = await gc(...policy);
    expect(kept.err).toContain("RUN_HOLDS_WORK");
    expect(kept.err).toContain(`troupe gc ${run} --force`);
    expect([kept.exitCode, read(`.troupe/runs/${run}/worktrees/one/late.txt`)]).toEqual([
      1,
      "late\n",
    ]);
  }
  expect(await gc(run, "--force")).toMatchObject({ exitCode: 0, err: "" });
  expect(existsSync(late)).toBe(false);
  const other = await work({ one: { "a.txt": "two\n" } });
  expect(await gc("--keep", "0")).toMatchObject({ exitCode: 0, err: "" });
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  // What was committed stays on the branches.
  expect(branches()).toEqual(["main", `troupe/${run}/one`, `troupe/${other}/one`].sort());
});

test("a working tree or worktree with changes of its own is left alone [AGT-13]", async () => {
  const run = await work({ one: { "a.txt": "one\n" } });
  writeFileSync(join(cwd, "b.txt"), "mine\n");
  expect(await troupe("merge", run)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("RUN_MERGE_DIRTY"),
  });
  git("checkout", "--quiet", "--", "b.txt");
  writeFileSync(join(cwd, ".troupe/runs", run, "worktrees/one/late.txt"), "late\n");
  expect((await troupe("merge", run)).err).toContain("RUN_MERGE_DIRTY");
  expect(read("a.txt")).toBe("a\n");
});
