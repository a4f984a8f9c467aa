import stringWidth from "string-width";
import { expect, test } from "vitest";
import { ASCII_GLYPHS } from "../../../../src/cli/terminal/glyphs.ts";
import { createActivityLog } from "../../../../src/cli/view/live/turn-activity.ts";
import {
  INITIAL_VIEW,
  type ViewState,
  withDraft,
  withNotice,
} from "../../../../src/cli/view/live/view-state.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { BEGINNING } from "../sample-journal.ts";
import {
  asked,
  BUSY,
  linesOf,
  modelOf,
  pictureOf,
  spawned,
  step,
  turnStarted,
} from "./sample-model.ts";

const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\u009b31mgo\u202eod\r\nsecond";

function selected(id: string, rest: Partial<ViewState> = {}): ViewState {
  return { ...INITIAL_VIEW, selection: { status: "on", id, armedAtMs: 0 }, ...rest };
}

test("a run at 120 columns: what needs a person first, then what failed and works, then the rest [CLI-1]", () => {
  expect(linesOf(pictureOf(modelOf(BUSY)), { columns: 120 })).toEqual([
    "─".repeat(119),
    "code-review @pr-123   2/6 steps   1 busy   ▲ 1 needs you   $0.42   12.4k tok   00:17",
    '▸ ▲ approve approval     6s  "Push 3 files to origin/fix-auth?"  a approve  r reject',
    "  ✖ lint    shell     900ms  exit 1 … [STEP_VERIFY_FAILED]",
    "  ⠋ test    shell        5s",
    "  · review  reviewer         waits for approve, test",
    "  ✔ code    coder       58s  2 files, 2 attempts",
    "  ✔ plan    planner     32s  3 findings in notes.md",
    " a approve  r reject  ⏎ peek  ↑↓ select  ctrl-c stop  ? help  m message  g tree  p pause  c comment  / search  d detach",
  ]);
});

test("at 80 columns what is asked is still shown whole, below its row [CLI-1, T12]", () => {
  expect(linesOf(pictureOf(modelOf(BUSY)), { columns: 80 })).toEqual([
    "─".repeat(79),
    "code-review @pr-123   2/6 steps   1 busy   ▲ 1 needs you   $0.42   00:17",
    '▸ ▲ approve approval     6s  "Push 3 files to origin/fix-…  a approve  r reject',
    "    │ asked: Push 3 files to origin/fix-auth?",
    "  ✖ lint    shell     900ms  exit 1 … [STEP_VERIFY_FAILED]",
    "  ⠋ test    shell        5s",
    "  · review  reviewer         waits for approve, test",
    "  ✔ code    coder       58s  2 files, 2 attempts",
    "  ✔ plan    planner     32s  3 findings in notes.md",
    " a approve  r reject  ⏎ peek  ↑↓ select  ctrl-c stop  ? help  m message  g tree",
  ]);
});

test("at 40 columns what matters least is left out [CLI-1]", () => {
  expect(linesOf(pictureOf(modelOf(BUSY)), { columns: 40 })).toEqual([
    "─".repeat(39),
    "code-review   2/6   ▲1   1 busy   00:17",
    '▸ ▲ approve     6s  "Push 3 files to o…',
    "    │ asked",
    "    │ Push 3 files to origin/fix-auth?",
    "  ✖ lint     900ms  exit 1 … [STEP_VER…",
    "  ⠋ test        5s",
    "  · review          waits for approve,…",
    "  ✔ code       58s  2 files, 2 attempts",
    "  ✔ plan       32s  3 findings in note…",
    " a approve  r reject  ⏎ peek  ↑↓ select",
  ]);
});

test("a cost stands beside its limit, and one that nobody knows is no number [AGT-15]", () => {
  const [created, ...rest] = BUSY;
  if (created?.type !== "run-created") throw new Error("the sample begins with its creation");
  const limited: EventData = { ...created, limits: { budget: { cost: 2 } } };
  expect(linesOf(pictureOf(modelOf([limited, ...rest])))[1]).toContain("$0.42/$2 ");
  const activity = createActivityLog();
  activity.update("coder", { type: "usage", usage: { inputTokens: 10 } }, 1);
  expect(linesOf(pictureOf(modelOf(BEGINNING, { activity })))[1]).toContain("cost unknown");
});

test("a terminal for ASCII gets no other character of ours [CLI-1]", () => {
  const glyphs = ASCII_GLYPHS;
  const picture = (view: ViewState) => pictureOf(modelOf(BUSY), view, glyphs);
  const views = [INITIAL_VIEW, selected("step:lint", { isPeeking: true })];
  const more = [
    { ...INITIAL_VIEW, isHelpShown: true },
    { ...INITIAL_VIEW, layout: "tree" as const },
  ];
  const lines = [...views, ...more].flatMap((view) => linesOf(picture(view), { glyphs }));
  expect(lines.filter((line) => /[^ -~]/.test(line))).toEqual([]);
  expect(lines).toContain(
    '> ! approve approval     6s  "Push 3 files to origin/fi...  a approve  r reject',
  );
});

