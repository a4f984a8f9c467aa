import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

type Files = { readonly [path: string]: string };

function project(files: Files): string {
  const cwd = temporaryDirectory();
  write(cwd, files);
  return cwd;
}

function write(cwd: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = [
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@localhost",
    "-c",
    "commit.gpgsign=false",
  ];
  expect(spawnSync("git", [...identity, ...args], { cwd }).status).toBe(0);
}

/** One step checked by a command; its agent runs a shell text per attempt. */
function judged(
  cwd: string,
  check: { readonly command: string; readonly protect?: readonly string[] },
  ...scripts: readonly string[]
) {
  const verify = [{ kind: "command", expectExit: 0, tellsTests: true, ...check } as const];
  const turns = scripts.map((shell): Json => ({ do: [{ run: shell }], say: "DONE: passes" }));
  return runWorkflowInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "s", verify, maxAttempts: scripts.length }] },
    { cwd, turns: { a: turns } },
  );
}

const CHECKED = {
  "test/unit/a.js": "ok",
  "test/b.txt": "b",
  "package.json": "{}",
  "src/x.js": "x",
};

describe("what `protect` names is what the step may not touch", () => {
  test.each([
    ["echo bad > test/unit/a.js", "test/unit/a.js; restored"],
    ["rm -r test", "test/b.txt, test/unit/a.js; restored"],
    ["echo {} >> package.json", "package.json; restored"],
    ["rm test/b.txt; ln -s ../src/x.js test/b.txt", "test/b.txt; restored"],
    ["echo more > test/unit/c.js", "test/unit/c.js; new or too large to be put back"],
  ])("after `%s` it is told: %s [WF-11.protect]", async (script, told) => {
    const cwd = project(CHECKED);
    const run = await judged(
      cwd,
      { command: "true", protect: ["test/**", "package.json"] },
      script,
    );
    expect(run.all("step-failed")).toMatchObject([{ error: { code: "STEP_GATE_CHANGED" } }]);
    expect(run.all("verification-failed")[0]?.output).toContain(told);
    for (const [path, text] of Object.entries(CHECKED))
      expect([path, readFileSync(join(cwd, path), "utf8")]).toEqual([path, text]);
  });

  test("the step's own files are its own, and what the command runs is not watched any more [WF-11.protect]", async () => {
    const cwd = project({ ...CHECKED, "check.sh": "exit 1" });
    const protect = ["test/**"];
    const run = await judged(
      cwd,
      { command: "sh check.sh", protect },
      "echo 'exit 0' > check.sh; echo y > src/x.js",
    );
    expect(run.all("step-completed")).toHaveLength(1);
    expect(readFileSync(join(cwd, "check.sh"), "utf8")).toBe("exit 0\n");
  });

  test("a link, no text and what is too large are a breach that stays [WF-11.protect]", async () => {
    const cwd = project({ "t/large": "x".repeat(300_000), "t/bytes": "a" });
    writeFileSync(join(cwd, "t/bytes"), Buffer.from([0xff, 0xfe]));
    symlinkSync("large", join(cwd, "t/link"));
    const script = "echo > t/large; echo > t/bytes; ln -sf bytes t/link";
    const run = await judged(cwd, { command: "true", protect: ["t"] }, script);
    const told = "t/bytes, t/large, t/link; new or too large to be put back";
    expect(run.all("verification-failed")[0]?.output).toContain(told);
  });

  test("more files than can be remembered do not let the step begin [WF-11.protect]", async () => {
    const cwd = project(Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`t/${n}`, ""])));
    const run = await judged(cwd, { command: "true", protect: ["t/**"] }, "touch begun");
    expect(run.all("step-failed")).toMatchObject([{ error: { code: "STEP_GATES_TOO_MANY" } }]);
    expect(existsSync(join(cwd, "begun"))).toBe(false);
  });
});

describe("test files and configuration of CI that a step changed are told, and are no breach", () => {
  const FILES = {
    "test/a.js": "a",
    "src/b.test.ts": "b",
    ".github/workflows/ci.yml": "c",
    "src/x.js": "x",
    "node_modules/m/test/t.js": "t",
    ".gitignore": "node_modules\n",
  };
  const SCRIPT =
    "echo 1 > test/a.js; rm src/b.test.ts; echo 1 > .github/workflows/ci.yml; echo 1 > src/x.js; echo 1 > test/new.js; echo 1 > node_modules/m/test/t.js";
  const TOLD = [
    { step: "s", files: [".github/workflows/ci.yml", "src/b.test.ts", "test/a.js"], more: 0 },
  ];

  test("outside of a repository [WF-11.changed-tests]", async () => {
    const run = await judged(project(FILES), { command: "true" }, SCRIPT);
    expect(run.all("tests-changed")).toMatchObject(TOLD);
    expect(run.all("step-completed")).toHaveLength(1);
  });

  test.each([
    ["as they are", SCRIPT],
    [
      "committed",
      `${SCRIPT}; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm x`,
    ],
  ])("in a repository, %s [WF-11.changed-tests]", async (_how, script) => {
    const cwd = project(FILES);
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", "all");
    const run = await judged(cwd, { command: "true" }, script);
    expect(run.all("tests-changed")).toMatchObject(TOLD);
  });

  test("what was changed before the step, or comes back to what it was, is not the step's [WF-11.changed-tests]", async () => {
    const cwd = project(FILES);
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", "all");
    write(cwd, { "test/a.js": "mine", "test/mine.js": "mine" });
    const before = await judged(
      cwd,
      { command: "true" },
      "echo 1 > src/x.js; cp test/a.js a; echo 1 > test/a.js; mv a test/a.js",
    );
    expect(before.all("tests-changed")).toEqual([]);
    const after = await judged(cwd, { command: "true" }, "rm test/mine.js");
    expect(after.all("tests-changed")).toMatchObject([{ files: ["test/mine.js"] }]);
  });

  test("a repository that cannot be compared any more is told as such [WF-11.changed-tests]", async () => {
    const cwd = project(FILES);
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", "all");
    const run = await judged(cwd, { command: "true" }, "rm -rf .git");
    expect(run.all("tests-changed")).toMatchObject([{ files: [".git"] }]);
  });
});
