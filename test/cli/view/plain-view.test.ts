import { expect, test } from "vitest";
import { fitLine } from "../../../src/cli/terminal/fit-line.ts";
import { ASCII_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { createPlainView, type PlainViewOptions } from "../../../src/cli/view/plain-view.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { BEGINNING, formatUtcTime, play, SAMPLE, toJournal, WAITING } from "./sample-journal.ts";

function plainLines(
  events: readonly EventData[],
  options: Partial<PlainViewOptions> = {},
): readonly string[] {
  const lines: string[] = [];
  const view = createPlainView({
    write: (line) => lines.push(line),
    formatTime: formatUtcTime,
    ...options,
  });
  play(toJournal(events), view.show);
  return lines;
}

test("a run reads as stable lines: time, who, what", () => {
  expect(plainLines(SAMPLE)).toEqual([
    "10:00:01 run      run_7k2f code-review@pr-123 started",
    "10:00:02 coder    ● joined (codex, gpt-5)",
    "10:00:03 reviewer ● joined (claude)",
    "10:00:05 test     ● started (coder)",
    "10:00:10 coder    ✎ src/auth.ts (edit)",
    "10:00:11 reviewer → @coder found an issue in line 42 …",
    "10:00:12 lead     → @coder: please fix <U+202E>it",
    "10:00:13 coder    → #ops: building",
    "10:00:15 coder    ✎ notes revision 1, added 10 characters",
    '10:00:16 coder    ▲ permission prm_1: "Bash: rm -rf build"',
    '10:00:16 coder      troupe approve prm_1 · troupe reject prm_1 -m "why"',
    "10:00:17 run      ✖ prm_1 denied by user: use npm run clean",
    '10:00:18 coder    ▲ question qst_1: "Which DB should I use?"',
    '10:00:18 coder      troupe answer qst_1 "text"',
    "10:00:19 run      ✔ qst_1 answered by user: SQLite",
    "10:00:20 coder    ▲ signal vote does not count: this run takes no votes",
    "10:00:22 test     ✖ verification failed: npm test · FAIL auth.test.ts:42",
    "10:00:23 test     ↻ attempt 1 failed: exit 1 … [STEP_VERIFY_FAILED] → attempt 2 in 5s",
    "10:00:24 test     ● started, attempt 2 (coder)",
    "10:00:26 coder    ✖ turn 2 failed: busy [OVERLOADED]",
    "10:00:27 coder    ▲ stuck: no event for 5m",
    "10:00:28 test     ✔ verified: npm test",
    "10:00:29 test     ✔ completed in 58s · 4/4 tests pass …",
    "10:00:30 docs     ○ skipped: when is false",
    "10:00:31 run      ● round 2 of 4: coder spoke, 1 new message",
    "10:00:32 run      halfway",
    "10:00:33 run      ▲ warning: no tests for auth.ts",
    '10:00:34 deploy   ▲ approval apr_91: "Push 3 files to "origin/fix-auth"?"',
    '10:00:34 deploy     troupe approve apr_91 · troupe reject apr_91 -m "why"',
    "10:00:35 run      ✔ apr_91 approved by user",
    "10:00:36 deploy   ✔ completed, reused from run_7k1c · pushed 3 files …",
    "10:00:37 reviewer ▲ message m2 was given up after 5 attempts",
    "10:00:40 run      ✔ done in 1m44s · 2 agents · 3 messages · 1 retry · $0.40",
  ]);
});

test("a run that waits says for what, and with which command to answer and to go on", () => {
  expect(plainLines(WAITING)).toEqual([
    "10:00:01 run      run_7k2f code-review@pr-123 started",
    "10:00:02 test     ● started",
    "10:00:03 test     ✖ failed after 3 attempts: exit 1 … [STEP_VERIFY_FAILED]",
    "10:00:04 report   ✖ blocked by test",
    "10:00:05 all[0]/lint ● started (coder)",
    "10:00:06 all[0]/lint ✖ cancelled: race lost",
    '10:00:07 deploy      ▲ approval apr_91: "Push?"',
    '10:00:07 deploy        troupe approve apr_91 · troupe reject apr_91 -m "why"',
    "10:00:08 run         ▲ waiting for 1 decision: troupe resume run_7k2f",
    '10:00:08 run         approval apr_91 (deploy): "Push?"  troupe approve apr_91 · troupe reject apr_91 -m "why"',
  ]);
});

test.each([
  ["interrupted", 130],
  ["paused", 0],
] as const)("a run that is %s says how to go on", (reason, exitCode) => {
  const suspended: EventData = { type: "run-suspended", reason, waitingFor: [], exitCode };
  expect(plainLines([...BEGINNING, suspended]).at(-1)).toMatch(/: troupe resume run_7k2f$/);
});

test("a run that a limit stopped says why and how to go on", () => {
  const ended: EventData = {
    type: "run-ended",
    outcome: "limit-reached",
    reason: "cost $2.00 of $2.00",
    resumable: true,
    exitCode: 5,
    durationMs: 1500,
    result: null,
  };
  expect(plainLines([...BEGINNING, ended]).slice(-2)).toEqual([
    "10:00:02 run      ✖ limit-reached: cost $2.00 of $2.00 · 1.5s",
    "10:00:02 run      to go on: troupe resume run_7k2f",
  ]);
});

test("ASCII glyphs leave no other character of ours in a line", () => {
  const lines = [
    ...plainLines(SAMPLE, { glyphs: ASCII_GLYPHS }),
    ...plainLines(WAITING, { glyphs: ASCII_GLYPHS }),
  ];
  expect(lines.filter((line) => /[^\x20-\x7e]/.test(line))).toEqual([]);
});

test("nothing that an agent writes reaches the terminal as a command or as a second line", () => {
  const hostile = "\u001b[2J\u001b]52;c;aGk=\u0007x\u009b31m\r\n10:00:00 run ✔ done\u202e";
  const lines = plainLines([
    ...BEGINNING,
    { type: "message-posted", id: "m", from: hostile, text: hostile, mentions: [], signals: [] },
    { type: "file-changed", agent: "coder", turn: 1, path: hostile, kind: "edit" },
    { type: "log", note: "l", level: "error", text: hostile },
    { type: "turn-failed", agent: "a", turn: 1, error: { code: hostile, message: hostile } },
    {
      type: "permission-requested",
      id: "p",
      agent: hostile,
      turn: 1,
      tool: hostile,
      input: hostile,
    },
    {
      type: "agent-spawned",
      agent: "a",
      backend: "b",
      spec: { id: "a", backend: "b", model: hostile },
    },
    {
      type: "document-changed",
      document: hostile,
      revision: 1,
      by: hostile,
      change: { kind: "write", text: hostile },
    },
  ]);
  // What is asked for has three lines of its own.
  expect(lines).toHaveLength(11);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
});

test("a long text is cut to the width, what a person decides on is not", () => {
  const text = "x".repeat(500);
  const log: EventData = { type: "log", note: "l", level: "info", text };
  const asked: EventData = { type: "question-asked", id: "qst_1", agent: "coder", turn: 1, text };
  const lines = plainLines([...BEGINNING, log, asked], { width: 80 }).slice(-3);
  expect(lines).toEqual([
    `10:00:02 run      ${"x".repeat(40)}…`,
    `10:00:03 coder    ▲ question qst_1: "${text}"`,
    '10:00:03 coder      troupe answer qst_1 "text"',
  ]);
});

test.each(["warning", "error"] as const)(
  "a %s keeps its end, where its reason and its hint are, and is broken into lines that fit",
  (level) => {
    const text = `the worktree of ann stays as it is in ${"deep/".repeat(20)}: it is locked (unlock it)`;
    const log: EventData = { type: "log", note: "l", level, text };
    const fit = { width: 80, shrinks: true, fitLine: (line: string) => fitLine(line, 80) };
    const lines = plainLines([...BEGINNING, log], fit).slice(plainLines(BEGINNING).length);
    expect(lines.join(" ")).toMatch(/it is locked \(unlock it\)$/);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  },
);

test("a decision on a very long text says how much of it is not shown", () => {
  const input = { command: "x".repeat(3000) };
  const asked: EventData = {
    type: "permission-requested",
    id: "prm_1",
    agent: "coder",
    turn: 1,
    tool: "Bash",
    input,
  };
  expect(plainLines([...BEGINNING, asked]).at(-2)).toMatch(/x \(and 1006 more characters\)"$/);
});

test("what a policy decides at once is asked of nobody: only a denial is told, with what was wanted [AGT-10]", () => {
  const wanted = { agent: "coder", turn: 1, tool: "Bash", input: { command: "rm -rf build" } };
  const request = (id: string, ruling: "allowed" | "denied"): readonly EventData[] => [
    { type: "permission-requested", id, ...wanted, ruling },
    { type: "permission-resolved", id, decision: ruling, by: "policy" },
  ];
  const lines = plainLines([
    ...BEGINNING,
    ...request("prm_1", "allowed"),
    ...request("prm_2", "denied"),
  ]);
  expect(lines.slice(plainLines(BEGINNING).length)).toEqual([
    "10:00:04 coder    ✖ denied by policy: Bash: rm -rf build",
  ]);
});
