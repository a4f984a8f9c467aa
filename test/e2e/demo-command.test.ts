import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject } from "../cli/fake-io.ts";

test("the demo is a real run: a check fails, is tried again with the failure, and passes [CLI-1, AGT-4, ENG-8]", async () => {
  const cwd = createProject();
  const { exitCode, out, err } = await call(cwd, ["demo", "--fast"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  for (const told of [
    "No API key, no network, all files in\n./troupe-demo",
    "→ sum() ignores negative numbers. @coder fix it",
    "✖ verification failed: `node check.cjs` · 2/4 checks pass",
    "↻ attempt 1 failed",
    "4/4 checks pass",
    "▲ permission prm_",
    "allowed by demo",
    "1 retry",
    "troupe show @last",
  ])
    expect(out).toContain(told);
  expect(readFileSync(join(cwd, "troupe-demo/CHANGES.md"), "utf8")).toContain("negative");
  expect(readdirSync(cwd).sort()).toEqual([".troupe", "troupe-demo"]);
  expect(readdirSync(join(cwd, ".troupe"))).toEqual([]);
});

test("the demo replaces its own folder, keeps it if asked, and leaves any other alone", async () => {
  const cwd = createProject();
  await call(cwd, ["demo", "--fast", "-q"]);
  writeFileSync(join(cwd, "troupe-demo/note"), "");
  const kept = await call(cwd, ["demo", "--fast", "--keep", "-q"]);
  expect(kept.exitCode).toBe(0);
  expect(existsSync(join(cwd, "troupe-demo/note"))).toBe(true);
  expect(existsSync(join(cwd, "troupe-demo-2/CHANGES.md"))).toBe(true);
  await call(cwd, ["demo", "--fast", "-q"]);
  expect(existsSync(join(cwd, "troupe-demo/note"))).toBe(false);
  const other = createProject();
  mkdirSync(join(other, "troupe-demo"));
  const refused = await call(other, ["demo", "--fast"]);
  expect(refused).toMatchObject({ exitCode: 2, out: "" });
  expect(refused.err).toContain("error[USAGE_DEMO_FOLDER_TAKEN]");
});

test("at a terminal the demo waits for a person who decides", async () => {
  const cwd = createProject();
  const io = createFakeIo({ cwd, isTerminal: true });
  const running = runCli(["demo"], io);
  await io.seen("does so itself after 8s");
  await io.seen("a approve");
  // Selected by a person, so that the decision counts at once.
  io.press("\u001b[A", "a");
  expect(await running).toBe(0);
  expect(io.out()).toContain("allowed by user");
});

test("what the demo leaves behind is a workflow that is valid and can be run again", async () => {
  const cwd = createProject();
  await call(cwd, ["demo", "--fast", "-q"]);
  const folder = join(cwd, "troupe-demo");
  expect((await call(folder, ["validate", join(folder, "demo.yaml")])).exitCode).toBe(0);
  expect((await call(folder, ["show", "@last"])).out).toContain("✔ commit");
});
