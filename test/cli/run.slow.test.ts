import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject, stable } from "./fake-io.ts";
import { ASKING, CASSETTE, HANGING, ONE_STEP, QUESTION, TWO_STEPS } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];
const PLAIN = ["--progress", "plain"];

test("a run is told line by line, and its result at the end [CLI-1, AGT-4]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  const { exitCode, out, err } = await call(cwd, ["run", "two.yaml", "build it", ...PLAY]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(stable(out).split("\n")).toEqual([
    "00:00:00 run      run_ID two@default started",
    "00:00:00 planner  ● joined (script)",
    "00:00:00 check    ● joined (command)",
    "00:00:00 plan     ● started (planner)",
    "00:00:00 planner  → @check look at this",
    "00:00:00 planner  → DONE: the plan",
    "00:00:00 plan     ✔ completed in 0ms · the plan",
    "00:00:00 verify   ● started (check)",
    "00:00:00 verify   ✔ completed in 0ms · look at the plan",
    "00:00:00 run      ✔ done in 0ms · 2 agents · 2 messages",
    "result",
    "  look at the plan",
    "",
  ]);
});

test("in a fan-out one failure stops nobody, unless its file says so [PAT-fan-out, WF-10.on-failure]", async () => {
  const file = (more: string) => `name: all
pattern: fan-out
agents: [{ id: a, backend: command, command: "exit 3" }, { id: b, backend: command, command: "echo b" }]
options: { maxConcurrency: 1 }
${more}
`;
  const cwd = createProject({
    "all.yaml": file(""),
    "abort.yaml": file("errorHandling: { onFailure: abort }"),
  });
  const ends = async (name: string) => {
    const { exitCode } = await call(cwd, ["run", name, "x"]);
    const { out } = await call(cwd, ["show", "@last", "--json"]);
    const steps: { readonly step: string; readonly status: string }[] = JSON.parse(out).steps;
    return { exitCode, steps: steps.map(({ step, status }) => `${step} ${status}`) };
  };
  expect(await ends("all.yaml")).toEqual({ exitCode: 1, steps: ["a failed", "b completed"] });
  expect(await ends("abort.yaml")).toEqual({ exitCode: 1, steps: ["a failed", "b cancelled"] });
});

test("what a file says of failing steps goes for agents without steps too [WF-10.implied]", async () => {
  const cwd = createProject({
    "all.yaml": `name: all
pattern: fan-out
agents:
  - { id: a, backend: command, command: "test -n \\"$TROUPE_PREVIOUS_ERROR\\"" }
  - { id: b, backend: command, command: "echo b; test $TROUPE_STEP = a" }
errorHandling: { maxRetries: 1, retryDelay: 1ms, escalateTo: a }
`,
  });
  const { exitCode } = await call(cwd, ["run", "all.yaml", "x"]);
  const { out } = await call(cwd, ["show", "@last", "--json"]);
  const steps: { readonly [key: string]: unknown }[] = JSON.parse(out).steps;
  expect(exitCode).toBe(0);
  expect(steps).toMatchObject([
    { step: "a", status: "completed", attempts: 2, agent: "a" },
    { step: "b", status: "completed", attempts: 3, agent: "a" },
  ]);
});

test("--json prints events and nothing else, and ends with run-ended [CLI-1]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  const { exitCode, out, err } = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--json"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const events = out.trimEnd().split("\n").map(toEvent);
  expect(events.map(({ type }) => type)).not.toContain("operation-scheduled");
  expect(events[0]).toMatchObject({ v: 1, seq: 1, type: "run-created", task: "x" });
  expect(events.at(-1)).toMatchObject({
    type: "run-ended",
    outcome: "completed",
    exitCode: 0,
    result: { pattern: "dag", success: true, output: "look at the plan" },
  });
  const all = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--json=all"]);
  expect(all.out).toContain('"type":"operation-scheduled"');
});

test("--quiet prints the output of the result alone, as it is [CLI-1]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  const called = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--quiet"]);
  expect(called).toEqual({ exitCode: 0, out: "look at the plan\n", err: "" });
});

test("--progress none prints the summary alone", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const { out } = await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--progress", "none"]);
  expect(stable(out).split("\n")).toEqual([
    expect.stringMatching(/^ {2}✔ code completed +0ms coder +coded$/),
    "result",
    "  coded",
    "✔ done in 0ms · 1 agent · 1 message",
    "",
  ]);
});

test("a task that is missing is refused before anything starts [WF-8]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const { exitCode, out, err } = await call(cwd, ["run", "one.yaml"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[WORKFLOW_TASK_MISSING]");
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test("a task that nothing uses is a warning, and the run goes on", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP.replace("{{task}}", "go") });
  const { exitCode, err } = await call(cwd, ["run", "one.yaml", "unused"]);
  expect(exitCode).toBe(0);
  expect(err).toMatch(/^warning\[WORKFLOW_TASK_UNUSED\]/);
});

