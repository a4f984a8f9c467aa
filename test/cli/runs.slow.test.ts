import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { type Called, call, createFakeIo, createProject, stable } from "./fake-io.ts";
import { finishedProject } from "./finished-project.ts";
import { ASKING, CASSETTE, HANGING, ONE_STEP, PAUSING, QUESTION, TWO_STEPS } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];
const TWO = {
  files: { "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE },
  commands: [["run", "two.yaml", "build it", ...PLAY]],
};

const finished = finishedProject(TWO);

test("runs are listed as a table, and as one JSON object [CLI-1]", async () => {
  const cwd = finished();
  expect(stable((await call(cwd, ["runs"])).out)).toMatch(
    /^RUN +WORKFLOW +STATE +STEPS +AGENTS +COST +AGE\nrun_ID +two@default +✔ completed +2\/2 +2 0ms\n$/,
  );
  const [run] = document(await call(cwd, ["runs", "--json"])).runs;
  expect(run).toEqual({
    id: expect.stringMatching(/^run_/),
    workflow: "two",
    instance: "default",
    state: "completed",
    outcome: "completed",
    startedAt: expect.any(String),
    endedAt: expect.any(String),
    steps: { done: 2, total: 2 },
    agents: 2,
    costUsd: null,
    needs: 0,
  });
  expect((await call(cwd, ["runs", "--status", "failed", "--json"])).out).toBe(
    '{"v":1,"runs":[]}\n',
  );
  expect((await call(cwd, ["runs", "--status", "done"])).exitCode).toBe(2);
});

test("a project without runs says so, and none is made by looking [CLI-1]", async () => {
  const cwd = createProject();
  expect(await call(cwd, ["runs"])).toEqual({
    exitCode: 0,
    out: "no runs yet: troupe demo shows one\n",
    err: "",
  });
  for (const command of [["show", "@last"], ["resume", "nope"], ["logs"], ["cancel", "run_1"]]) {
    const { exitCode, out, err } = await call(cwd, command);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("error[RUN_NOT_FOUND]");
  }
});

test("an unknown run names the nearest, and an id that fits several names them all [CLI-1]", async () => {
  const cwd = await projectWithRun();
  await call(cwd, ["run", "two.yaml", "again", ...PLAY]);
  const [first, second] = document(await call(cwd, ["runs", "--json"])).runs.map(({ id }) => id);
  const ambiguous = await call(cwd, ["show", "run_"]);
  expect(ambiguous.exitCode).toBe(2);
  expect(ambiguous.err).toContain("error[RUN_AMBIGUOUS]");
  for (const id of [first, second]) expect(ambiguous.err).toContain(id);
  const near = await call(cwd, ["show", `${first?.slice(0, -1)}!`]);
  expect(near.err).toContain(`did you mean "${first}"?`);
});

test("show tells what a run came to, and all of one step [CLI-1]", async () => {
  const cwd = finished();
  expect(stable((await call(cwd, ["show", "@last"])).out)).toBe(
    [
      "run_ID  two@default  two.yaml",
      "  ✔ plan   completed 0ms planner  the plan",
      "  ✔ verify completed 0ms check    look at the plan",
      "result",
      "  look at the plan",
      "✔ done in 0ms · 2 agents · 2 messages",
      "",
    ].join("\n"),
  );
  const step = await call(cwd, ["show", "@last", "--step", "plan"]);
  expect(stable(step.out)).toBe(
    "plan completed in 0ms\nagent   planner\nreason  done-signal\noutput\n  the plan\ntext\n  DONE: the plan\n",
  );
  const missing = await call(cwd, ["show", "@last", "--step", "pln"]);
  expect(missing.exitCode).toBe(2);
  expect(missing.err).toContain('did you mean "plan"?');
});

test("show --json has steps, agents and what waits [CLI-1]", async () => {
  const cwd = finished();
  const shown = JSON.parse((await call(cwd, ["show", "@last", "--json"])).out);
  expect(shown).toMatchObject({
    v: 1,
    run: { workflow: "two", state: "completed" },
    steps: [
      { step: "plan", path: "plan", execution: 1, status: "completed", output: "the plan" },
      { step: "verify", path: "verify", attempts: 1, outcome: null },
    ],
    agents: [
      { name: "planner", backend: "script", status: "exited" },
      { name: "check", backend: "command", status: "exited" },
    ],
    waitingFor: [],
  });
});

test("logs tell the past of a run, of one agent, of one step, and as JSON [CLI-1]", async () => {
  const cwd = finished();
  const lines = async (...flags: readonly string[]) =>
    (await call(cwd, ["logs", ...flags])).out.trimEnd().split("\n");
  expect(await lines()).toHaveLength(10);
  expect((await lines("--agent", "planner")).map((line) => line.slice(9))).toEqual([
    "planner  ● joined (script)",
    expect.stringMatching(/^plan {5}● started/),
    "planner  → @check look at this",
    "planner  → DONE: the plan",
    expect.stringMatching(/^plan {5}✔ completed/),
  ]);
  expect(await lines("--step", "verify")).toHaveLength(2);
  const last: unknown = JSON.parse((await lines("--json")).at(-1) ?? "");
  expect(last).toMatchObject({ type: "run-ended", exitCode: 0 });
});

test("logs --raw shows all that the program of an agent printed, as text that does nothing [CLI-1, T12]", async () => {
  const program = "printf 'a \\033[2Jb\\nbroken\\n---' >&2; exit 3";
  const cwd = createProject({
    "w.yaml": `version: "1.0"
name: w
pattern: fan-out
agents:
  - { id: Check, backend: command, command: [sh, -c, ${JSON.stringify(program)}] }
  - { id: quiet, backend: command, command: ["true"] }
steps:
  - { id: one, agent: Check }
  - { id: two, agent: quiet }
`,
  });
  const ended = await call(cwd, ["run", "w.yaml"]);
  expect(ended.out).toContain('the command of agent "Check" exited with 3: broken');
  const raw = ["logs", "--raw"];
  const printed = "a b\nbroken\n---\n";
  expect(await call(cwd, [...raw, "--agent", "check"])).toMatchObject({ out: printed, err: "" });
  expect((await call(cwd, [...raw, "-f", "check"])).out).toBe(printed);
  expect(await call(cwd, [...raw, "quiet"])).toMatchObject({
    exitCode: 0,
    out: "",
    err: "the program of quiet has printed nothing\n",
  });
  for (const [wrong, said] of [
    [[], "say which one: --agent Check, quiet"],
    [["--agent", "chekc"], 'did you mean "Check"?'],
    [["check", "--json"], "leave out --step and --json, or --raw"],
    [["check", "--step", "one"], "leave out --step and --json, or --raw"],
  ] as const)
    expect(await call(cwd, [...raw, ...wrong])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(said),
    });
});

