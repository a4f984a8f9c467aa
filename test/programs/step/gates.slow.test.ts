import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

type Files = { readonly [path: string]: string };

function project(files: Files): string {
  const cwd = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(join(cwd, path), text);
    if (text.startsWith("#!")) chmodSync(join(cwd, path), 0o755);
  }
  return cwd;
}

/** One step that is checked by a command, whose agent writes files. */
function judged(cwd: string, command: string | readonly string[], ...written: readonly Files[]) {
  const verify = [{ kind: "command", command, expectExit: 0 } as const];
  const turns = written.map((files): Json => {
    const writes = Object.entries(files).map(([path, content]) => ({ write: { path, content } }));
    return { do: writes, say: "DONE: passes" };
  });
  return runWorkflowInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "s", verify, maxAttempts: written.length }] },
    { cwd, turns: { a: turns } },
  );
}

const LARGE = `exit 1\n${"#".repeat(300_000)}`;
const REFUSES = { "check.sh": "exit 1", "check.js": "process.exit(1)", "check.py": "exit(1)" };

describe("a script that a command runs is put back when its step changed it [WF-11.scripts]", () => {
  test.each<[string | readonly string[], string, string, Files?]>([
    ["sh check.sh", "check.sh", "exit 0"],
    ["timeout 5 node check.js", "check.js", ""],
    ["python3 check.py", "check.py", ""],
    ["/usr/bin/env python3.12 -B check.py || python3 check.py", "check.py", ""],
    ["timeout -k 1 --signal=TERM 5 nice -n 3 node --no-warnings check.js", "check.js", ""],
    ["env X=1 sh check.sh", "check.sh", "exit 0"],
    ["X=1 Y='a b' exec sh ./check.sh", "check.sh", "exit 0"],
    ["env -u HOME -S 'sh check.sh'", "check.sh", "exit 0"],
    [["env", "-i", "/bin/sh", "check.sh"], "check.sh", "exit 0"],
    ["sh -c 'true && sh check.sh'", "check.sh", "exit 0"],
    [["sh", "-ec", "if true; then sh check.sh; fi"], "check.sh", "exit 0"],
    ["nohup setsid -w bash -e check.sh", "check.sh", "exit 0"],
    ["(! false) && { sh check.sh; }", "check.sh", "exit 0"],
    ["eval 'sh check.sh'", "check.sh", "exit 0"],
    ["sh < check.sh", "check.sh", "exit 0"],
    [". ./check.sh", "check.sh", "exit 0"],
    ["./gate", "gate", "#!/bin/sh\nexit 0", { gate: "#!/bin/sh\nexit 1" }],
    ["cd . && sh check.sh 2>/dev/null", "check.sh", "exit 0"],
    ["sh outer.sh", "check.sh", "exit 0", { "outer.sh": "set -e\n. ./check.sh # the gate" }],
    [
      "./outer",
      "check.sh",
      "exit 0",
      { outer: '#!/usr/bin/env bash\ncd "$(dirname "$0")"\nsource check.sh\n' },
    ],
  ])("%j", async (command, ...[path, content, more = {}]) => {
    const cwd = project({ ...REFUSES, ...more });
    const before = readFileSync(join(cwd, path), "utf8");
    const run = await judged(cwd, command, { [path]: content });
    expect(run.all("step-failed")).toMatchObject([
      { error: { code: "STEP_GATE_CHANGED", message: expect.stringContaining(path) } },
    ]);
    expect(readFileSync(join(cwd, path), "utf8")).toBe(before);
  });
});