test("an invalid file shows all its problems with their lines and starts nothing [CLI-1]", async () => {
  const broken = ONE_STEP.replace("agent: coder", "agent: codr").replace("name: one", "nmae: one");
  const cwd = createProject({ "broken.yaml": broken });
  const { exitCode, out, err } = await call(cwd, ["run", "broken.yaml", "x"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[WORKFLOW_UNKNOWN_KEY]");
  expect(err).toContain("error[WORKFLOW_UNKNOWN_AGENT]");
  expect(err).toContain("broken.yaml:2:1");
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test("agents that cannot run here are told together, with exit code 4 and no run left [AGT-14, CLI-1]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS });
  const { exitCode, err } = await call(cwd, ["run", "two.yaml", "x"]);
  expect(exitCode).toBe(4);
  expect(err).toContain('error[BACKEND_PREFLIGHT_FAILED]: agent "planner"');
  expect((await call(cwd, ["runs", "--json"])).out).toBe('{"v":1,"runs":[]}\n');
});

test.each([
  { given: ["-i", "target"], problem: "-i takes key=value" },
  { given: ["--input", '{"target":"src"}'], problem: "takes the path of a JSON file, got JSON" },
  { given: ["--input", "{none}.json"], problem: "error[FILE_NOT_FOUND]" },
  { given: ["--instance", "a b"], problem: "cannot name an instance" },
  { given: ["--max-concurrency", "0"], problem: "must be a number from 1 on" },
  { given: ["--timeout", "soon"], problem: "error[DURATION_INVALID]" },
  { given: ["--backend", "scrpt"], problem: "error[BACKEND_UNKNOWN]" },
  { given: ["--cassette", "none.yaml"], problem: "error[FILE_NOT_FOUND]" },
  { given: ["--task-file", "task.txt"], problem: "the task is given twice" },
  { given: ["--json", "--progress", "plain"], problem: "exclude each other" },
  { given: ["--quiet", "--json"], problem: "--quiet goes neither" },
  { given: ["-i", "nope=1"], problem: "error[WORKFLOW_PARAM_UNKNOWN]" },
])("the options $given are refused with exit code 2 [CLI-1]", async ({ given, problem }) => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const { exitCode, out, err } = await call(cwd, ["run", "one.yaml", "x", ...given]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(problem);
});

const WITH_PARAMS = `version: "1.0"
name: params
pattern: dag
params:
  who: { type: string }
  times: { type: number, default: 1 }
agents:
  - { id: echo, backend: command, command: ["echo", "{{params.who}}", "{{params.times}}"] }
steps:
  - { id: say, agent: echo }
`;

test("params come from -i and from a JSON file, and -i wins [WF-8]", async () => {
  const cwd = createProject({
    "params.yaml": WITH_PARAMS,
    "input.json": '{"who":"file","times":3}',
  });
  const run = ["run", "params.yaml", "--quiet"];
  const given = await call(cwd, [...run, "--input", "input.json", "-i", "who=a=b"]);
  expect(given).toEqual({ exitCode: 0, out: "a=b 3\n", err: "" });
  const missing = await call(cwd, run);
  expect(missing.exitCode).toBe(2);
  expect(missing.err).toContain("error[WORKFLOW_PARAM_MISSING]");
});

test("workflow and task come from standard input", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const file = await call(cwd, ["run", "-", "x", ...PLAY, "-q"], { input: ONE_STEP });
  const task = await call(cwd, ["run", "one.yaml", "--task-file", "-", ...PLAY, "-q"], {
    input: "the task\n",
  });
  expect([file.out, task.out]).toEqual(["coded\n", "coded\n"]);
  expect((await call(cwd, ["show", "@last", "--json"])).out).toContain('"task":"the task"');
});

test("-C works as if started in that directory", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const called = await call("/", ["run", "one.yaml", "x", ...PLAY, "-q", "-C", cwd]);
  expect(called).toEqual({ exitCode: 0, out: "coded\n", err: "" });
});

test("a step that fails makes the run fail with exit code 1 [ENG-11]", async () => {
  const failing = WITH_PARAMS.replace(
    '["echo", "{{params.who}}", "{{params.times}}"]',
    '["false"]',
  );
  const cwd = createProject({ "fail.yaml": failing });
  const { exitCode, out } = await call(cwd, ["run", "fail.yaml", "-i", "who=me"]);
  expect(exitCode).toBe(1);
  expect(out).toContain("✖ failed");
});

test("a deadline ends a run with exit code 5 and says how to go on [ENG-7.run, CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const late = await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--timeout", "50ms"]);
  expect(late.exitCode).toBe(5);
  expect(late.out).toContain("to go on: troupe resume run_");
});