test("logs --raw says so when no agent is there to name [CLI-1]", async () => {
  const cwd = createProject({
    "s.yaml": "id: s\nsteps: [{ id: a, type: transform, transform: '1' }]\n",
  });
  await call(cwd, ["run", "s.yaml"]);
  expect((await call(cwd, ["logs", "--raw"])).err).toContain("no agent has joined this run");
});

test("logs --raw -f goes on with what a program prints until the run is over [CLI-1]", async () => {
  const cwd = createProject({
    "w.yaml": `version: "1.0"
name: w
pattern: fan-out
agents:
  - { id: slow, backend: command, command: [sh, -c, "echo begun; until [ -e go ]; do sleep 0.05; done; echo gone on"] }
steps:
  - { id: one, agent: slow }
`,
  });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "w.yaml"], io);
  await io.seen("started (slow)");
  const follower = createFakeIo({ cwd });
  const following = runCli(["logs", "--raw", "-f", "slow"], follower);
  await follower.seen("begun\n");
  writeFileSync(join(cwd, "go"), "");
  expect(await following).toBe(0);
  expect(await running).toBe(0);
  expect(follower.out()).toBe("begun\ngone on\n");
});

test("logs -f goes on until the run is over [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], io);
  await io.seen("started (coder)");
  const follower = createFakeIo({ cwd });
  const following = runCli(["logs", "-f"], follower);
  await follower.seen("started (coder)");
  const cancelled = await call(cwd, ["cancel", "@last", "-m", "enough"]);
  expect(stable(cancelled.out)).toBe("run_ID is being cancelled\n");
  expect(await running).toBe(1);
  expect(await following).toBe(0);
  expect(follower.out()).toContain("cancellation by user: enough");
  expect(follower.out()).toMatch(/✖ cancelled: enough · \S+ · 1 agent\n$/);
});

test("a run that is over is told by resume, with its exit code [CLI-1]", async () => {
  const cwd = await projectWithRun();
  const plain = await call(cwd, ["resume", "@last"]);
  expect(plain.exitCode).toBe(0);
  expect(plain.out).toContain("✔ done in");
  const json = await call(cwd, ["resume", "@last", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ type: "run-ended", outcome: "completed" });
  expect((await call(cwd, ["resume", "@last", "-q"])).out).toBe("look at the plan\n");
  const late = await call(cwd, ["cancel", "@last"]);
  expect(late.exitCode).toBe(2);
  expect(late.err).toContain("error[ENGINE_RUN_OVER]");
});

test("a paused run waits until it is resumed, and cannot be paused twice [ENG-13]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], io);
  await io.seen("started (coder)");
  expect((await call(cwd, ["pause", "@last"])).exitCode).toBe(0);
  expect(await running).toBe(3);
  expect(io.out()).toMatch(/⏸ paused: troupe resume run_\w{6}\n$/);
  const again = await call(cwd, ["pause", "@last"]);
  expect(again.exitCode).toBe(2);
  expect(again.err).toContain("error[RUN_NOT_RUNNING]");
  expect((await call(cwd, ["runs"])).out).toContain("⏸ paused");
});

