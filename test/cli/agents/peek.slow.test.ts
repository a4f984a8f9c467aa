import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { createFileMachine, longRun, writeRun } from "../../app/file-machine.ts";
import { damageEvent } from "../../journal/alter-journal.ts";
import { call, createFakeIo, createProject, stable } from "../fake-io.ts";
import { CASSETTE, ONE_STEP } from "../workflows.ts";
import { startChat } from "./chat-run.ts";

/** Lines without times of day. */
function linesOf(text: string): readonly string[] {
  return stable(text).trimEnd().split("\n");
}

test("peek shows what was said to and by an agent, and what it does right now [KCK-8, CLI-1]", async () => {
  const turn = '{ do: [{ send: { text: "@gate hello" } }], say: "SQLite it is" }';
  const { cwd } = await startChat([turn]);
  await call(cwd, ["ask", "helper", "use SQLite"]);
  expect(linesOf((await call(cwd, ["peek", "--to", "helper"])).out)).toEqual([
    "00:00:00 helper   → DONE: ready",
    "00:00:00 user     → @helper: use SQLite",
    "00:00:00 helper   → @gate hello",
    "  helper  ○ idle    said: SQLite it is",
    "run_ID chat@default · running",
  ]);
  const gate = linesOf((await call(cwd, ["peek", "gate@default"])).out);
  expect(gate[0]).toBe("00:00:00 helper   → @gate hello");
  expect(gate[1]).toMatch(/^ {2}gate {2}● working +\S+ +turn 1, step wait$/);
});

test("peek at a run shows its last messages and all agents that are alive [CLI-1]", async () => {
  const { cwd } = await startChat(['{ say: "one" }', '{ say: "two" }']);
  await call(cwd, ["ask", "helper", "first"]);
  await call(cwd, ["ask", "helper", "second"]);
  const lines = linesOf((await call(cwd, ["peek", "@default", "-n", "1"])).out);
  expect(lines).toEqual([
    "00:00:00 user     → @helper: second",
    expect.stringMatching(/^ {2}helper {2}○ idle/),
    expect.stringMatching(/^ {2}gate {4}● working/),
    "run_ID chat@default · running",
  ]);
  expect(linesOf((await call(cwd, ["peek", "-n", "0"])).out)).toHaveLength(2);
});

test("looking takes nothing away from the reader, and writes nothing [MSG-3]", async () => {
  const { cwd } = await startChat([]);
  await call(cwd, ["send", "gate", "read me"]);
  const before = (await call(cwd, ["logs", "--json"])).out;
  await call(cwd, ["peek", "gate"]);
  expect((await call(cwd, ["logs", "--json"])).out).toBe(before);
  expect(before).not.toContain("message-delivered");
});

test("peek --json prints the events of the messages and nothing else [CLI-1]", async () => {
  const { cwd } = await startChat(['{ say: "one" }']);
  await call(cwd, ["ask", "helper", "first"]);
  const { out, err } = await call(cwd, ["peek", "helper", "--json"]);
  const events = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect({ err, types: events.map(({ v, type, from }) => [v, type, from]) }).toEqual({
    err: "",
    types: [
      [1, "message-posted", "helper"],
      [1, "message-posted", "user"],
    ],
  });
});

test("peek -f goes on with what is said until the run is over [CLI-1]", async () => {
  const { cwd } = await startChat(['{ say: "one" }']);
  const io = createFakeIo({ cwd });
  const peeking = runCli(["peek", "@default", "-f"], io);
  await io.seen("chat@default");
  await call(cwd, ["send", "helper", "are you there"]);
  await io.seen("are you there");
  await call(cwd, ["cancel", "@last"]);
  expect(await peeking).toBe(0);
  expect(linesOf(io.out()).at(-1)).toContain("✖ cancelled");
});

test("of a run that is over the last messages are shown, and how it ended [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "c.yaml": CASSETTE });
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "c.yaml"]);
  expect(linesOf((await call(cwd, ["peek"])).out)).toEqual([
    "00:00:00 coder    → DONE: coded",
    "run_ID one@default · completed",
  ]);
});

test("what agents write does not drive the terminal [T12]", async () => {
  const hostile = String.raw`\e[2J\e]52;c;aGk=\a`;
  const { cwd } = await startChat([
    `{ do: [{ send: { text: "${hostile}said" } }], say: "${hostile}done" }`,
  ]);
  await call(cwd, ["ask", "helper", "hi"]);
  const { out } = await call(cwd, ["peek", "helper"], {
    isTerminal: true,
    env: { NO_COLOR: "1" },
  });
  expect(out).not.toContain("\u001b");
  expect(out).toContain("said");
});

test("the last messages of a long run are shown before the rest of it is read, and alone with --json [CLI-1]", async () => {
  const machine = createFileMachine();
  await writeRun(machine, longRun("run_aaaaaa", 6000));
  const peek = (...args: readonly string[]) =>
    call(machine.root, ["peek", "run_aaaaaa", "-n", "2", ...args]);
  const whole = await peek();
  expect(linesOf(whole.out).slice(0, 3)).toEqual([
    "00:00:00 bob      → message 5999",
    "00:00:00 ann      → message 6000",
    expect.stringContaining("run_ID"),
  ]);
  // What is read of it cannot be shown.
  damageEvent(join(machine.project.runsDirectory, "run_aaaaaa", "journal.db"), 5000);
  const damaged = await peek();
  expect(linesOf(damaged.out)).toEqual(linesOf(whole.out).slice(0, 2));
  expect([damaged.exitCode, damaged.err]).toEqual([1, expect.stringContaining("STORE_CORRUPT")]);
  const told = await peek("--json");
  expect(told.out.match(/"text":"[^"]*"/g)).toEqual([
    '"text":"message 5999"',
    '"text":"message 6000"',
  ]);
  expect([told.exitCode, told.err]).toEqual([0, ""]);
});

test("messages that are long ago are found as well, oldest first [CLI-1]", async () => {
  const machine = createFileMachine();
  const { events, ...run } = longRun("run_aaaaaa", 6000);
  const said = (event: JournalEvent) => event.type !== "message-posted" || event.seq <= 10;
  const quiet = events.map(
    (event): JournalEvent =>
      said(event)
        ? event
        : { type: "log", note: "tick", level: "info", text: "tick", seq: event.seq, at: event.at },
  );
  await writeRun(machine, { ...run, events: quiet });
  const { out } = await call(machine.root, ["peek", "run_aaaaaa", "-n", "3"]);
  expect(
    linesOf(out)
      .slice(0, 3)
      .map((line) => line.slice(-10).trim()),
  ).toEqual(["message 8", "message 9", "message 10"]);
});