test("SIGINT lets go of the run, and resume goes on with it [ENG-18, P13.signals]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], io);
  await io.seen("started (coder)");
  io.signal("SIGINT");
  expect(await running).toBe(130);
  expect(io.err()).toMatch(/^stopping… again to kill; resume with: troupe resume run_/);
  expect(io.out()).toMatch(/suspended, state is saved: troupe resume run_\w{6}\n$/);
  const again = createFakeIo({ cwd });
  const resumed = runCli(["resume", "@last"], again);
  await again.seen("resumed");
  again.signal("SIGTERM");
  expect(await resumed).toBe(143);
  expect(await runState(cwd)).toBe("suspended");
});

test("a second SIGINT ends the process at once [P13.second]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], io);
  await io.seen("started (coder)");
  io.signal("SIGTERM");
  io.signal("SIGHUP");
  expect(io.exits).toEqual([]);
  io.signal("SIGINT");
  expect(io.exits).toEqual([130]);
  expect(await running).toBe(143);
});

test("a reader that goes away lets go of the run with its state saved", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], io);
  await io.seen("started (coder)");
  io.closeStdout();
  expect(await running).toBe(130);
  expect(await runState(cwd)).toBe("suspended");
});

test("a second run in the same directory is warned of the first, or refused with --exclusive", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": HANGING });
  const first = createFakeIo({ cwd });
  const running = runCli(["run", "one.yaml", "x", ...PLAY], first);
  await first.seen("started (coder)");
  const [id = ""] = /run_\w{6}/.exec(first.out()) ?? [];
  const refused = await call(cwd, ["run", "one.yaml", "x", "--exclusive"]);
  expect(refused.exitCode).toBe(6);
  expect(refused.err).toContain(`error[RUN_DIRECTORY_BUSY]: ${id} is already working`);
  const warned = await call(cwd, ["run", "one.yaml", "x", "-q"]);
  expect(warned.exitCode).toBe(0);
  expect(warned.err).toContain(`warning[RUN_DIRECTORY_BUSY]: ${id}`);
  first.signal("SIGINT");
  await running;
});

test("a person at the terminal is asked, and the decision takes effect at once [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const io = createFakeIo({ cwd, isTerminal: true });
  const running = runCli(["run", "one.yaml", "x", ...PLAY, ...PLAIN], io);
  await io.seen("[a]pprove  [r]eject  al[w]ays > ");
  expect(io.out()).toContain('"Bash: git push"  [a]pprove');
  io.type("what?");
  io.type("a");
  expect(await running).toBe(0);
  expect(readFileSync(join(cwd, "pushed.txt"), "utf8")).toBe("yes");
});

test("a refusal in the terminal asks why, and the agent does not go on with it", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const io = createFakeIo({ cwd, isTerminal: true });
  const running = runCli(["run", "one.yaml", "x", ...PLAY, ...PLAIN], io);
  await io.seen("[a]pprove");
  io.type("r");
  await io.seen("why?");
  io.type("not on a Friday");
  expect(await running).toBe(0);
  expect(io.out()).toContain("denied by user: not on a Friday");
  expect(existsSync(join(cwd, "pushed.txt"))).toBe(false);
});

test("a question in the terminal takes a line of text", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": QUESTION });
  const io = createFakeIo({ cwd, isTerminal: true });
  const running = runCli(["run", "one.yaml", "x", ...PLAY, ...PLAIN], io);
  await io.seen('"Which database?"  > ');
  io.type("SQLite");
  expect(await running).toBe(0);
  expect(io.out()).toContain("answered by user: SQLite");
});

test("a decision from elsewhere takes the question off the screen [ENG-19]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const io = createFakeIo({ cwd, isTerminal: true, env: { NO_COLOR: "1" } });
  const running = runCli(["run", "one.yaml", "x", ...PLAY, ...PLAIN], io);
  await io.seen("[a]pprove");
  const approved = await call(cwd, ["approve", "--run", "@last"]);
  expect(approved).toMatchObject({ exitCode: 0, err: "" });
  expect(stable(approved.out)).toBe("prm_ID approved\n");
  expect(await running).toBe(0);
  expect(io.out()).toMatch(
    /\[r\]eject {2}al\[w\]ays > \n\d\d:\d\d:\d\d run {6}✔ prm_\w{6} allowed by user\n/,
  );
});

test("agent text cannot drive the terminal, even with --quiet [T12]", async () => {
  const hostile = 'version: 1\nagents: { coder: [{ say: "DONE: \\e[2Jgone" }] }\n';
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": hostile });
  const quiet = await call(cwd, ["run", "one.yaml", "x", ...PLAY, "-q"], { isTerminal: true });
  const plain = await call(cwd, ["run", "one.yaml", "x", ...PLAY, "--color", "never"]);
  expect(quiet.out).toBe("gone\n");
  expect(plain.out).not.toContain("\u001b");
});

async function runState(cwd: string): Promise<unknown> {
  const listed: { readonly runs: readonly { readonly state: unknown }[] } = JSON.parse(
    (await call(cwd, ["runs", "--json"])).out,
  );
  return listed.runs[0]?.state;
}

function toEvent(line: string): { readonly type: string } {
  return JSON.parse(line);
}
