import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject, stable } from "./fake-io.ts";

/** A project with a repository and one commit. */
function repository(files: { readonly [path: string]: string } = {}) {
  const cwd = createProject({ ".gitignore": ".troupe\n", "user.txt": "1\n", ...files });
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...identity, ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "-m", "first");
  const subjects = () => git("log", "--format=%s").trim().split("\n");
  return {
    cwd,
    git,
    subjects,
    lastRun: async () => JSON.parse((await call(cwd, ["runs", "--json"])).out).runs[0].id,
  };
}

/** How the last run ended, as its journal has it. */
async function endOf(cwd: string) {
  const { out } = await call(cwd, ["logs", "@last", "--json"]);
  return JSON.parse(out.trim().split("\n").at(-1) ?? "");
}

const WORK = [
  "--agent",
  "command",
  "--",
  "sh",
  "-c",
  'echo "$TROUPE_STEP" >> work.txt; echo "DONE: more in $TROUPE_STEP"',
];

test("troupe iter commits what each iteration changed, and says at its end what came of them [ITR-1, ITR-3, ITR-4, ITR-git.inert, ITR-git.message]", async () => {
  const { cwd, git, subjects } = repository();
  const { exitCode, out } = await call(cwd, ["iter", "2", "add lines", "--commit", ...WORK]);
  expect([exitCode, subjects()]).toEqual([
    0,
    ["[iter-1] more in iteration[1]", "[iter-0] more in iteration[0]", "first"],
  ]);
  expect(out).toContain("without hooks, filters and signatures");
  expect(out).toMatch(/iteration 1 done, 1 file, commit [0-9a-f]{7}: /);
  const logged = (await call(cwd, ["logs", "@last", "--json"])).out;
  expect(logged.match(/signatures; what has to hold belongs under verify/g)).toHaveLength(1);
  expect(git("log", "-1", "--format=%(trailers:only)")).toMatch(
    /^Troupe-Run: run_\w+\nTroupe-Iteration: 1\n/,
  );
  expect(git("status", "--porcelain")).toBe("");
  expect(await endOf(cwd)).toMatchObject({
    result: {
      metadata: {
        iterationsSucceeded: 2,
        stopReason: "count",
        records: [{ changedFiles: ["work.txt"] }, { iteration: 1 }],
      },
    },
  });
});

test("a dirty tree is refused before any agent, and with --allow-dirty the user's changes stay and are not committed [ITR-3, ITR-git.dirty]", async () => {
  const { cwd, git, subjects } = repository();
  writeFileSync(join(cwd, "user.txt"), "2\n");
  const refused = await call(cwd, ["iter", "2", "x", "--commit", ...WORK]);
  expect(refused.exitCode).toBe(1);
  expect(refused.out).toContain("that no commit has");
  expect(existsSync(join(cwd, "work.txt"))).toBe(false);
  const before = git("diff", "HEAD");
  const { exitCode } = await call(cwd, ["iter", "1", "x", "--commit", "--allow-dirty", ...WORK]);
  expect([exitCode, subjects()[0], git("diff", "HEAD")]).toEqual([
    0,
    "[iter-0] more in iteration[0]",
    before,
  ]);
  const touches = ["--agent", "command", "--", "sh", "-c", "echo 3 >> user.txt; echo DONE: 3"];
  await call(cwd, ["iter", "1", "x", "--commit", "--allow-dirty", ...touches]);
  expect((await endOf(cwd)).result.metadata.records).toMatchObject([
    { commitId: null, changedFiles: ["user.txt"], uncommitted: ["user.txt"] },
  ]);
  expect(subjects()).toHaveLength(2);
});

test("a summary that is too long for a subject is cut there at 72 characters, and whole below it [ITR-git.message]", async () => {
  const { cwd, git, subjects } = repository();
  const summary = "word ".repeat(20).trim();
  const says = ["--agent", "command", "--", "sh", "-c", `touch a; echo 'DONE: ${summary}'`];
  expect((await call(cwd, ["iter", "1", "x", "--commit", ...says])).exitCode).toBe(0);
  expect(subjects()[0]).toMatch(/^\[iter-0\] word .*…$/);
  expect(subjects()[0]).toHaveLength(72);
  expect(git("log", "-1", "--format=%b")).toMatch(new RegExp(`^${summary}\n\nTroupe-Run: `));
});

