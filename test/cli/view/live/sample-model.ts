import { type Glyphs, UNICODE_GLYPHS } from "../../../../src/cli/terminal/glyphs.ts";
import { createPaint } from "../../../../src/cli/terminal/paint.ts";
import type { Picture } from "../../../../src/cli/view/live/body-lines.ts";
import { followRun } from "../../../../src/cli/view/live/follow-run.ts";
import { renderFrame } from "../../../../src/cli/view/live/frame.ts";
import type { LiveModel, PlannedRow } from "../../../../src/cli/view/live/live-model.ts";
import { liveRows } from "../../../../src/cli/view/live/live-rows.ts";
import { createLiveStyle } from "../../../../src/cli/view/live/live-style.ts";
import {
  type ActivityLog,
  createActivityLog,
} from "../../../../src/cli/view/live/turn-activity.ts";
import { INITIAL_VIEW, type ViewState } from "../../../../src/cli/view/live/view-state.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { BEGINNING, play, toJournal } from "../sample-journal.ts";

const note = { note: "n" };

export function step(id: string) {
  return { ...note, step: id, path: id, execution: 1 };
}

export function spawned(id: string, backend: string): EventData {
  return { type: "agent-spawned", agent: id, backend, spec: { id, backend } };
}

export function turnStarted(agent: string, turn: number, id?: string): EventData {
  const address = id === undefined ? {} : { step: { id, path: id, execution: 1, attempt: 1 } };
  const key = `${agent}/${turn}`;
  const base = { type: "turn-started", agent, turn, attempt: 1, session: `${agent}-1` } as const;
  return { ...base, key, items: [], ...address };
}

export function asked(id: string, text: string): EventData {
  return { type: "question-asked", id, agent: "coder", turn: 1, text };
}

export const APPROVAL = {
  type: "approval-requested",
  approval: "apr_91",
  op: "approval#1",
  message: "Push 3 files to origin/fix-auth?",
  step: "approve",
  hash: "abc",
} as const satisfies EventData;

/** The steps of the sample. */
export const PLAN: readonly PlannedRow[] = [
  { id: "plan", agent: "planner", dependsOn: [] },
  { id: "code", agent: "coder", dependsOn: ["plan"] },
  { id: "approve", agent: "lead", dependsOn: ["code"] },
  { id: "test", agent: "shell", dependsOn: ["code"] },
  { id: "lint", agent: "shell", dependsOn: ["code"] },
  { id: "review", agent: "reviewer", dependsOn: ["approve", "test"] },
];

/** A run in which one step of each kind is to be seen. */
export const BUSY: readonly EventData[] = [
  ...BEGINNING,
  spawned("planner", "claude"),
  spawned("coder", "codex"),
  spawned("shell", "command"),
  { ...step("plan"), type: "step-started", attempt: 1, agent: "planner" },
  turnStarted("planner", 1, "plan"),
  {
    type: "turn-completed",
    agent: "planner",
    turn: 1,
    text: "DONE",
    stopReason: "end_turn",
    signals: [],
    usage: { inputTokens: 11_000, outputTokens: 1400, costUsd: 0.42 },
  },
  {
    ...step("plan"),
    type: "step-completed",
    attempt: 1,
    output: "3 findings in notes.md",
    reason: "done-signal",
    durationMs: 32_000,
    agent: "planner",
  },
  { ...step("code"), type: "step-started", attempt: 1, agent: "coder" },
  {
    ...step("code"),
    type: "step-completed",
    attempt: 2,
    output: "2 files",
    reason: "done-signal",
    durationMs: 58_000,
    agent: "coder",
  },
  { ...step("lint"), type: "step-started", attempt: 1, agent: "shell" },
  {
    ...step("lint"),
    type: "step-failed",
    attempt: 1,
    error: { code: "STEP_VERIFY_FAILED", message: "exit 1\n2 problems" },
    durationMs: 900,
    agent: "shell",
  },
  { ...step("approve"), type: "step-started", attempt: 1, agent: "lead" },
  APPROVAL,
  { ...step("test"), type: "step-started", attempt: 1, agent: "shell" },
  turnStarted("shell", 1, "test"),
];

/** The model of these events, some time after the last one. */
export function modelOf(
  events: readonly EventData[],
  options: {
    readonly plan?: readonly PlannedRow[];
    readonly activity?: ActivityLog;
    readonly laterMs?: number;
    readonly sent?: ReadonlySet<string>;
  } = {},
): LiveModel {
  const { plan = PLAN, activity = createActivityLog(), laterMs = 4000, sent = new Set() } = options;
  const state = play(toJournal(events));
  return { state, below: new Map(), plan, activity, nowMs: state.lastAt + laterMs, sent };
}

/** A picture of a model; the view has followed the run. */
export function pictureOf(
  model: LiveModel,
  view: ViewState = INITIAL_VIEW,
  glyphs: Glyphs = UNICODE_GLYPHS,
): Picture {
  const style = createLiveStyle(glyphs, createPaint(false));
  const rows = liveRows(model, { ...style, layout: view.layout });
  return { model, view: followRun(view, model, rows), rows };
}

/** The lines of a picture without colours. */
export function linesOf(
  picture: Picture,
  options: {
    readonly columns?: number;
    readonly rows?: number;
    readonly glyphs?: Glyphs;
    readonly hasKeys?: boolean;
    readonly isColored?: boolean;
  } = {},
): readonly string[] {
  const { columns = 80, rows = 24, glyphs = UNICODE_GLYPHS, hasKeys = true } = options;
  const style = createLiveStyle(glyphs, createPaint(options.isColored ?? false));
  return renderFrame(picture, { columns, rows, style, hasKeys });
}
