import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";
import { fold } from "../../../src/fold/fold.ts";
import { emptyRunState, type RunState } from "../../../src/fold/state/run-state.ts";

const START_MS = Date.UTC(2026, 10, 21, 10);

/** A time of day without the time zone of the machine. */
export function formatUtcTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** Gives each event a place in a journal, a second after the one before. */
export function toJournal(events: readonly EventData[]): readonly JournalEvent[] {
  return events.map((data, index) => ({ ...data, seq: index + 1, at: START_MS + index * 1000 }));
}

/** Folds the events one by one and calls `show` after each. Returns the last state. */
export function play(
  events: readonly JournalEvent[],
  show: (event: JournalEvent, state: RunState) => void = () => {},
): RunState {
  const state = emptyRunState("run_7k2f");
  for (const event of events) show(event, fold(state, event));
  return state;
}

const agent = "coder";
const turn = 1;
const error = { code: "STEP_VERIFY_FAILED", message: "exit 1\n3/4 tests pass" };
const step = { note: "n", step: "test", path: "test", execution: 1 };

function spawned(id: string, backend: string, model?: string): EventData {
  const spec = { id, backend, ...(model === undefined ? {} : { model }) };
  return { type: "agent-spawned", agent: id, backend, spec };
}

const posted = { type: "message-posted", mentions: [], signals: [] } as const;

function turnStarted(id: string, number: number): EventData {
  const session = `${id}-1`;
  const key = `run_7k2f/${id}/${number}`;
  return { type: "turn-started", agent: id, turn: number, attempt: 1, session, key, items: [] };
}

/** What every sample starts with. */
export const BEGINNING: readonly EventData[] = [
  {
    type: "run-created",
    workflow: "code-review",
    instance: "pr-123",
    definitionHash: "d00d",
    program: "pattern/dag",
    seed: "seed",
    troupe: "0.1.0",
    cwd: "/project",
    limits: {},
  },
  { type: "run-started", epoch: 1 },
];

/** A run in which most things happen, told by the events from its creation to its end. */
export const SAMPLE: readonly EventData[] = [
  ...BEGINNING,
  spawned(agent, "codex", "gpt-5"),
  spawned("reviewer", "claude"),
  { type: "operation-scheduled", op: "turn#1", kind: "turn", input: { agent } },
  { ...step, type: "step-started", attempt: 1, agent },
  { type: "agent-ready", agent, session: "coder-1" },
  turnStarted(agent, turn),
  { type: "tool-called", agent, turn, call: "c1", tool: "Bash", input: { command: "npm test" } },
  {
    type: "tool-returned",
    agent,
    turn,
    call: "c1",
    tool: "Bash",
    isError: false,
    result: "3/4",
  },
  { type: "file-changed", agent, turn, path: "src/auth.ts", kind: "edit" },
  { ...posted, id: "m1", from: "reviewer", text: "@coder found an issue in line 42\nDetails: ..." },
  { ...posted, id: "m2", from: "lead", text: "please \u001b]0;x\u0007fix \u202eit", to: [agent] },
  { ...posted, id: "m3", from: agent, text: "building", channel: "ops" },
  { type: "message-delivered", agent, ids: ["m2"], turn },
  {
    type: "document-changed",
    document: "notes",
    revision: 1,
    by: agent,
    change: { kind: "append", text: "finding 1\n" },
  },
  {
    type: "permission-requested",
    id: "prm_1",
    agent,
    turn,
    tool: "Bash",
    input: { command: "rm -rf build" },
  },
  {
    type: "permission-resolved",
    id: "prm_1",
    decision: "denied",
    by: "user",
    comment: "use npm run clean",
  },
  { type: "question-asked", id: "qst_1", agent, turn, text: "Which DB should I use?" },
  { type: "question-answered", id: "qst_1", answer: "SQLite", by: "user" },
  {
    type: "signal-received",
    agent,
    turn,
    signal: { kind: "vote", value: "approve", by: "text" },
    counted: false,
    refused: "this run takes no votes",
  },
  {
    type: "turn-completed",
    agent,
    turn,
    text: "fixed",
    stopReason: "end_turn",
    signals: [],
    usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.4 },
  },
  {
    type: "verification-failed",
    note: "v1",
    step: "test",
    check: "npm test",
    output: "1 failing\nFAIL auth.test.ts:42\n",
  },
  { ...step, type: "step-retrying", attempt: 1, error, delayMs: 5000, agent },
  { ...step, type: "step-started", attempt: 2, agent },
  turnStarted(agent, 2),
  { type: "turn-failed", agent, turn: 2, error: { code: "OVERLOADED", message: "busy" } },
  { type: "agent-status", agent, status: "stuck", reason: "no event for 5m" },
  { type: "verification-passed", note: "v2", step: "test", check: "npm test" },
  {
    ...step,
    type: "step-completed",
    attempt: 2,
    output: "4/4 tests pass\nsee notes",
    reason: "verified",
    durationMs: 58_000,
    agent,
  },
  { ...step, step: "docs", path: "docs", type: "step-skipped", reason: "when is false" },
  {
    type: "pattern-advanced",
    note: "p",
    kind: "round",
    data: { round: 2, of: 4, spoke: ["coder"], news: 1 },
  },
  { type: "log", note: "l1", level: "info", text: "halfway" },
  { type: "log", note: "l2", level: "warning", text: "no tests for auth.ts" },
  {
    type: "approval-requested",
    approval: "apr_91",
    op: "approval#1",
    message: 'Push 3 files to "origin/fix-auth"?',
    step: "deploy",
    hash: "abc",
  },
  { type: "approval-resolved", approval: "apr_91", decision: "approved", by: "user" },
  {
    ...step,
    step: "deploy",
    path: "deploy",
    type: "step-completed",
    attempt: 1,
    output: "pushed 3 files\n\u001b[32mdone\u001b[0m",
    reason: "exit",
    durationMs: 4200,
    reusedFrom: { run: "run_7k1c", seq: 40 },
  },
  { type: "message-dead", agent: "reviewer", id: "m2", attempts: 5 },
  { type: "session-ended", agent, session: "coder-1", reason: "done" },
  { type: "agent-exited", agent, reason: "released" },
  {
    type: "run-ended",
    outcome: "completed",
    reason: "3 of 3 steps done",
    resumable: false,
    exitCode: 0,
    durationMs: 104_000,
    result: { pattern: "dag", success: true },
  },
];

/** A run whose step failed and that still waits for an approval. */
export const WAITING: readonly EventData[] = [
  ...BEGINNING,
  { ...step, type: "step-started", attempt: 1 },
  { ...step, type: "step-failed", attempt: 3, error, durationMs: 900 },
  { ...step, step: "report", path: "report", type: "step-blocked", by: ["test"] },
  { ...step, step: "lint", path: "all[0]/lint", type: "step-started", attempt: 1, agent },
  { ...step, step: "lint", path: "all[0]/lint", type: "step-cancelled", reason: "race lost" },
  {
    type: "approval-requested",
    approval: "apr_91",
    op: "approval#1",
    message: "Push?",
    step: "deploy",
    hash: "abc",
  },
  {
    type: "run-suspended",
    reason: "waiting",
    exitCode: 3,
    waitingFor: [{ id: "apr_91", kind: "approval", text: "Push?", step: "deploy" }],
  },
];
