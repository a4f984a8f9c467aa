import { expect, test } from "vitest";
import { LiveView, type LiveViewOptions } from "../../../src/cli/attend/live-view.ts";
import { readSettings } from "../../../src/cli/terminal/settings.ts";
import { createActivityLog } from "../../../src/cli/view/live/turn-activity.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import type { RunCommand } from "../../../src/contracts/events/run-events.ts";
import { itemResolved } from "../../../src/engine/errors.ts";
import { fold } from "../../../src/fold/fold.ts";
import { emptyRunState } from "../../../src/fold/state/run-state.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { createFakeIo, type FakeIoOptions } from "../fake-io.ts";
import {
  APPROVAL,
  asked,
  BUSY,
  PLAN,
  spawned,
  step,
  turnStarted,
} from "../view/live/sample-model.ts";
import { BEGINNING } from "../view/sample-journal.ts";
import { createEmulator } from "./emulator.ts";

const ASKED: readonly EventData[] = [
  ...BEGINNING,
  spawned("coder", "codex"),
  turnStarted("coder", 1),
  asked("qst_1", "Which DB?"),
];

/** A live view on a terminal that a test looks at, with a clock that it moves. */
function openView(
  events: readonly EventData[] = ASKED,
  options: Partial<LiveViewOptions> & { readonly terminal?: FakeIoOptions } = {},
) {
  const io = createFakeIo({ isTerminal: true, columns: 100, rows: 30, ...options.terminal });
  const clock = createManualClock();
  const commands: RunCommand[] = [];
  const settings = readSettings({ color: "never" }, io);
  const view = new LiveView({
    run: "run_7k2f",
    io,
    settings,
    clock,
    activity: createActivityLog(),
    hasKeys: true,
    rings: false,
    plan: async () => PLAN,
    edit: async () => undefined,
    command: async (command) => void commands.push(command),
    below: () => new Map(),
    newKey: () => "cmd_1",
    detaching: { status: "refused", reason: "it stays" },
    ...options,
  });
  const state = emptyRunState("run_7k2f");
  const show = (data: EventData) => {
    const event = { ...data, seq: state.lastSeq + 1, at: clock.now() };
    view.show(event, fold(state, event));
  };
  for (const event of events) show(event);
  const screen = async () => {
    const terminal = createEmulator(100, 30);
    terminal.write(io.out());
    return terminal.lines();
  };
  return { io, clock, commands, view, show, screen };
}

test("a burst of events is one picture, and without changes nothing is written [CLI-1]", async () => {
  const { io, clock, show, screen } = openView([...ASKED]);
  await clock.advance(100);
  const before = io.out().length;
  for (let count = 0; count < 500; count += 1)
    show({ type: "log", note: `n${count}`, level: "info", text: `halfway ${count}` });
  expect(io.out()).toHaveLength(before);
  await clock.advance(100);
  expect((await screen()).filter((line) => line.includes("halfway"))).toHaveLength(500);
  show({ type: "question-answered", id: "qst_1", answer: "x", by: "anna" });
  show({ ...TURN_OVER, type: "turn-completed", text: "", stopReason: "end_turn", signals: [] });
  show({ type: "run-suspended", reason: "paused", waitingFor: [], exitCode: 3 });
  await clock.advance(20_000);
  const settled = io.out().length;
  await clock.advance(60_000);
  expect(io.out()).toHaveLength(settled);
});

const TURN_OVER = { agent: "coder", turn: 1 };

test("while something works the picture changes at most ten times a second [CLI-1]", async () => {
  const { io, clock, show } = openView([
    ...BEGINNING,
    { ...step("code"), type: "step-started", attempt: 1, agent: "coder" },
  ]);
  const pictures = () => io.out().split("\u001b[?2026h").length - 1;
  await clock.advance(1000);
  const before = pictures();
  for (let count = 0; count < 200; count += 1) {
    show({ type: "log", note: `n${count}`, level: "info", text: "x" });
    await clock.advance(10);
  }
  expect(pictures() - before).toBeLessThanOrEqual(20);
});

