import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject, stable } from "./fake-io.ts";
import { ASKING, CASSETTE, ONE_STEP, TWO_STEPS } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];

test("agents are listed with the runs they belong to, live ones first of all [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  expect((await call(cwd, ["list"])).out).toBe("no agent is alive: troupe list -a\n");
  await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--instance", "pr-1"]);
  await call(cwd, ["run", "--agent", "script", "x"]);
  expect(stable((await call(cwd, ["ls"])).out).replace(/prm_\w+/, "prm_ID")).toBe(
    [
      "AGENT       RUN         SOURCE    BACKEND  STATUS",
      "coder@pr-1  run_ID  one.yaml  script   idle",
      "",
      "Needs you:",
      "  ▲ run_ID  one@pr-1  troupe approve prm_ID",
      "",
    ].join("\n"),
  );
  expect((await call(cwd, ["ls", "-q"])).out).toBe("coder@pr-1\n");
  const { agents } = JSON.parse((await call(cwd, ["list", "-a", "--json"])).out);
  expect(agents).toEqual([
    {
      name: "script",
      run: expect.stringMatching(/^run_/),
      instance: "default",
      source: null,
      backend: "script",
      status: "exited",
      statusText: null,
      state: "completed",
    },
    expect.objectContaining({ name: "coder", instance: "pr-1", source: "one.yaml" }),
  ]);
  expect((await call(cwd, ["ls", "-a"])).out).toContain("script@default");
});

test("agents of all known projects are listed with their projects; a list that cannot be read is empty [CLI-1]", async () => {
  const here = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const there = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const home = createProject({
    "projects.json": JSON.stringify({ projects: [there, join(there, "gone"), here] }),
  });
  for (const [cwd, instance] of [
    [here, "a"],
    [there, "b"],
  ] as const)
    await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--instance", instance]);
  const list = (...flags: readonly string[]) =>
    call(here, ["list", ...flags], { env: { TROUPE_HOME: home } });
  const { agents } = JSON.parse((await list("--all-projects", "--json")).out);
  expect(agents).toMatchObject([
    { name: "coder", instance: "a", project: here },
    { name: "coder", instance: "b", project: there },
  ]);
  const { out } = await list("--all-projects");
  expect(out).toMatch(/^AGENT .* PROJECT\ncoder@a .*\ncoder@b .*\n/);
  expect((await list("--json")).out).not.toContain('"project"');
  writeFileSync(join(home, "projects.json"), "[broken");
  expect(JSON.parse((await list("--all-projects", "--json")).out).agents).toHaveLength(1);
});

test("runs are filtered by workflow, instance and number [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  for (const instance of ["a", "b", "c"])
    await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--instance", instance]);
  const instances = async (...flags: readonly string[]) =>
    JSON.parse((await call(cwd, ["runs", "--json", ...flags])).out).runs.map(
      (run: { readonly instance: string }) => run.instance,
    );
  expect(await instances("--limit", "2")).toEqual(["c", "b"]);
  expect(await instances("--workflow", "one@b")).toEqual(["b"]);
  expect(await instances("--workflow", "two")).toEqual([]);
  expect((await call(cwd, ["runs", "--workflow", "two"])).out).toBe("no such run\n");
  expect((await call(cwd, ["show", "@b"])).out).toContain("coded");
  expect((await call(cwd, ["logs", "coder@c"])).out).toContain("coder");
});

test("an export is taken in again, shown, logged and explained like any other run [CLI-1, P7]", async () => {
  const from = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  const to = createProject();
  await call(from, ["run", "two.yaml", "x", ...PLAY]);
  const exported = await call(from, ["export", "@last", "-o", "run.jsonl.gz"]);
  expect(exported.out).toMatch(/run\.jsonl\.gz: \d+ events of run_\w{6}\n$/);
  const imported = await call(to, ["import", join(from, "run.jsonl.gz")]);
  expect(imported).toMatchObject({ exitCode: 0, err: "" });
  expect((await call(to, ["import", "@last", "--yes"])).exitCode).not.toBe(0);
  const [run = ""] = readdirSync(join(to, ".troupe/runs")).filter((name) =>
    name.startsWith("run_"),
  );
  expect(await call(to, ["import", run, "--yes"])).toMatchObject({ exitCode: 0, err: "" });
  for (const command of [
    ["show", "@last"],
    ["show", "@last", "--json"],
    ["logs", "--json"],
    ["runs", "--json"],
  ])
    expect((await call(to, command)).out).toBe((await call(from, command)).out);
  expect((await call(to, ["resume", "@last"])).out).toBe(
    (await call(from, ["resume", "@last"])).out,
  );
  expect((await call(to, ["resume", "@last", "--explain"])).out).toContain("is over (completed)");
  const again = await call(to, ["import", join(from, "run.jsonl.gz"), "--json"]);
  expect(again.exitCode).toBe(2);
  expect(JSON.parse(again.out).error.code).toBe("STORE_RUN_EXISTS");
});

test("an export goes through a pipe, and one that was cut off on its way is refused [CLI-1, P7]", async () => {
  const from = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const to = createProject();
  await call(from, ["run", "one.yaml", "x", ...PLAY]);
  const { out } = await call(from, ["export", "@last", "-o", "-"]);
  const torn = await call(to, ["import", "-"], { input: out.slice(0, -20) });
  expect(torn.exitCode).toBe(2);
  expect(torn.err).toContain("error[FILE_EXPORT_DAMAGED]: standard input is no intact export");
  const { exitCode, out: told } = await call(to, ["import", "-", "--json"], { input: out });
  expect({ exitCode, ...JSON.parse(told) }).toMatchObject({ exitCode: 0, v: 1, isCwdHere: true });
});