describe("entries of package.json", () => {
  const manifest = (scripts: Files, more: object = {}) =>
    `${JSON.stringify({ name: "x", scripts, ...more }, null, "\t")}\n`;

  test.each([
    ["npm test", "test"],
    ["npm --silent run test", "test"],
    ["timeout 60 npm t", "test"],
    ["npm test", "pretest"],
    ["npm test", "posttest"],
  ])(
    "%s: %s is put back, and what else the file says is the step's work [WF-11.entries]",
    async (command, name) => {
      const cwd = project({ "package.json": manifest({ test: "exit 1", other: "a" }) });
      const written = manifest(
        {
          test: "exit 1",
          other: "b",
          ...(name === "test" ? { test: "true" } : { [name]: "true" }),
        },
        { version: "1.0.0" },
      );
      const run = await judged(cwd, command, { "package.json": written });
      expect(run.all("step-failed")).toMatchObject([
        { error: { message: expect.stringContaining(`package.json (scripts.${name})`) } },
      ]);
      expect(readFileSync(join(cwd, "package.json"), "utf8")).toBe(
        manifest({ test: "exit 1", other: "b" }, { version: "1.0.0" }),
      );
    },
  );

  test("a package.json that is none any more is put back as a whole, and what an entry runs is watched too [WF-11.entries]", async () => {
    const before = manifest({ test: "node check.js" });
    const cwd = project({ "package.json": before, "check.js": "process.exit(1)" });
    const run = await judged(cwd, "npm test", { "package.json": "{", "check.js": "" });
    expect(run.outcome).toBe("failed");
    expect(readFileSync(join(cwd, "package.json"), "utf8")).toBe(before);
    expect(readFileSync(join(cwd, "check.js"), "utf8")).toBe("process.exit(1)");
  });

  test("a changed version or dependency is no breach [WF-11.entries]", async () => {
    const cwd = project({ "package.json": manifest({ test: "true" }) });
    const run = await judged(cwd, "npm test", {
      "package.json": manifest({ test: "true", build: "x" }, { version: "2.0.0" }),
    });
    expect(run.outcome).toBe("completed");
    expect(readFileSync(join(cwd, "package.json"), "utf8")).toContain("2.0.0");
  });
});

test.each([
  ["make test", "Makefile", "test:\n\ttrue\n"],
  ["make -f own.mk", "own.mk", "all:\n\ttrue\n"],
  ["just test", "justfile", "test:\n  true\n"],
  ["task test", "Taskfile.yml", "version: 3\n"],
])("%s: a changed %s is put back [WF-11.build-files]", async (command, path, content) => {
  const cwd = project({ [path]: "refuses" });
  const run = await judged(cwd, command, { [path]: content });
  expect(run.all("step-failed")).toMatchObject([{ error: { code: "STEP_GATE_CHANGED" } }]);
  expect(readFileSync(join(cwd, path), "utf8")).toBe("refuses");
});

const UNKEPT: readonly (readonly [string, Files, Files])[] = [
  ["new", {}, { "check.sh": "exit 0" }],
  ["a GNUmakefile, which counts before the Makefile", { Makefile: "x" }, { GNUmakefile: "y" }],
  ["too large", { "check.sh": LARGE }, { "check.sh": "exit 0" }],
];

test.each(UNKEPT)(
  "a gate that is %s is a breach without being put back, and stays one in the next attempt [WF-11.new]",
  async (_what, before, after) => {
    const cwd = project(before);
    const command = "sh check.sh || make test";
    const run = await judged(cwd, command, after, {});
    expect(run.all("step-failed")).toMatchObject([
      { attempt: 2, error: { code: "STEP_GATE_CHANGED" } },
    ]);
    expect(run.all("step-failed")[0]?.error.message).toContain("new or too large to be put back");
    for (const path of Object.keys(after)) expect(existsSync(join(cwd, path))).toBe(true);
  },
);

test("what code imports, and files beside the command, are the step's own [WF-11.scripts]", async () => {
  const cwd = project({ "check.sh": 'test "$(cat answer)" = 42', answer: "41", "lib.js": "" });
  const run = await judged(cwd, "sh check.sh && node -e 'require(\"./lib.js\")'", {
    answer: "42",
    "lib.js": "// mended",
  });
  expect(run.outcome).toBe("completed");
});