test("what a failed iteration changed goes with the next commit, or has its own if that is wanted [ITR-3, ITR-4, ITR-git.carried, ITR-prompt.summary]", async () => {
  const failing = [
    "--agent",
    "command",
    "--",
    "sh",
    "-c",
    'echo "$TROUPE_STEP" >> "$TROUPE_STEP.txt"; test "$TROUPE_STEP" != "iteration[0]"',
  ];
  const next = repository();
  expect((await call(next.cwd, ["iter", "2", "x", "--commit", ...failing])).exitCode).toBe(0);
  expect(next.subjects()).toEqual(["[iter-1] Changed iteration[1].txt", "first"]);
  expect(next.git("show", "--format=", "--name-only", "HEAD").trim().split("\n")).toEqual([
    "iteration[0].txt",
    "iteration[1].txt",
  ]);
  const own = repository();
  await call(own.cwd, ["iter", "1", "x", "--commit", "--commit-failed", ...failing]);
  expect(own.subjects()[0]).toMatch(/^\[iter-0\] the command of agent/);
});

test("without a repository nothing is committed and it is said, on a detached HEAD it is committed there [ITR-3, ITR-git.places]", async () => {
  const cwd = createProject();
  const none = await call(cwd, ["iter", "1", "x", "--commit", ...WORK]);
  expect([none.exitCode, none.out]).toEqual([
    0,
    expect.stringContaining("nothing is committed: there is no repository here"),
  ]);
  const { cwd: detached, git } = repository();
  git("checkout", "--quiet", "--detach");
  const { exitCode, out } = await call(detached, ["iter", "1", "x", "--commit", ...WORK]);
  expect([exitCode, out]).toEqual([0, expect.stringContaining("detached HEAD")]);
  expect(git("log", "--format=%s", "main")).toBe("first\n");
});

test("hooks that would fail or change files do not run [ITR-3, ITR-git.inert]", async () => {
  const { cwd, git, subjects } = repository();
  for (const hook of ["pre-commit", "commit-msg", "post-commit"]) {
    writeFileSync(join(cwd, ".git/hooks", hook), "#!/bin/sh\ntouch hooked\nexit 1\n");
    chmodSync(join(cwd, ".git/hooks", hook), 0o755);
  }
  expect((await call(cwd, ["iter", "1", "x", "--commit", ...WORK])).exitCode).toBe(0);
  expect([subjects().length, git("status", "--porcelain")]).toEqual([2, ""]);
});

test("resume --from N carries a series out again from that iteration on, if the tree stands where the one before left it [ITR-5, ITR-6, ITR-from.rerun, ITR-from.head]", async () => {
  const { cwd, git, subjects, lastRun } = repository();
  await call(cwd, [
    "iter",
    "3",
    "x",
    "--commit",
    "--agent",
    "command",
    "--",
    "sh",
    "-c",
    'echo "$TROUPE_STEP" >> work.txt; test "$TROUPE_STEP" != "iteration[1]" || test -e ok && echo "DONE: $TROUPE_STEP"',
  ]);
  const run = await lastRun();
  expect(subjects()).toEqual(["[iter-2] iteration[2]", "[iter-0] iteration[0]", "first"]);
  const elsewhere = await call(cwd, ["resume", run, "--from", "2"]);
  expect([elsewhere.exitCode, elsewhere.err]).toEqual([
    2,
    expect.stringMatching(/ITERATE_HEAD_ELSEWHERE[\s\S]+git switch --detach [0-9a-f]{40}/),
  ]);
  git("reset", "--quiet", "--hard", "HEAD~1");
  const { exitCode, out } = await call(cwd, ["resume", run, "--from", "2"]);
  expect([exitCode, stable(out)]).toEqual([
    0,
    expect.stringContaining("run_ID is a rerun of run_ID: may take over 2 steps"),
  ]);
  expect(readFileSync(join(cwd, "work.txt"), "utf8")).toBe("iteration[0]\niteration[2]\n");
  expect(subjects()).toEqual(["[iter-2] iteration[2]", "[iter-0] iteration[0]", "first"]);
  const again = await endOf(cwd);
  expect(again.result.metadata).toMatchObject({
    iterationsAttempted: 3,
    iterationsFailed: 1,
    records: [{ success: true }, { success: false }, { success: true }],
  });
  for (const [from, problem] of [
    ["9", "its last iteration is 2"],
    ["x", "--from takes a number"],
  ]) {
    const wrong = await call(cwd, ["resume", run, "--from", from ?? ""]);
    expect([wrong.exitCode, wrong.err]).toEqual([2, expect.stringContaining(problem ?? "")]);
  }
  await call(cwd, ["run", "--agent", "command", "x", "--", "true"]);
  const other = await call(cwd, ["resume", "@last", "--from", "0"]);
  expect([other.exitCode, other.err]).toEqual([
    2,
    expect.stringContaining("it is no series of iterations"),
  ]);
});