test("while a person is asked, only the clock of the question moves, once a second", async () => {
  const { io, clock } = openView();
  await clock.advance(1000);
  const before = io.out().split("\u001b[?2026h").length;
  await clock.advance(10_000);
  expect(io.out().split("\u001b[?2026h").length - before).toBeLessThanOrEqual(10);
});

test("what is left when it ends is what was said, and a terminal as it was found [CLI-1]", async () => {
  const { io, clock, view, screen } = openView(BUSY);
  await clock.advance(5000);
  expect(io.isRaw()).toBe(true);
  expect((await screen()).at(-1)).toContain("ctrl-c stop");
  view.close();
  view.close();
  expect(io.isRaw()).toBe(false);
  const lines = await screen();
  expect(lines.at(-1)).toMatch(/test {5}● started \(shell\)$/);
  expect(lines.filter((line) => /ctrl-c|─{9}/.test(line))).toEqual([]);
  const [, ending = ""] = io.out().split("\u001b[?2004l");
  expect(ending).toBe("\u001b[?25h\u001b]2;\u0007\u001b[23;2t");
  expect(clock.timerCount).toBe(0);
});

test("the title of the terminal tells who needs a person and how far the run is", async () => {
  const { io, clock } = openView(BUSY);
  await clock.advance(1000);
  expect(io.out()).toContain("\u001b]2;▲1 code-review 2/6\u0007");
});

test("the bell rings once for each new thing that needs a person, and only if asked for", async () => {
  const { io, clock, show } = openView(ASKED, { rings: true });
  const ringsIn = (text: string) => text.split("\u0007").length - text.split("\u001b]2;").length;
  await clock.advance(5000);
  expect(ringsIn(io.out())).toBe(1);
  show(asked("qst_2", "And which port?"));
  await clock.advance(5000);
  expect(ringsIn(io.out())).toBe(2);
  const quiet = openView();
  await quiet.clock.advance(5000);
  expect(ringsIn(quiet.io.out())).toBe(0);
});

test("what others in the process write stands above the picture, without driving the terminal [T12]", async () => {
  const { io, clock, screen } = openView();
  io.stdout.write("from a func");
  io.stderr.write("\u001b[2Jtion \u001b[31mred\u001b[0m\u001b]0;owned\u0007\nnext");
  await clock.advance(1000);
  expect(await screen()).toContain("from a function red");
  expect(io.out()).toContain("\u001b[31mred\u001b[0m");
  expect(io.out()).not.toContain("owned");
});

test("a decision that is refused is said, and its text is given back", async () => {
  const error = itemResolved({ id: "qst_1", decision: "answered", by: "anna", at: "10:00" });
  const { io, clock, screen } = openView(ASKED, { command: () => Promise.reject(error) });
  await clock.advance(1000);
  io.press("\u001b[A", "\r", "SQLite", "\r");
  await clock.advance(1000);
  const lines = await screen();
  expect(lines.some((line) => line.includes("[ENGINE_ITEM_RESOLVED]"))).toBe(true);
  expect(lines).toContain("    │ SQLite▏");
});

test("a text that cannot be given back is shown, so that it is not lost", async () => {
  let refuse = (_error: Error) => {};
  const command = () =>
    new Promise<never>((_, reject) => {
      refuse = reject;
    });
  const { io, clock, screen } = openView([...ASKED, asked("qst_2", "Port?")], { command });
  await clock.advance(1000);
  io.press("\u001b[A", "\r", "SQLite", "\r", "\u001b[B", "\r", "80");
  refuse(new Error("the disk is full"));
  await clock.advance(1000);
  const lines = await screen();
  expect(lines).toContain("not sent: SQLite");
  expect(lines).toContain("    │ 80▏");
});

