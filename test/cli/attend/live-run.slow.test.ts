import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject, type FakeIo } from "../fake-io.ts";
import { ASKING, CASSETTE, HANGING, ONE_STEP, PAUSING, QUESTION } from "../workflows.ts";
import { createEmulator } from "./emulator.ts";

const RUN = ["run", "one.yaml", "x", "--cassette", "cassette.yaml"];
const TERMINAL = { isTerminal: true, columns: 100, rows: 30, env: { NO_COLOR: "1" } } as const;
const UP = "\u001b[A";

function createRun(cassette: string): { readonly cwd: string; readonly io: FakeIo } {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": cassette });
  return { cwd, io: createFakeIo({ ...TERMINAL, cwd }) };
}

/** What the terminal holds now, without times of day. */
async function shown(io: FakeIo): Promise<readonly string[]> {
  const terminal = createEmulator(100, 30);
  terminal.write(io.out());
  return (await terminal.lines()).map((line) => line.replace(/^\d\d:\d\d:\d\d/, "00:00:00"));
}

test("at a terminal a run is a picture below what was said, and in the end a summary [CLI-1]", async () => {
  const { io } = createRun(CASSETTE);
  expect(await runCli(RUN, io)).toBe(0);
  expect(io.err()).toBe("");
  expect(
    (await shown(io)).map((line) => line.replace(/run_\w{6}/, "run_ID").replace(/\d+ms/, "0ms")),
  ).toEqual([
    "00:00:00 run      run_ID one@default started",
    "00:00:00 coder    ● joined (script)",
    "00:00:00 code     ● started (coder)",
    "00:00:00 coder    → DONE: coded",
    expect.stringMatching(/^00:00:00 code {5}✔ completed in \S+ · coded$/),
    expect.stringMatching(/^ {2}✔ code completed +\S+ coder +coded$/),
    "result",
    "  coded",
    expect.stringMatching(/^✔ done in \S+ · 1 agent · 1 message$/),
  ]);
});

test("a permission is given with a key [CLI-1]", async () => {
  const { cwd, io } = createRun(ASKING);
  const running = runCli(RUN, io);
  await io.seen("a approve  r reject");
  io.press(UP, "a");
  expect(await running).toBe(0);
  expect(readFileSync(join(cwd, "pushed.txt"), "utf8")).toBe("yes");
});