test("what a command line of iter lacks or has wrongly is said with what to write [ITR-1, ITR-6]", async () => {
  const cwd = createProject();
  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ["nothing says how often", ["iter", "fix it", "--agent", "command", "--", "true"]],
    [
      "is no number of iterations and no time",
      ["iter", "0", "x", "--agent", "command", "--", "true"],
    ],
    [
      "is no number of iterations and no time",
      ["iter", "5x", "x", "--agent", "command", "--", "true"],
    ],
    ["nothing says what is to be done", ["iter", "5"]],
    ["too many arguments for 'iter'", ["iter", "5", "a", "b"]],
    ["belongs to --agent command", ["iter", "5", "a", "--", "true"]],
    ["needs the program to run", ["iter", "5", "a", "--agent", "command"]],
    [
      "a command does not sum iterations up",
      ["iter", "5", "a", "--summarizer", "model", "--agent", "command", "--", "true"],
    ],
    [
      "means nothing without commit",
      ["iter", "5", "a", "--allow-dirty", "--agent", "command", "--", "true"],
    ],
    [
      "--max-iterations takes a number",
      ["iter", "5", "a", "--max-iterations", "no", "--agent", "command", "--", "true"],
    ],
  ];
  for (const [problem, args] of wrong) {
    const { exitCode, err } = await call(cwd, args);
    expect([args, exitCode, err]).toEqual([args, 2, expect.stringContaining(problem)]);
  }
});

