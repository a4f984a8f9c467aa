import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { finishedProject } from "./finished-project.ts";
import { CASSETTE, TWO_STEPS } from "./workflows.ts";

const FAILING = `version: "1.0"
name: failing
pattern: dag
agents:
  - { id: one, backend: command, command: ["echo", "well (done)"] }
  - { id: two, backend: command, command: ["false"] }
steps:
  - { id: first, agent: one }
  - { id: second, agent: two, dependsOn: [first] }
`;

const projectWithRuns = finishedProject({
  files: { "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE, "failing.yaml": FAILING },
  commands: [
    ["run", "two.yaml", "x", "--cassette", "cassette.yaml"],
    ["run", "failing.yaml"],
  ],
});

test("logs tells the end, what is new, what matches and what failed [USE-6.logs]", async () => {
  const cwd = projectWithRuns();
  const logs = async (...args: readonly string[]) => {
    const { exitCode, out } = await call(cwd, ["logs", "@last", "--grep", ".", ...args]);
    expect(exitCode).toBe(0);
    return out.trimEnd().split("\n");
  };
  const all = await logs();
  expect(await logs("--tail", "2")).toEqual(all.slice(-2));
  expect(await logs("-n", "1")).toEqual(all.slice(-1));
  expect(await logs("--tail", "0")).toEqual([""]);
  expect(await logs("--since", "1h")).toEqual(all);
  expect(await logs("--grep", String.raw`well \(done\)$`)).toEqual(
    all.filter((line) => line.endsWith("well (done)")),
  );
  const failed = await logs("--failed");
  expect(failed.length).toBeGreaterThan(0);
  for (const line of failed) expect(line).toMatch(/ ✖ | ▲ /u);
  expect(failed.join("\n")).toContain("second");
  const events = (await call(cwd, ["logs", "--json", "--failed", "--tail", "1"])).out.split("\n");
  expect(JSON.parse(events[0] ?? "")).toMatchObject({ type: "run-ended" });
  expect(events).toHaveLength(2);
});

test("what cannot be read in an option of logs is an error before anything is told [USE-6.logs]", async () => {
  const cwd = projectWithRuns();
  for (const args of [
    ["--grep", "("],
    ["--tail", "x"],
    ["--since", "soon"],
    ["--raw", "--failed"],
    ["--raw", "--transcript", "--agent", "one"],
    ["--transcript"],
    ["--transcript", "--agent", "nobody"],
    ["--transcript", "--agent", "one", "--since", "1h"],
  ]) {
    const { exitCode, out } = await call(cwd, ["logs", ...args]);
    expect({ args, exitCode, out }).toEqual({ args, exitCode: 2, out: "" });
  }
});

test("what a program printed has an end too [USE-6.logs]", async () => {
  const cwd = createProject({
    "many.yaml": FAILING.replace('["echo", "well (done)"]', '["seq", "1", "50"]'),
  });
  await call(cwd, ["run", "many.yaml"]);
  const raw = await call(cwd, ["logs", "--raw", "--agent", "one", "--tail", "3"]);
  expect(raw.out).toBe("48\n49\n50\n");
});

test("an agent that is no model and no subagent has no transcript, and logs says so [SUB-5]", async () => {
  const cwd = projectWithRuns();
  const { exitCode, out, err } = await call(cwd, ["logs", "--transcript", "--agent", "one"]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "" });
  expect(err).toContain("one has no transcript");
});

test("the newest run is meant wherever none is named [USE-6.last]", async () => {
  const cwd = projectWithRuns();
  const same = async (...args: readonly string[]) => {
    const [bare, named] = [await call(cwd, args), await call(cwd, [...args, "@last"])];
    expect(bare.exitCode, args.join(" ")).not.toBe(2);
    expect(bare.out).toBe(named.out);
  };
  await same("show");
  await same("logs");
  await same("graph");
  await same("resume", "--quiet");
  for (const args of [
    ["cancel"],
    ["pause"],
    ["attach"],
    ["rerun", "--failed", "--explain"],
    ["export", "-o", "-"],
    ["report"],
  ])
    expect((await call(cwd, args)).err, args.join(" ")).not.toContain("missing required argument");
});

test("past runs are found by what was said in them, in every project that is known [USE-6.search]", async () => {
  const cwd = projectWithRuns();
  // Which projects are known is kept there, and other tests make some at the same time.
  const env = { XDG_STATE_HOME: join(cwd, "state") };
  const found = async (...args: readonly string[]) => {
    const { out } = await call(cwd, ["runs", "--json", ...args], { env });
    const {
      runs,
    }: { readonly runs: readonly { readonly workflow: string; readonly project?: string }[] } =
      JSON.parse(out);
    return runs;
  };
  expect((await found("--search", "LOOK AT THE PLAN")).map(({ workflow }) => workflow)).toEqual([
    "two",
  ]);
  expect((await found("--search", "well (done)")).map(({ workflow }) => workflow)).toEqual([
    "failing",
  ]);
  expect(await found("--search", "nobody said this")).toEqual([]);
  expect((await found("--all-projects")).map(({ project }) => project)).toEqual([cwd, cwd]);
  expect((await call(cwd, ["runs", "--all-projects"], { env })).out).toContain("PROJECT");
});