test("a key that was meant for what has just gone means nothing, and the text is kept", async () => {
  const { io, clock, commands, show, screen } = openView([...ASKED, asked("qst_2", "Port?")]);
  await clock.advance(1000);
  io.press("\u001b[A", "\r", "SQLite");
  await clock.advance(1000);
  show({ type: "question-answered", id: "qst_1", answer: "x", by: "anna" });
  io.press("\r");
  await clock.advance(1000);
  expect(commands).toEqual([]);
  const lines = await screen();
  expect(lines).toContain("not sent: SQLite");
  expect(lines).toContain("▲ qst_1 was answered by anna; your text was not sent");
});

test("a text that was not finished when the run ends is shown", async () => {
  const { io, clock, view, screen } = openView();
  await clock.advance(1000);
  io.press("\u001b[A", "\r", "SQLite");
  view.close();
  expect((await screen()).at(-1)).toBe("not sent: SQLite");
});

test("a decision names what the person saw", async () => {
  const { io, clock, commands } = openView(BUSY);
  await clock.advance(1000);
  io.press("\u001b[A", "r", "too soon", "\r");
  await clock.advance(1000);
  expect(commands).toEqual([
    {
      kind: "resolve-approval",
      approval: "apr_91",
      decision: "rejected",
      comment: "too soon",
      hash: "abc",
    },
  ]);
});

test("an edited approval approves what the person wrote, in a terminal that was free meanwhile", async () => {
  const shown: EventData = { ...APPROVAL, show: { files: 3 } };
  const editing = Promise.withResolvers<Json>();
  const { io, clock, commands, screen, show } = openView([...BEGINNING, shown], {
    edit: () => editing.promise,
  });
  await clock.advance(1000);
  expect((await screen()).at(-1)).toContain("e edit");
  io.press("\u001b[A", "e");
  expect(io.isRaw()).toBe(false);
  const before = io.out();
  show({ type: "log", note: "n", level: "info", text: "meanwhile" });
  await clock.advance(1000);
  expect(io.out()).toBe(before);
  editing.resolve({ files: 2 });
  await clock.advance(1000);
  expect(commands).toEqual([
    expect.objectContaining({ decision: "approved", edited: { files: 2 } }),
  ]);
  expect(await screen()).toContainEqual(expect.stringContaining("meanwhile"));
  expect(io.isRaw()).toBe(true);
});

test("the escape key takes a text back, though it begins like an arrow key", async () => {
  const { io, clock, screen } = openView();
  await clock.advance(1000);
  io.press("\u001b[A", "\r", "SQL");
  await clock.advance(1000);
  expect(await screen()).toContain("    │ SQL▏");
  io.press("\u001b");
  await clock.advance(1000);
  expect(await screen()).not.toContain("    │ SQL▏");
});

test("ctrl-z gives the terminal back while the job is stopped, and takes it again", async () => {
  const { io, clock, screen } = openView();
  await clock.advance(1000);
  io.press("\u001a");
  expect(io.isRaw()).toBe(false);
  await clock.advance(1000);
  expect(io.jobStops()).toBe(1);
  expect(io.isRaw()).toBe(true);
  expect((await screen()).filter((line) => line.includes("ctrl-c stop"))).toHaveLength(1);
});

test("a job that somebody else stopped paints anew below what was written meanwhile", async () => {
  const { io, clock, view, screen } = openView();
  await clock.advance(1000);
  io.goOn();
  await clock.advance(1000);
  expect(io.isRaw()).toBe(true);
  view.close();
  io.goOn();
  expect(io.isRaw()).toBe(false);
  expect((await screen()).at(-1)).not.toContain("ctrl-c stop");
});

test("without keys the picture is there and nothing is read or selected", async () => {
  const { io, clock, screen } = openView(ASKED, { hasKeys: false });
  await clock.advance(1000);
  expect(io.isRaw()).toBe(false);
  const lines = await screen();
  const row = /^ {2}▲ coder +question +\d+s {2}"Which DB\?"$/;
  expect(lines.filter((line) => row.test(line))).toHaveLength(1);
  expect(lines.filter((line) => /▸|ctrl-c/.test(line))).toEqual([]);
});