test("a damaged run is exported with --salvage, which says what is missing [CLI-1, P7]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  await call(cwd, ["run", "one.yaml", "x", ...PLAY]);
  const [run = ""] = readdirSync(join(cwd, ".troupe/runs")).filter((name) =>
    name.startsWith("run_"),
  );
  const seal = join(cwd, ".troupe/runs", run, "journal.seal");
  const { seq } = JSON.parse(readFileSync(seal, "utf8"));
  writeFileSync(seal, JSON.stringify({ format: 1, seq: seq + 2, hash: "0".repeat(64) }));
  const refused = await call(cwd, ["export", run]);
  expect(refused.exitCode).toBe(1);
  expect(refused.err).toContain(`troupe export ${run} --salvage`);
  expect(existsSync(join(cwd, `${run}.jsonl.gz`))).toBe(false);
  const salvaged = await call(cwd, ["export", run, "--salvage", "-o", join(cwd, "x.gz")]);
  expect(salvaged).toMatchObject({
    exitCode: 0,
    err: expect.stringContaining(`missing: 2 events after event ${seq}`),
  });
  rmSync(join(cwd, ".troupe/runs"), { recursive: true });
  const imported = await call(cwd, ["import", join(cwd, "x.gz")]);
  expect(imported.out).toContain("missing: 2 events");
});

test("gc asks a person, says what goes, and removes it [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const env = { XDG_RUNTIME_DIR: cwd, TMPDIR: cwd };
  const gc = (...flags: readonly string[]) => call(cwd, ["gc", ...flags], { env });
  await call(cwd, ["run", "one.yaml", "x", ...PLAY], { env });
  expect(await gc()).toEqual({ exitCode: 0, out: "nothing to remove\n", err: "" });
  const dry = await gc("--keep", "0", "--dry-run");
  expect(dry.out).toMatch(
    /^run_\w{6} +one +completed +\d{4}-\d\d-\d\d +\d.*B\nwould remove 1 run, /,
  );
  expect(await gc("--keep", "0")).toMatchObject({ exitCode: 2, out: "" });
  const io = createFakeIo({ cwd, env, isTerminal: true });
  const asked = runCli(["gc", "--keep", "0"], io);
  await io.seen("[y/N]");
  io.type("n");
  expect(await asked).toBe(1);
  expect((await call(cwd, ["runs"])).out).toContain("completed");
  const { runs, removed } = JSON.parse((await gc("--keep", "0", "-y", "--json")).out);
  expect({ removed, runs }).toMatchObject({
    removed: true,
    runs: [{ workflow: "one", state: "completed" }],
  });
  expect((await call(cwd, ["runs"])).out).toContain("no runs yet");
  expect(readdirSync(join(cwd, ".troupe/runs")).filter((name) => name.startsWith("run_"))).toEqual(
    [],
  );
});

test("gc keeps what waits, unless it is named with --force [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const env = { XDG_RUNTIME_DIR: cwd, TMPDIR: cwd };
  await call(cwd, ["run", "one.yaml", "x", ...PLAY], { env });
  expect((await call(cwd, ["gc", "--keep", "0", "-y"], { env })).out).toBe("nothing to remove\n");
  const refused = await call(cwd, ["gc", "@last", "-y"], { env });
  expect(refused.exitCode).toBe(2);
  expect(refused.err).toContain("error[RUN_NOT_ENDED]");
  expect((await call(cwd, ["gc", "--force", "-y"], { env })).exitCode).toBe(2);
  expect((await call(cwd, ["gc", "@last", "--keep", "1"], { env })).exitCode).toBe(2);
  expect((await call(cwd, ["gc", "@last", "--force", "-y"], { env })).out).toMatch(
    /^removed 1 run, /,
  );
});

test("resume --explain says what waits for whom, and show --diff what changed, without touching the run [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  await call(cwd, ["run", "one.yaml", "x", ...PLAY]);
  const explained = await call(cwd, ["resume", "@last", "--explain"]);
  expect(stable(explained.out)).toBe(
    [
      "troupe resume run_ID would go on like this:",
      "  ▲  code  waits for you  permission prm_ID is not decided",
      "one.yaml is as it was when the run was started",
      "",
    ].join("\n"),
  );
  writeFileSync(join(cwd, "one.yaml"), TWO_STEPS);
  const json = JSON.parse((await call(cwd, ["resume", "@last", "--explain", "--json"])).out);
  expect(json).toMatchObject({
    v: 1,
    verdict: { status: "goes-on" },
    steps: [{ step: "code", path: "code", plan: "waits", output: null }],
    file: { name: "one.yaml", status: "changed" },
  });
  const diff = await call(cwd, ["show", "@last", "--diff", "--json"]);
  expect(JSON.parse(diff.out)).toMatchObject({ v: 1, patch: null, noPatch: "not-recorded" });
  expect((await call(cwd, ["show", "@last", "--diff", "--step", "code"])).exitCode).toBe(2);
  expect((await call(cwd, ["runs", "--status", "waiting", "--json"])).out).toContain("run_");
});