test("colours add nothing to a picture that is not in its characters [CLI-1]", () => {
  const plain = linesOf(pictureOf(modelOf(BUSY)));
  const colored = linesOf(pictureOf(modelOf(BUSY)), { isColored: true });
  const ESC = "\\u001b";
  expect(colored.join("\n")).toMatch(new RegExp(`${ESC}\\[32m✔`));
  expect(colored.map((line) => line.replaceAll(new RegExp(`${ESC}\\[\\d+m`, "g"), ""))).toEqual(
    plain,
  );
});

test("wide characters, joined emoji and accents are counted as the terminal shows them", () => {
  const texts = [
    "数据库应该用哪一个？请仔细考虑后再回答",
    "👨‍👩‍👧‍👦 family 🇩🇪 flag",
    "e\u0301".repeat(60),
  ];
  const events = texts.map((text, index) => asked(`qst_${index}`, text));
  const model = modelOf([
    ...BEGINNING,
    spawned("coder", "codex"),
    turnStarted("coder", 1),
    ...events,
  ]);
  for (const columns of [30, 40, 41, 60, 80, 120])
    for (const id of ["item:qst_0", "item:qst_1", "item:qst_2"])
      for (const line of linesOf(pictureOf(model, selected(id, { isPeeking: true })), { columns }))
        expect(stringWidth(line)).toBeLessThan(columns);
});

test("nothing that an agent writes controls the terminal or makes a second line [T12]", () => {
  const activity = createActivityLog();
  activity.update("coder", { type: "text-delta", text: `${HOSTILE}\n${HOSTILE}` }, 1);
  activity.update("coder", { type: "tool-call", call: "1", tool: HOSTILE, input: HOSTILE }, 1);
  const events: readonly EventData[] = [
    ...BEGINNING,
    spawned("coder", HOSTILE),
    { ...step(HOSTILE), type: "step-started", attempt: 1, agent: HOSTILE },
    turnStarted("coder", 1),
    asked("qst_1", HOSTILE),
    { type: "agent-status", agent: "coder", status: "stuck", reason: HOSTILE },
  ];
  const model = modelOf(events, { activity });
  const ids = pictureOf(model).rows.map(({ id }) => id);
  const views = [
    ...ids.map((id) => selected(id, { isPeeking: true })),
    withNotice(INITIAL_VIEW, HOSTILE, model.nowMs),
  ];
  for (const view of [
    ...views,
    withDraft(INITIAL_VIEW, { kind: "message", agent: HOSTILE }, HOSTILE),
  ])
    for (const line of linesOf(pictureOf(model, view))) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
});

test("in a run of 300 steps the picture leaves room for what was said, and says how much it leaves out", () => {
  const plan = Array.from({ length: 300 }, (_, index) => ({
    id: `step-${index}`,
    agent: "coder",
    dependsOn: [],
  }));
  const done = plan.slice(0, 150).map(
    ({ id }): EventData => ({
      ...step(id),
      type: "step-completed",
      attempt: 1,
      output: "ok",
      reason: "exit",
      durationMs: 1000,
    }),
  );
  const running = plan
    .slice(150, 155)
    .map(
      ({ id }): EventData => ({ ...step(id), type: "step-started", attempt: 1, agent: "coder" }),
    );
  const model = modelOf([...BEGINNING, ...done, ...running], { plan });
  const lines = linesOf(pictureOf(model), { rows: 30 });
  expect(lines).toHaveLength(18);
  expect(lines[1]).toContain("150/300 steps");
  expect(lines[2]).toMatch(/^ {2}⠋ step-150/);
  expect(lines.at(-2)).toBe("  … 286 more: 136 to come, 150 done");
  const far = linesOf(pictureOf(model, selected("step:step-290")), { rows: 30 });
  expect(far.filter((line) => line.startsWith("▸"))).toEqual([expect.stringContaining("step-290")]);
});