test("none that succeeds is exit code 1, and a plan, a check and a command that ends it are taken from the command line [ITR-1, ITR-4, ITR-6, ITR-file.keys, ITR-success.success]", async () => {
  const cwd = createProject({ "plan.md": "The plan of it" });
  expect((await call(cwd, ["iter", "1", "x", "--agent", "command", "--", "false"])).exitCode).toBe(
    1,
  );
  const { exitCode } = await call(cwd, [
    ...[
      "iter",
      "--until",
      "test -e b",
      "x",
      "--plan",
      "plan.md",
      "--verify",
      "grep -q plan prompt",
      "--continuation",
      "go on {{x}}",
    ],
    ...[
      "--agent",
      "command",
      "--",
      "sh",
      "-c",
      "cat > prompt; if test -e a; then touch b; fi; touch a",
    ],
  ]);
  expect([exitCode, existsSync(join(cwd, "b"))]).toEqual([0, true]);
  const prompt = readFileSync(join(cwd, "prompt"), "utf8");
  expect(prompt).toMatch(/## Plan\nThe plan of it\n[\s\S]+go on \{\{x\}\}$/);
});

test("--worktree keeps a whole series on a branch of its own: commits, checks and --until look there [ITR-3, ITR-time.until, ITR-git.worktree]", async () => {
  const { cwd, git, lastRun } = repository();
  const { exitCode, out } = await call(cwd, [
    ...["iter", "3", "add lines", "--worktree", "--commit"],
    ...["--until", "test $(wc -l < work.txt) -ge 2", "--verify", "test -s work.txt"],
    ...WORK,
  ]);
  expect([exitCode, out.includes("ITERATE_")]).toEqual([0, false]);
  expect(git("log", "--format=%s").trim()).toBe("first");
  expect([existsSync(join(cwd, "work.txt")), git("status", "--porcelain")]).toEqual([false, ""]);
  const branch = `troupe/${await lastRun()}/command`;
  expect(git("log", "--format=%s", branch).trim().split("\n")).toEqual([
    "[iter-1] more in iteration[1]",
    "[iter-0] more in iteration[0]",
    "first",
  ]);
  expect(await endOf(cwd)).toMatchObject({
    result: {
      metadata: {
        stopReason: "until",
        records: [{ changedFiles: ["work.txt"] }, { iteration: 1 }],
      },
    },
  });
  const merged = await call(cwd, ["merge", "@last"]);
  expect([merged.exitCode, readFileSync(join(cwd, "work.txt"), "utf8")]).toEqual([
    0,
    "iteration[0]\niteration[1]\n",
  ]);
});

test("without a repository --worktree is refused before any agent begins [ITR-3]", async () => {
  const cwd = createProject({});
  const { exitCode, err } = await call(cwd, ["iter", "1", "x", "--worktree", ...WORK]);
  expect([exitCode, err.includes("it is in no git repository")]).toEqual([4, true]);
  expect(existsSync(join(cwd, "work.txt"))).toBe(false);
});

const ONE = `name: one
pattern: fan-out
agents:
  - id: ann
    backend: command
    command: ["sh", "-c", "cat >> tasks; echo x >> n; test $(wc -l < n) -ne 2 && echo DONE"]
`;

test("troupe run FILE --iter repeats a workflow as child runs, and goes on after one that fails [ITR-1, ITR-6]", async () => {
  const cwd = createProject({ "one.yaml": ONE });
  const { exitCode, out } = await call(cwd, ["run", "one.yaml", "do it", "--iter", "3", "-q"]);
  expect([exitCode, readFileSync(join(cwd, "tasks"), "utf8")]).toEqual([0, "do itdo itdo it"]);
  expect(JSON.parse(out)).toMatchObject({ iterations: 3, succeeded: 2, failed: 1 });
  const { runs } = JSON.parse((await call(cwd, ["runs", "--json"])).out);
  expect(runs.map(({ workflow }: { workflow: string }) => workflow).toSorted()).toEqual([
    "one",
    "one",
    "one",
    "one-iter",
  ]);
  const timed = await call(cwd, ["run", "one.yaml", "do it", "--iter", "1s", "-q"]);
  expect([timed.exitCode, JSON.parse(timed.out).failed]).toEqual([0, 0]);
  const planned = await call(cwd, ["plan", "one.yaml", "do it", "--iter", "3"]);
  expect([planned.exitCode, planned.out.includes("iterations")]).toEqual([0, true]);
});

test("a repetition of which nothing succeeds has failed, and what cannot be repeated is refused [ITR-1]", async () => {
  const cwd = createProject({
    "bad.yaml": ONE.replace("echo DONE", "exit 1").replace("-ne 2", "-gt 99"),
  });
  const none = await call(cwd, ["run", "bad.yaml", "x", "--iter", "2"]);
  expect([none.exitCode, none.out.includes("STEP_LOOP_NONE_SUCCEEDED")]).toEqual([1, true]);
  for (const [problem, args] of [
    ["is no number of iterations and no time", ["bad.yaml", "x", "--iter", "5x"]],
    ["100000 iterations at most", ["bad.yaml", "x", "--iter", "100001"]],
    ["repeats the file of a workflow", ["x", "--iter", "2", "--agent", "command", "--", "true"]],
  ] as const) {
    const { exitCode, err } = await call(cwd, ["run", ...args]);
    expect([exitCode, err.includes(problem) ? problem : err]).toEqual([2, problem]);
  }
});

test("a series of two hours has two hours, any other as long for each iteration as a run has, unless somebody says more or less [ITR-time.whole]", async () => {
  const asked = (...bounds: readonly string[]) =>
    ["iter", ...bounds, "x", "--agent", "command", "--", "sh", "-c", "touch b"] as const;
  const file = `name: f
pattern: iterate
agents: [{ id: a, backend: command, command: "true" }]
iterate: { duration: 2h, maxIterations: 1 }
`;
  const minutesOf = async (cwd: string, ...args: readonly string[]) => {
    expect((await call(cwd, args)).exitCode).toBe(0);
    const { out } = await call(cwd, ["logs", "@last", "--json"]);
    const [created] = out.split("\n");
    const { limits } = JSON.parse(created ?? "{}");
    return limits.timeoutMs === undefined ? "no bound" : limits.timeoutMs / 60_000;
  };
  const cwd = createProject({ "f.yaml": file, "g.yaml": `${file}options: { timeout: 1h }\n` });
  expect(await minutesOf(cwd, ...asked("2h", "--max-iterations", "1"))).toBe("no bound");
  expect(await minutesOf(cwd, "run", "f.yaml", "x")).toBe("no bound");
  expect(await minutesOf(cwd, "run", "g.yaml", "x")).toBe(60);
  expect(await minutesOf(cwd, "run", "f.yaml", "x", "--timeout", "3h")).toBe(180);
  expect(await minutesOf(cwd, ...asked("2"))).toBe(20);
  expect(await minutesOf(cwd, ...asked("--until", "test -e b"))).toBe(1000);
  const configured = createProject({ ".troupe/config.yaml": "defaults: { timeout: 20m }\n" });
  expect(await minutesOf(configured, ...asked("2h", "--max-iterations", "1"))).toBe("no bound");
  expect(await minutesOf(configured, ...asked("2"))).toBe(40);
});
