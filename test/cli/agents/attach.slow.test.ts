import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { createEmulator } from "../attend/emulator.ts";
import { call, createFakeIo, createProject, type FakeIo } from "../fake-io.ts";
import { ASKING, CASSETTE, ONE_STEP } from "../workflows.ts";
import { startChat } from "./chat-run.ts";

const TERMINAL = { isTerminal: true, columns: 100, rows: 30, env: { NO_COLOR: "1" } } as const;
const UP = "\u001b[A";

async function shown(io: FakeIo): Promise<readonly string[]> {
  const terminal = createEmulator(100, 30);
  terminal.write(io.out());
  return terminal.lines();
}

test("attach shows a run of another process; messages go there, and leaving leaves it alone [KCK-8, CLI-1]", async () => {
  const { cwd } = await startChat(['{ say: "SQLite it is" }']);
  await call(cwd, ["ask", "helper", "use SQLite"]);
  const io = createFakeIo({ ...TERMINAL, cwd });
  const attached = runCli(["attach", "gate"], io);
  await io.seen("d leave");
  expect((await shown(io)).join("\n")).toContain("use SQLite");
  io.press("j", "m");
  await io.seen("message to @gate");
  io.press("hurry", "\r");
  await io.seen("sent to @gate");
  io.press("d");
  expect(await attached).toBe(0);
  expect((await shown(io)).at(-1)).toMatch(
    /^left run_\w{6}, which goes on; come back with: troupe attach run_\w{6}$/,
  );
  expect(io.isRaw()).toBe(false);
  expect((await call(cwd, ["peek", "gate"])).out).toContain("user     → @gate: hurry");
  expect((await call(cwd, ["runs", "--json"])).out).toContain('"state":"running"');
});

test.each([
  ["ctrl-c", (io: FakeIo) => io.press("\u0003")],
  ["a signal", (io: FakeIo) => io.signal("SIGTERM")],
  ["a terminal that closes", (io: FakeIo) => io.closeStdout()],
])("%s leaves the run alone [ENG-18]", async (_, leave) => {
  const { cwd } = await startChat([]);
  const io = createFakeIo({ ...TERMINAL, cwd });
  const attached = runCli(["attach", "@last"], io);
  await io.seen("d leave");
  leave(io);
  expect(await attached).toBe(0);
  expect((await call(cwd, ["runs", "--json"])).out).toContain('"state":"running"');
});

test("what a run asks is decided from the outside, and its end is the end of the view [P14, ENG-19]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "c.yaml": ASKING });
  const owner = createFakeIo({ ...TERMINAL, cwd });
  const running = runCli(["run", "one.yaml", "x", "--cassette", "c.yaml"], owner);
  await owner.seen("a approve  r reject");
  const io = createFakeIo({ ...TERMINAL, cwd });
  const attached = runCli(["attach", "@last"], io);
  await io.seen("a approve  r reject");
  io.press(UP, "a");
  expect(await attached).toBe(0);
  expect(await running).toBe(0);
  expect((await shown(io)).join("\n")).toMatch(/allowed by user[\s\S]*✔ done in/);
  expect(existsSync(join(cwd, "pushed.txt"))).toBe(true);
});

test("a run that its owner lets go of ends the view, which says how to go on [ENG-18]", async () => {
  const { cwd, letGo } = await startChat([]);
  const io = createFakeIo({ ...TERMINAL, cwd });
  const attached = runCli(["attach", "@last"], io);
  await io.seen("d leave");
  await letGo();
  expect(await attached).toBe(143);
  expect((await shown(io)).at(-1)).toMatch(/suspended, state is saved: troupe resume run_\w{6}$/);
});

test("without a terminal attach prints what logs -f does [CLI-1]", async () => {
  const { cwd } = await startChat([]);
  const io = createFakeIo({ cwd });
  const attached = runCli(["attach", "helper"], io);
  await io.seen("wait     ● started");
  const json = createFakeIo({ cwd });
  const streamed = runCli(["attach", "helper", "--json"], json);
  await json.seen('"type":"step-started"');
  await call(cwd, ["cancel", "@last"]);
  expect(await attached).toBe(0);
  expect(await streamed).toBe(0);
  expect(io.out()).toContain("✖ cancelled");
  expect(JSON.parse(json.out().trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "run-ended",
  });
});

test("of a run that is over attach shows the summary and ends as it did [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "c.yaml": CASSETTE });
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "c.yaml"]);
  const { exitCode, out } = await call(cwd, ["attach", "@last"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("✔ code completed");
});