test.each([1, 2, 3, 4, 5, 8, 12])(
  "a terminal of %i lines gets a picture that leaves one free",
  (rows) => {
    const views = [
      INITIAL_VIEW,
      selected("step:plan", { isPeeking: true }),
      { ...INITIAL_VIEW, isHelpShown: true },
    ];
    for (const view of views) {
      const { length } = linesOf(pictureOf(modelOf(BUSY), view), { rows });
      expect(length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    }
  },
);

test("peek shows the last tool, the tokens, and the end of what is said", () => {
  const activity = createActivityLog();
  const said = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  activity.update("shell", { type: "text-delta", text: said }, 1);
  activity.update(
    "shell",
    { type: "tool-call", call: "1", tool: "Bash", input: { command: "ls" } },
    1,
  );
  activity.update("shell", { type: "usage", usage: { inputTokens: 900, outputTokens: 50 } }, 1);
  const picture = pictureOf(
    modelOf(BUSY, { activity }),
    selected("step:test", { isPeeking: true }),
  );
  const lines = linesOf(picture, { rows: 20 });
  expect(lines).toContain('▸ ⠋ test    shell        5s  Bash {"command":"ls"}');
  expect(lines).toContain("    │ agent: @shell, command, attempt 1");
  expect(lines).toContain("    │ turn: 1, 950 tok, cost unknown");
  expect(lines).toContain('    │ last tool: Bash {"command":"ls"} (running)');
  expect(lines).toContain("    │ line 39");
  expect(lines).not.toContain("    │ line 0");
  expect(lines).toHaveLength(19);
});

test("peek says why a step waits and what went wrong", () => {
  const waiting = linesOf(pictureOf(modelOf(BUSY), selected("step:review", { isPeeking: true })));
  expect(waiting).toContain("    │ waits for: approve (running), test (running)");
  const failed = linesOf(pictureOf(modelOf(BUSY), selected("step:lint", { isPeeking: true })));
  expect(failed).toContain("    │ 2 problems [STEP_VERIFY_FAILED]");
});

test("the tree shows each step below what it waits for, a straight line without going deeper", () => {
  const view = { ...selected("step:plan"), layout: "tree" as const };
  expect(linesOf(pictureOf(modelOf(BUSY), view)).slice(2, -1)).toEqual([
    "▸ ✔ plan      planner     32s  3 findings in notes.md",
    "  ✔ code      coder       58s  2 files, 2 attempts",
    '  ├ ▲ approve approval     6s  "Push 3 files to origin/fix-auth?"',
    "  │ · review  reviewer         waits for approve, test",
    "  ├ ⠋ test    shell        5s",
    "  └ ✖ lint    shell     900ms  exit 1 … [STEP_VERIFY_FAILED]",
  ]);
});

test("a text in the making stands below its row, around the cursor", () => {
  const model = modelOf([
    ...BEGINNING,
    spawned("coder", "codex"),
    turnStarted("coder", 1),
    asked("qst_1", "Which DB?"),
  ]);
  const item = model.state.inbox.get("qst_1");
  if (item === undefined) throw new Error("the sample asks nothing");
  const view = withDraft(selected("item:qst_1"), { kind: "answer", item }, "SQLite,\n数据");
  expect(linesOf(pictureOf(model, view)).slice(2)).toEqual([
    '▸ ▲ coder   question     4s  "Which DB?"  ⏎ answer',
    "    │ Which DB?",
    "    │ your answer to qst_1",
    "    │ SQLite,",
    "    │ 数据▏",
    "  · plan    planner          next",
    "  · code    coder            waits for plan",
    "  · approve lead             waits for code",
    "  · test    shell            waits for code",
    "  · lint    shell            waits for code",
    "  · review  reviewer         waits for approve, test",
    " ⏎ send  esc back  alt-⏎ new line  ctrl-c stop",
  ]);
});

test("a team has a row for each agent, the idle ones too, and each can be written to [USE-3.live]", () => {
  const team: readonly EventData[] = [
    ...BEGINNING,
    spawned("lead", "claude"),
    spawned("coder", "codex"),
    turnStarted("lead", 1),
    {
      type: "turn-completed",
      agent: "lead",
      turn: 1,
      text: "The plan is made",
      stopReason: "end_turn",
      signals: [],
      usage: { inputTokens: 11_000, outputTokens: 1400 },
    },
    {
      type: "message-posted",
      ...{ id: "m_1", note: "n1", channel: "main", from: "user", to: ["lead"], text: "hi" },
      ...{ mentions: [], signals: [] },
    },
    turnStarted("coder", 1),
  ];
  const model = modelOf(team, { plan: [] });
  const lines = linesOf(pictureOf(model), { columns: 100 });
  const rows = lines.filter((line) => /lead|coder/u.test(line)).map((line) => line.trimEnd());
  expect(rows).toEqual([
    expect.stringMatching(/^ {2}\S coder +codex +4s {2}turn 1$/u),
    expect.stringMatching(/^ {2}○ lead +claude +idle, 1 unread, 12\.4k tok, The plan is made$/u),
  ]);
  const { rows: placed } = pictureOf(model);
  expect(placed.map(({ agent }) => agent)).toEqual(["coder", "lead"]);
});
