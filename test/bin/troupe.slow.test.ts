import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPackageCopy, type PackageCopy } from "./package-copy.ts";

const echo = (name: string): string =>
  `console.log(JSON.stringify({ name: "${name}", version: process.version, args: process.argv.slice(2) }));`;
const waiting = 'console.log("ready " + process.pid); setInterval(() => {}, 60_000);';
const systemNode = "/usr/bin/node";

interface Call {
  readonly args?: readonly string[];
  readonly path?: string;
  readonly cwd?: string;
  readonly node?: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

function run({ bin, folder }: PackageCopy, call: Call = {}) {
  const [node = process.execPath, ...options] = call.node ?? [];
  const { status, stdout, stderr } = spawnSync(node, [...options, bin, ...(call.args ?? [])], {
    encoding: "utf8",
    cwd: call.cwd ?? folder,
    // Never the home of whoever runs the tests.
    env: { PATH: call.path ?? "", TROUPE_HOME: join(folder, "home"), ...call.env },
  });
  return { status, stdout, stderr };
}

const asOldNode = ({ oldVersion }: PackageCopy) => [process.execPath, "--require", oldVersion];

async function startWaiting(copy: PackageCopy): Promise<{ child: ChildProcess; innerPid: number }> {
  const [node = "", ...options] = asOldNode(copy);
  const child = spawn(node, [...options, copy.bin], { stdio: ["pipe", "pipe", "inherit"] });
  const [chunk] = await once(child.stdout, "data");
  const innerPid = Number(String(chunk).replace("ready ", ""));
  onTestFinished(() => {
    if (isAlive(innerPid)) process.kill(innerPid, "SIGKILL");
  });
  return { child, innerPid };
}

async function waitUntilGone(pid: number, signal: AbortSignal): Promise<void> {
  while (isAlive(pid) && !signal.aborted)
    await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A zombie that nobody has collected yet is not alive. */
function isAlive(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" }).stdout;
  return state.trim() !== "" && !state.startsWith("Z");
}

test("--version is answered from package.json without loading the program", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": 'throw new Error("loaded");' });
  expect(run(copy, { args: ["--version"] })).toEqual({ status: 0, stdout: "9.8.7\n", stderr: "" });
});

test("a checkout runs its source even when a built program lies beside it", () => {
  const source = 'const name: string = "source";\nconsole.log(name);';
  const copy = createPackageCopy({ "src/main.ts": source, "dist/command/main.cjs": echo("built") });
  expect(run(copy)).toEqual({ status: 0, stdout: "source\n", stderr: "" });
});

test("the published package, which has no source, runs the built program with the arguments", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": echo("built") });
  const { stdout } = run(copy, { args: ["run", "a b.yaml", "--version"] });
  expect(JSON.parse(stdout)).toEqual({
    name: "built",
    version: process.version,
    args: ["run", "a b.yaml", "--version"],
  });
});

test("experimental warnings are hidden and every other warning is printed", () => {
  const copy = createPackageCopy({
    "dist/command/main.cjs":
      'process.emitWarning("new", "ExperimentalWarning"); process.emitWarning("careful");',
  });
  const { stderr } = run(copy);
  expect(stderr).toContain("careful");
  expect(stderr).not.toContain("ExperimentalWarning");
});

test("a program that cannot be loaded is an internal error with the reason", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": 'throw new Error("no such luck");' });
  const { status, stderr } = run(copy);
  expect(status).toBe(70);
  expect(stderr).toContain("no such luck");
});

test("an old Node runs the program in the newer one of node_modules/.bin, with its exit code", () => {
  const copy = createPackageCopy({
    "dist/command/main.cjs": `${echo("inner")} process.exitCode = 3;`,
  });
  copy.linkNode("node_modules/.bin/node");
  const { status, stdout } = run(copy, { node: asOldNode(copy), args: ["x"] });
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toEqual({ name: "inner", version: process.version, args: ["x"] });
});

test("an old Node finds a newer one on PATH", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": echo("inner") });
  const path = `/nowhere:${copy.linkNode("elsewhere/node")}`;
  expect(run(copy, { node: asOldNode(copy), path }).status).toBe(0);
});

test("a Node in a relative PATH entry or in a foreign node_modules is never started", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": echo("inner") });
  copy.linkNode("tools/node");
  const foreign = copy.linkNode("project/node_modules/.bin/node");
  const path = `tools:.:${foreign}`;
  expect(run(copy, { node: asOldNode(copy), path }).status).toBe(70);
});

test("without any newer Node the message says which is needed and how to get it", () => {
  const copy = createPackageCopy({ "dist/command/main.cjs": echo("inner") });
  const { status, stdout, stderr } = run(copy, { node: asOldNode(copy) });
  expect({ status, stdout }).toEqual({ status: 70, stdout: "" });
  expect(stderr).toContain("needs Node 22.18 or newer; this is Node 18.20.0");
  expect(stderr).toContain("npm ci");
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
  test(`${signal} to the old Node ends the newer one, and both end by it`, async ({
    signal: over,
  }) => {
    const copy = createPackageCopy({ "dist/command/main.cjs": waiting });
    copy.linkNode("node_modules/.bin/node");
    const { child, innerPid } = await startWaiting(copy);
    const exited = once(child, "exit");
    child.kill(signal);
    expect(await exited).toEqual([null, signal]);
    await waitUntilGone(innerPid, over);
  });
}

test("when the old Node is killed the newer one dies at once", async ({ signal }) => {
  const copy = createPackageCopy({ "dist/command/main.cjs": waiting });
  copy.linkNode("node_modules/.bin/node");
  const { child, innerPid } = await startWaiting(copy);
  child.kill("SIGKILL");
  await waitUntilGone(innerPid, signal);
});

const systemVersion = spawnSync(systemNode, ["--version"], { encoding: "utf8" }).stdout ?? "";
test.skipIf(!/^v(1[2-9]|2[01])\./.test(systemVersion))(
  "the older Node of this machine answers --version and runs this checkout in a newer one",
  () => {
    const bin = join(import.meta.dirname, "..", "..", "bin", "troupe.js");
    const runWith = (arg: string) => spawnSync(systemNode, [bin, arg], { encoding: "utf8" });
    expect(runWith("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(runWith("--help")).toMatchObject({ status: 0, stderr: "" });
  },
);

test("compiled code is kept in a directory of the user, out of reach of others [PERF-12, T17]", () => {
  const copy = createPackageCopy({ "src/main.ts": echo("checkout") });
  const home = join(copy.folder, "home");
  run(copy, { env: { TROUPE_HOME: home } });
  const kept = join(home, "cache", "compiled");
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(readdirSync(kept)).not.toEqual([]);
});

test("a directory that others can write to is not used for compiled code [T17]", () => {
  const copy = createPackageCopy({ "src/main.ts": echo("checkout") });
  const kept = join(copy.folder, "home", "cache", "compiled");
  mkdirSync(kept, { recursive: true });
  chmodSync(kept, 0o777);
  const { status } = run(copy, { env: { TROUPE_HOME: join(copy.folder, "home") } });
  expect({ status, kept: readdirSync(kept) }).toEqual({ status: 0, kept: [] });
});

test("a command works where compiled code cannot be kept", () => {
  const copy = createPackageCopy({ "src/main.ts": echo("checkout") });
  expect(run(copy, { env: { TROUPE_HOME: join(copy.folder, "package.json") } })).toMatchObject({
    status: 0,
    stderr: "",
  });
});
