import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";
import { GATED } from "./workflows.ts";

const bin = join(import.meta.dirname, "../../bin/troupe.js");

// One command of each kind; those that write are refused, those that read have nothing to read.
const READ_ONLY = [
  { args: ["runs"], exitCode: 0 },
  { args: ["inbox"], exitCode: 0 },
  { args: ["show", "@last"], exitCode: 2, code: "RUN_NOT_FOUND" },
  { args: ["run", "gated.yaml"], exitCode: 2, code: "RUN_DIRECTORY_UNWRITABLE" },
  { args: ["demo", "--fast"], exitCode: 2, code: "FILE_UNWRITABLE" },
  { args: ["schema", "--write"], exitCode: 2, code: "FILE_WRITE_REFUSED" },
  { args: ["graph", "gated.yaml", "-o", "graph.svg"], exitCode: 2, code: "FILE_UNWRITABLE" },
];

test("where nothing may be written commands read on, and those that write say where they may not [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  for (const directory of [cwd, join(cwd, ".troupe")]) chmodSync(directory, 0o555);
  onTestFinished(() => {
    for (const directory of [cwd, join(cwd, ".troupe")]) chmodSync(directory, 0o755);
  });
  const outcomes = READ_ONLY.map(({ args }) => {
    const { status, stderr } = callAsNobody(cwd, args);
    const code = /error\[(\w+)\]/.exec(stderr)?.[1];
    return { args, exitCode: status, ...(code === undefined ? {} : { code }) };
  });
  expect(outcomes).toEqual(READ_ONLY);
  expect(readdirSync(cwd).sort()).toEqual([".troupe", "gated.yaml"]);
});

test.each([
  [["runs"]],
  [["schema"]],
  [["validate", "gated.yaml", "--json"]],
  [["explain", "STORE_BUSY"]],
  [["completion", "bash"]],
])("%j whose reader has gone ends quietly [CLI-1]", async (args) => {
  const called = startTroupe(createProject({ "gated.yaml": GATED }), args);
  called.child.stdout.destroy();
  const { exitCode, err } = await called.ended;
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
});

test("without HOME and a runtime directory commands still work [CLI-1]", async () => {
  const empty = mkdtempSync(join(tmpdir(), "troupe-e2e-"));
  onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
  const { exitCode, err } = await troupe(empty, ["runs"], {
    HOME: "",
    XDG_RUNTIME_DIR: "/nowhere",
  });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(readdirSync(empty)).toEqual([]);
});

/** Rights do not bind root, so a process of root becomes nobody. */
function callAsNobody(cwd: string, args: readonly string[]) {
  const isRoot = process.getuid?.() === 0;
  return spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nowhere", NODE_DISABLE_COMPILE_CACHE: "1" },
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
}