test("a permission is given for the rest of the run with a key [USE-8.run]", async () => {
  const { cwd, io } = createRun(ASKING);
  const running = runCli(RUN, io);
  await io.seen("w always");
  io.press(UP, "w");
  expect(await running).toBe(0);
  const { out } = await call(cwd, ["logs", "--json"]);
  expect(out).toContain('"decision":"allowed"');
  expect(out).toMatch(/"always":\{"agent":"coder","tool":"\w+","texts":\[/);
});

test("a refusal takes its reason in place [CLI-1]", async () => {
  const { cwd, io } = createRun(ASKING);
  const running = runCli(RUN, io);
  await io.seen("a approve  r reject");
  io.press(UP, "r");
  await io.seen("why do you reject");
  io.press("not on a Friday", "\r");
  expect(await running).toBe(0);
  expect(await shown(io)).toContainEqual(
    expect.stringContaining("denied by user: not on a Friday"),
  );
  expect(existsSync(join(cwd, "pushed.txt"))).toBe(false);
});

test("a question takes a pasted answer of several lines, whose letters are no commands [CLI-1]", async () => {
  const { cwd, io } = createRun(QUESTION);
  const running = runCli(RUN, io);
  await io.seen("⏎ answer");
  io.press(UP, "\r", "\u001b[200~SQLite\rpar\u0003\u001b[201~", "\r");
  expect(await running).toBe(0);
  const { out } = await call(cwd, ["logs", "--json"]);
  expect(out).toContain('"answer":"SQLite\\npar"');
});

test("a text for what somebody else decides meanwhile is put away and said so [ENG-19]", async () => {
  const { cwd, io } = createRun(ASKING);
  const running = runCli(RUN, io);
  await io.seen("a approve  r reject");
  io.press(UP, "r");
  await io.seen("why do you reject");
  io.press("not on");
  await call(cwd, ["approve", "--run", "@last"]);
  io.press(" a Friday", "\r");
  expect(await running).toBe(0);
  expect(await shown(io)).toContainEqual(expect.stringContaining("allowed by user"));
  expect((await call(cwd, ["logs", "--json"])).out).not.toContain("Friday");
  expect(await shown(io)).toContainEqual(expect.stringMatching(/^not sent: not on/));
});

test("a message reaches the selected agent, and ctrl-c lets go of the run [ENG-18, CLI-1]", async () => {
  const { cwd, io } = createRun(HANGING);
  const running = runCli(RUN, io);
  await io.seen("⠋ code");
  io.press("j", "m");
  await io.seen("message to @coder");
  io.press("hurry", "\r");
  await io.seen("sent to @coder");
  io.press("\u0003");
  expect(await running).toBe(130);
  const lines = await shown(io);
  expect(lines).toContainEqual(
    expect.stringMatching(/^stopping… again to kill; resume with: troupe resume run_\w{6}$/),
  );
  expect(lines.at(-1)).toMatch(/^⏸ suspended, state is saved: troupe resume run_\w{6}$/);
  expect(io.isRaw()).toBe(false);
  const { out } = await call(cwd, ["logs", "--json"]);
  expect(out).toContain('"to":["coder"],"text":"hurry"');
});

test("a second ctrl-c ends the process at once", async () => {
  const { io } = createRun(HANGING);
  const running = runCli(RUN, io);
  await io.seen("⠋ code");
  io.press("\u0003", "\u0003");
  expect(io.exits).toEqual([130]);
  expect(await running).toBe(130);
});

test("p pauses, and the terminal says how to go on [ENG-13]", async () => {
  const { io } = createRun(HANGING);
  const running = runCli(RUN, io);
  await io.seen("⠋ code");
  io.press("p");
  expect(await running).toBe(3);
  expect((await shown(io)).at(-1)).toMatch(/^⏸ paused: troupe resume run_\w{6}$/);
});

test("the picture follows the size of the terminal while the run goes on [CLI-1]", async () => {
  const { io } = createRun(ASKING);
  const running = runCli(RUN, io);
  await io.seen("a approve  r reject");
  io.resize(40, 20);
  await io.seen(`${"─".repeat(39)}\r\n`);
  io.press(UP, "a");
  expect(await running).toBe(0);
});

test("without keys to read, what is asked is left to the inbox and the process ends [CLI-1]", async () => {
  const cwd = createProject({ "pausing.yaml": PAUSING });
  const io = createFakeIo({ ...TERMINAL, cwd, isInputTerminal: false });
  expect(await runCli(["run", "pausing.yaml", "--progress", "tty"], io)).toBe(3);
  expect(io.out()).toContain("\u001b[?25l");
  const lines = await shown(io);
  expect(lines).toContainEqual(
    expect.stringMatching(/^ +troupe approve apr_\w{6} · troupe reject/),
  );
  expect(lines.at(-1)).toMatch(/waiting for 1 decision: troupe resume run_/);
});

test("the picture can be asked for only where there is a terminal [CLI-1]", async () => {
  const { cwd } = createRun(CASSETTE);
  const { exitCode, out, err } = await call(cwd, [...RUN, "--progress", "tty"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[USAGE_INVALID]: --progress tty needs a terminal");
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test.each([
  { where: "a dumb terminal", options: { env: { TERM: "dumb" } }, flags: [] },
  { where: "a terminal of a CI machine", options: { env: { CI: "true" } }, flags: [] },
  { where: "a terminal with --no-input", options: {}, flags: ["--no-input"] },
  { where: "a terminal with --progress plain", options: {}, flags: ["--progress", "plain"] },
  { where: "a terminal without a person at it", options: { isInputTerminal: false }, flags: [] },
])("on $where progress is plain lines [CLI-1]", async ({ options, flags }) => {
  const { cwd } = createRun(CASSETTE);
  const io = createFakeIo({ ...TERMINAL, cwd, ...options });
  expect(await runCli([...RUN, ...flags, "--color", "never"], io)).toBe(0);
  expect(io.out()).not.toContain("\u001b");
});

test("what an agent writes does not drive the terminal, neither live nor in the end [T12]", async () => {
  const hostile = String.raw`\e[2J\e]52;c;aGk=\a\e]0;owned\a`;
  const { io } = createRun(`version: 1
agents:
  coder:
    - do: [{ chunk: "${hostile}live" }, { send: { text: "${hostile}said" } }, { ask: "${hostile}why?" }]
      say: "DONE: ${hostile}done"
`);
  const running = runCli(RUN, io);
  await io.seen("⏎ answer");
  io.press(UP, "\r", "because", "\r");
  expect(await running).toBe(0);
  for (const sequence of ["\u001b[2J", "\u001b]52", "\u001b]0;"])
    expect(io.out()).not.toContain(sequence);
});