test("a run that waits is in the inbox; the decision is recorded and takes effect at resume [ENG-19, CLI-1]", async () => {
  const cwd = createProject({ "pausing.yaml": PAUSING });
  const waiting = await call(cwd, ["run", "pausing.yaml"]);
  expect(waiting.exitCode).toBe(3);
  const [item, ...others] = document(await call(cwd, ["inbox", "--json"])).items;
  expect(others).toEqual([]);
  expect(item).toEqual({
    id: expect.stringMatching(/^apr_/),
    kind: "approval",
    run: expect.stringMatching(/^run_/),
    workflow: "pausing",
    instance: "default",
    step: "check",
    agent: null,
    text: expect.stringContaining("check"),
    createdAt: expect.any(String),
    expiresAt: null,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(waiting.out).toContain(`troupe approve ${item?.id}`);
  expect((await call(cwd, ["runs"])).out).toContain("1 thing needs you: troupe inbox");
  writeFileSync(join(cwd, "ready"), "");
  const approved = await call(cwd, ["approve", item?.id ?? ""]);
  expect(stable(approved.out)).toBe("recorded; nobody runs it: troupe resume run_ID\n");
  expect((await call(cwd, ["inbox"])).out).toBe("nothing needs you\n");
  expect((await call(cwd, ["approve", item?.id ?? ""])).exitCode).toBe(2);
  expect((await call(cwd, ["resume", item?.run ?? ""])).exitCode).toBe(0);
});

test.each([
  { what: "a permission", cassette: ASKING, decide: (id: string) => ["approve", id] },
  { what: "a question", cassette: QUESTION, decide: (id: string) => ["answer", id, "SQLite"] },
])(
  "a run that waits for $what goes on once somebody has decided [ENG-19, P14, CLI-1]",
  async ({ cassette, decide }) => {
    const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": cassette });
    const waiting = await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--json"]);
    expect(waiting.exitCode).toBe(3);
    const [item] = document(await call(cwd, ["inbox", "--json"])).items;
    expect(item).toMatchObject({ step: "code", agent: "coder" });
    // The events are for programs; the person who reads standard error is told how to answer.
    expect(waiting.err).toContain(`troupe ${decide(item?.id ?? "")[0]} ${item?.id}`);
    expect(JSON.parse(waiting.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "run-suspended",
      reason: "waiting",
      waitingFor: [{ id: item?.id }],
      exitCode: 3,
    });
    const decided = await call(cwd, decide(item?.id ?? ""));
    expect(stable(decided.out)).toBe("recorded; nobody runs it: troupe resume run_ID\n");
    const resumed = await call(cwd, ["resume", "@last", "-q"]);
    expect(resumed).toMatchObject({ exitCode: 0, err: "" });
  },
);

test("a rejection needs a reason, and an unknown id is told [CLI-1]", async () => {
  const cwd = createProject({ "pausing.yaml": PAUSING });
  await call(cwd, ["run", "pausing.yaml"]);
  const [item] = document(await call(cwd, ["inbox", "--json"])).items;
  const id = item?.id ?? "";
  const bare = await call(cwd, ["reject", id]);
  expect(bare.err).toContain('add -m "why"');
  const wrongKind = await call(cwd, ["answer", id, "yes"]);
  expect(wrongKind.err).toContain("error[USAGE_DECISION_IMPOSSIBLE]");
  const unknown = await call(cwd, ["approve", "apr_nope00"]);
  expect(unknown.err).toContain("error[RUN_ITEM_NOT_FOUND]");
  const both = await call(cwd, ["approve", id, "--run", "@last"]);
  expect([bare, wrongKind, unknown, both].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
  expect((await call(cwd, ["reject", id, "-m", "leave it"])).exitCode).toBe(0);
  const resumed = await call(cwd, ["resume", "@last"]);
  expect(resumed.exitCode).toBe(1);
});

test("a damaged run does not hide the others [ENG-5]", async () => {
  const cwd = await projectWithRun();
  const [run] = document(await call(cwd, ["runs", "--json"])).runs;
  await call(cwd, ["run", "two.yaml", "again", ...PLAY]);
  writeFileSync(join(cwd, ".troupe/runs", run?.id ?? "", "journal.db"), "not a database at all");
  const { exitCode, out, err } = await call(cwd, ["runs", "--json"]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(err)).toMatchObject({
    v: 1,
    warning: { code: expect.stringMatching(/^STORE_/) },
  });
  expect(document({ exitCode, out, err }).runs).toHaveLength(1);
});

async function projectWithRun(): Promise<string> {
  const cwd = createProject(TWO.files);
  for (const args of TWO.commands) await call(cwd, args);
  return cwd;
}

interface Listed {
  readonly runs: readonly { readonly id: string }[];
  readonly items: readonly { readonly id: string; readonly run: string }[];
}

function document({ out }: Called): Listed {
  return JSON.parse(out);
}
