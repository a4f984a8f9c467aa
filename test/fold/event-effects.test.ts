import { expect, test } from "vitest";
import type { ChildUse } from "../../src/contracts/budget.ts";
import type { NudgeRung } from "../../src/contracts/events/agent-events.ts";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { isPostedUnder } from "../../src/fold/state/message-source.ts";
import type { RunState } from "../../src/fold/state/run-state.ts";
import { isWaitingForPerson, waitingItems } from "../../src/fold/waiting.ts";
import {
  approvalRequested,
  created,
  journal,
  permissionRequested,
  permissionResolved,
  posted,
  START_MS,
  scheduled,
  settled,
  spawned,
  started,
  turnCompleted,
  turnFailed,
  turnStarted,
} from "./journal-builder.ts";

/** What one event does to the part of the state that it is about. */
interface Effect {
  /** What stands between `run-started` and the event. */
  readonly given?: readonly EventData[];
  readonly event: EventData;
  readonly look: (state: RunState) => unknown;
  readonly expected: unknown;
}

const failure = { exitCode: 1, signal: null, stdout: "a", stderr: "b", report: "exit 1: b" };
const error = { code: "STEP_X", message: "broke" };
const noted = { note: "n", step: "test", path: "all[0]/test", execution: 1 };
const stepStarted: EventData = { ...noted, type: "step-started", attempt: 1, agent: "coder" };
const turn = [spawned("coder"), turnStarted("coder", 1)];
const place = { step: "test", path: "all[0]/test", execution: 1, attempt: 1, agent: "coder" };
const question: EventData = {
  type: "question-asked",
  id: "qst_a",
  agent: "coder",
  turn: 1,
  text: "Which?",
};
const agentApproval: EventData = {
  type: "approval-requested",
  approval: "apr_b",
  agent: "coder",
  turn: 1,
  message: "Push?",
  hash: "abc",
};
const request: EventData = {
  type: "request-received",
  request: "r1",
  agent: "coder",
  turn: 1,
  tool: "vote",
  arguments: {},
};
const step = (state: RunState) => state.steps.byPath.get("all[0]/test");
const coder = (state: RunState) => state.agents.get("coder");

const collab = { agent: "coder", turn: 1, call: "c1" };

const watcher: EventData = {
  type: "agent-spawned",
  agent: "watcher",
  backend: "script",
  spec: {
    id: "watcher",
    backend: "script",
    shadow: { of: "coder", receiveIncoming: true, receiveOutgoing: true, speakOn: [] },
  },
};
const copied = {
  ...{ id: "m1", seq: 5, attempts: 0, turn: undefined },
  copy: { of: "coder", direction: "incoming" },
};

const reserved: EventData = {
  type: "budget-reserved",
  reservation: "coder#1@1",
  agent: "coder",
  turn: 1,
  step: "test",
  around: ["checks"],
  amounts: { cost: 2, turns: 1 },
};
const nudged = (rung: NudgeRung): EventData => ({
  type: "agent-nudged",
  agent: "coder",
  turn: 1,
  session: "coder/main",
  rung,
  observation: "silent",
});
const UNUSED = { cost: 0, tokens: 0, turns: 0, messages: 0, agents: 0, handoffs: 0 };
const ASSUMED = { cost: 1, workedMs: 500, isEstimate: true };

const worktree = { root: "/r", path: "/w", branch: "b", base: "c1" };

const childStarted: EventData = {
  type: "child-started",
  ...{ child: "run_b", op: "child#1", workflow: "review", step: "review", path: "review" },
};
const spentBelow = (use: Partial<ChildUse>): EventData => ({
  type: "child-spent",
  ...{ child: "run_b", op: "child#1" },
  use: { ...UNUSED, workedMs: 0, isEstimate: false, ...use },
});

const recorded = { agent: "coder", turn: 1, session: "coder/main", ref: "b".repeat(64) };
const ready: EventData = {
  type: "agent-ready",
  agent: "coder",
  session: "coder/main",
  resume: "token",
};
const lastEntry = (state: RunState) => coder(state)?.records.get("token");

const EFFECTS: { readonly [Type in EventData["type"]]: Effect } = {
  "model-called": {
    given: [spawned("coder"), ready, turnStarted("coder", 1)],
    event: {
      type: "model-called",
      ...recorded,
      call: 1,
      model: "anthropic/claude",
      request: "c".repeat(64),
      usage: { inputTokens: 3 },
    },
    look: (state) => [lastEntry(state), coder(state)?.turns.get(1)?.answered],
    expected: ["b".repeat(64), { inputTokens: 3 }],
  },
  "context-compacted": {
    given: [spawned("coder"), ready],
    event: { type: "context-compacted", ...recorded, before: 9, after: 4 },
    look: lastEntry,
    expected: "b".repeat(64),
  },
  "session-noted": {
    given: [spawned("coder"), ready],
    event: { type: "session-noted", ...recorded, what: "told" },
    look: lastEntry,
    expected: "b".repeat(64),
  },
  "budget-reserved": {
    given: turn,
    event: reserved,
    look: ({ budget }) => [...budget.reservations.values()],
    expected: [
      {
        ...{ id: "coder#1@1", agent: "coder", turn: 1, step: "test", around: ["checks"] },
        above: [],
        amounts: { cost: 2, turns: 1 },
      },
    ],
  },
  "budget-settled": {
    given: [...turn, reserved],
    event: {
      type: "budget-settled",
      reservation: "coder#1@1",
      agent: "coder",
      turn: 1,
      step: "test",
      around: ["checks"],
      amounts: { cost: 3, turns: 1 },
      assumed: { cost: 1 },
      workedMs: 500,
    },
    look: ({ budget }) => [budget.reservations.size, budget.run, Object.fromEntries(budget.steps)],
    expected: [
      0,
      { ...UNUSED, ...ASSUMED, agents: 1 },
      { test: { ...UNUSED, ...ASSUMED }, checks: { ...UNUSED, ...ASSUMED } },
    ],
  },
  "budget-warned": {
    event: {
      type: "budget-warned",
      of: "agent",
      agent: "coder",
      meter: "cost",
      limit: 5,
      spent: 4,
      cause: "soft",
    },
    look: ({ budget }) => [...budget.told.values()],
    expected: [5],
  },
  "budget-exceeded": {
    event: { type: "budget-exceeded", of: "run", meter: "turns", limit: 5, spent: 5, agent: "a" },
    look: ({ budget }) => budget.exceeded,
    expected: {
      ...{ meter: "turns", limit: 5, spent: 5, agent: "a", step: undefined, turn: undefined },
      ...{ child: undefined, isOfChild: false },
    },
  },
  "child-started": {
    event: childStarted,
    look: ({ children }) =>
      [...children.values()].map(({ child, path, end }) => [child, path, end]),
    expected: [["run_b", "review", undefined]],
  },
  "child-waiting": {
    given: [
      { type: "operation-scheduled", op: "child#1", kind: "child", input: null },
      childStarted,
    ],
    event: {
      type: "child-waiting",
      ...{ child: "run_b", op: "child#1", isBlocked: true },
      waitingFor: [{ id: "apr_1", kind: "approval", text: "ship?", run: "run_b" }],
    },
    look: (state) => [isWaitingForPerson(state), waitingItems(state)],
    expected: [true, [{ id: "apr_1", kind: "approval", text: "ship?", run: "run_b" }]],
  },
  "child-spent": {
    given: [
      { ...childStarted, step: "review", path: "refine[2]/review" },
      spentBelow({ cost: 1, turns: 1 }),
    ],
    event: spentBelow({ cost: 3, turns: 2, workedMs: 40 }),
    look: ({ budget: { run, steps } }) =>
      [run, steps.get("review"), steps.get("refine")].map((use) => [use?.cost, use?.workedMs]),
    expected: [
      [3, 40],
      [3, 40],
      [3, 40],
    ],
  },
  "child-ended": {
    given: [childStarted],
    event: {
      type: "child-ended",
      ...{ child: "run_b", op: "child#1", outcome: "rejected", reason: "no" },
    },
    look: ({ children }) => children.get("child#1")?.end?.outcome,
    expected: "rejected",
  },
  "run-created": {
    event: created,
    look: ({ run }) => [run.id, run.workflow, run.task, run.limits, run.createdAt],
    expected: ["run_a", "review", "fix it", { timeoutMs: 60_000 }, START_MS + 2000],
  },
  "run-started": {
    event: { type: "run-started", epoch: 3 },
    look: ({ phase, epoch, run }) => [phase.status, epoch, run.startedAt],
    expected: ["running", 3, START_MS + 1000],
  },
  "run-resumed": {
    given: [{ type: "run-suspended", reason: "paused", waitingFor: [], exitCode: 0 }],
    event: { type: "run-resumed", epoch: 2, limits: { timeoutMs: 1 } },
    look: ({ phase, epoch, run }) => [phase.status, epoch, run.limits],
    expected: ["running", 2, { timeoutMs: 1 }],
  },
  "run-forked": {
    given: [
      ...turn,
      {
        ...noted,
        type: "step-completed",
        attempt: 1,
        output: "old",
        reason: "exit",
        durationMs: 1,
      },
    ],
    event: {
      type: "run-forked",
      source: { run: "run_z", seq: 5 },
      seed: "fresh",
      set: { task: "other", steps: [{ path: "all[0]/test", execution: 1, output: "new" }] },
    },
    look: ({ phase, run, steps }) => [
      phase.status,
      run.task,
      run.forkedFrom,
      run.laterSeeds.map(({ seed }) => seed),
      steps.byPath.get("all[0]/test"),
    ],
    expected: [
      "suspended",
      "other",
      { run: "run_z", seq: 5 },
      ["fresh"],
      expect.objectContaining({ status: "completed", output: "new", text: "new" }),
    ],
  },
  "definition-changed": {
    event: { type: "definition-changed", definitionHash: "d2", file: "w.yaml", fileHash: "f2" },
    look: ({ run: { definitionHash, file, fileHash } }) => [definitionHash, file, fileHash],
    expected: ["d2", "w.yaml", "f2"],
  },
  "run-suspended": {
    event: { type: "run-suspended", reason: "paused", waitingFor: [], exitCode: 3 },
    look: ({ phase }) => phase,
    expected: {
      status: "suspended",
      reason: "paused",
      waitingFor: [],
      exitCode: 3,
      suspendedAt: START_MS + 2000,
    },
  },
  "run-ended": {
    given: [approvalRequested("apr_a", "approval#1")],
    event: {
      type: "run-ended",
      outcome: "completed",
      reason: "all done",
      resumable: false,
      exitCode: 0,
      durationMs: 7,
      result: 1,
    },
    look: ({ phase, inbox }) => [phase, inbox.size],
    expected: [
      {
        status: "ended",
        outcome: "completed",
        reason: "all done",
        resumable: false,
        exitCode: 0,
        durationMs: 7,
        result: 1,
        error: undefined,
        endedAt: START_MS + 3000,
      },
      0,
    ],
  },
  "cancellation-requested": {
    event: { type: "cancellation-requested", reason: "enough", by: "user" },
    look: ({ cancellation }) => cancellation,
    expected: { reason: "enough", by: "user", seq: 3 },
  },
  "requests-refused": {
    given: [{ type: "requests-refused", door: "tools", code: "MCP_ACCESS_DENIED", count: 1 }],
    event: { type: "requests-refused", door: "tools", code: "MCP_ACCESS_DENIED", count: 62 },
    look: ({ refusedRequests }) => [...refusedRequests],
    expected: [["MCP_ACCESS_DENIED", 63]],
  },
  "command-received": {
    event: { type: "command-received", command: { kind: "pause" }, by: "user" },
    look: ({ commands }) => commands,
    expected: [{ seq: 3, command: { kind: "pause" }, by: "user", at: START_MS + 2000 }],
  },
  "operation-scheduled": {
    event: scheduled("step#1", "step"),
    look: ({ operations }) => [...operations.open.values()],
    expected: [
      {
        op: "step#1",
        kind: "step",
        input: {},
        scheduledAt: START_MS + 2000,
        seq: 3,
        attempt: 1,
        failedAttempts: 0,
        ownerDeaths: 0,
        agent: undefined,
        turn: undefined,
        approval: undefined,
      },
    ],
  },
  "operation-attempted": {
    given: [
      scheduled("step#1", "step"),
      { type: "operation-attempted", op: "step#1", attempt: 2, cause: "owner-died" },
      { type: "operation-attempted", op: "step#1", attempt: 3, cause: "failed" },
      { type: "operation-attempted", op: "step#1", attempt: 4, cause: "owner-died" },
    ],
    event: { type: "operation-attempted", op: "step#1", attempt: 5, cause: "owner-died" },
    look: ({ operations }) => operations.open.get("step#1"),
    expected: expect.objectContaining({ attempt: 5, failedAttempts: 1, ownerDeaths: 2 }),
  },
  "operation-settled": {
    given: [scheduled("approval#1", "approval"), approvalRequested("apr_a", "approval#1")],
    event: settled("approval#1"),
    look: ({ operations, inbox }) => [operations.open.size, operations.settled, inbox.size],
    expected: [0, { ok: 1, error: 0, cancelled: 0 }, 0],
  },
  "agent-spawned": {
    event: spawned("coder", "keep"),
    look: (state) => [coder(state)?.status, coder(state)?.spec, state.agentIds],
    expected: [
      "starting",
      { id: "coder", backend: "script", session: "keep" },
      new Map([["coder", "coder"]]),
    ],
  },
  "agent-ready": {
    given: [spawned("coder")],
    event: { type: "agent-ready", agent: "coder", session: "s1", resume: "token" },
    look: (state) => [coder(state)?.status, coder(state)?.sessions.get("s1")],
    expected: ["idle", { session: "s1", isOpen: true, resume: "token" }],
  },
  "agent-status": {
    given: [spawned("coder")],
    event: { type: "agent-status", agent: "coder", status: "stuck", reason: "silent" },
    look: (state) => [coder(state)?.status, coder(state)?.statusReason],
    expected: ["stuck", "silent"],
  },
  "agent-placed": {
    given: [spawned("coder")],
    event: {
      type: "agent-placed",
      agent: "coder",
      isolation: "worktree",
      directory: "/w",
      worktree,
    },
    look: (state) => coder(state)?.place,
    expected: {
      ...{ directory: "/w", worktree },
      ...{ isConfined: undefined, isUsed: false, end: undefined },
    },
  },
  "place-breached": {
    given: [spawned("coder")],
    event: { type: "place-breached", agent: "coder", turn: 1, breaches: [], failed: true },
    look: (state) => coder(state)?.place,
    expected: undefined,
  },
  "place-settled": {
    given: [
      spawned("coder"),
      { type: "agent-placed", agent: "coder", isolation: "worktree", directory: "/w", worktree },
    ],
    event: { type: "place-settled", agent: "coder", branch: "b", commit: "c2", files: 3 },
    look: (state) => coder(state)?.place?.end,
    expected: { commit: "c2", files: 3 },
  },
  "status-set": {
    given: [spawned("coder")],
    event: { type: "status-set", agent: "coder", turn: 1, text: "running the tests" },
    look: (state) => coder(state)?.statusText,
    expected: "running the tests",
  },
  "agent-mode-set": {
    given: [spawned("coder")],
    event: { type: "agent-mode-set", agent: "coder", turn: 1, mode: "plan", by: "agent" },
    look: (state) => coder(state)?.mode,
    expected: "plan",
  },
  "agent-model-set": {
    given: [spawned("coder")],
    event: { type: "agent-model-set", agent: "coder", model: "m", by: "user" },
    look: (state) => coder(state)?.model,
    expected: "m",
  },
  "compaction-asked": {
    given: [spawned("coder")],
    event: { type: "compaction-asked", agent: "coder", by: "user" },
    look: (state) => coder(state)?.isToCompact,
    expected: true,
  },
  "session-ended": {
    given: [
      spawned("coder"),
      { type: "agent-ready", agent: "coder", session: "s1" },
      { type: "agent-ready", agent: "coder", session: "s2", resume: "token" },
      { type: "session-ended", agent: "coder", session: "s1", reason: "done" },
    ],
    event: { type: "session-ended", agent: "coder", session: "s2", reason: "crashed" },
    look: (state) => [[...(coder(state)?.sessions.values() ?? [])], coder(state)?.sessionsOpened],
    expected: [[{ session: "s2", isOpen: false, resume: "token" }], 2],
  },
  "collab-began": {
    given: turn,
    event: { type: "collab-began", ...collab, operation: "wait", agents: ["worker-1"] },
    look: (state) => [coder(state)?.turns.get(1)?.asks, state.activity.waitingTurns],
    expected: [new Set(["c1"]), 1],
  },
  "collab-ended": {
    given: turn,
    event: {
      type: "collab-ended",
      ...collab,
      operation: "spawn",
      agents: ["worker-1"],
      statuses: { "worker-1": "pending_init" },
      timedOut: false,
    },
    look: (state) => [...state.collabCalls],
    expected: [["c1", { agent: "worker-1", status: "pending_init" }]],
  },
  "author-told": {
    given: [...turn, { type: "author-told", agent: "coder", turn: 1, text: "first" }],
    event: { type: "author-told", agent: "coder", turn: 2, text: "second" },
    look: (state) => coder(state)?.told,
    expected: [
      { turn: 1, text: "first" },
      { turn: 2, text: "second" },
    ],
  },
  "agent-restarted": {
    given: [
      ...turn,
      { type: "agent-ready", agent: "coder", session: "coder/main", resume: "token" },
      nudged("nudge"),
    ],
    event: { type: "agent-restarted", agent: "coder", by: "user" },
    look: (state) => [
      [...(coder(state)?.sessions.values() ?? [])].map(({ resume }) => resume),
      coder(state)?.nudges.size,
    ],
    expected: [[undefined], 0],
  },
  "agent-nudged": {
    given: [...turn, nudged("nudge")],
    event: nudged("interrupt"),
    look: (state) => coder(state)?.nudges,
    expected: new Map([
      [
        "coder/main",
        [
          { rung: "nudge", observation: "silent", at: START_MS + 1000 * (turn.length + 2) },
          { rung: "interrupt", observation: "silent", at: START_MS + 1000 * (turn.length + 3) },
        ],
      ],
    ]),
  },
  "agent-exited": {
    given: [spawned("coder")],
    event: { type: "agent-exited", agent: "coder", reason: "failed", error },
    look: (state) => [coder(state)?.status, coder(state)?.exit],
    expected: ["exited", { reason: "failed", error, exitedAt: START_MS + 3000 }],
  },
  "turn-started": {
    given: [spawned("coder")],
    event: turnStarted("coder", 1),
    look: (state) => [
      coder(state)?.status,
      coder(state)?.lastTurn,
      coder(state)?.turns.get(1)?.key,
    ],
    expected: ["working", 1, "run_a/coder/1"],
  },
  "turn-completed": {
    given: turn,
    event: turnCompleted("coder", 1, "fin"),
    look: (state) => [
      coder(state)?.status,
      coder(state)?.turns.size,
      coder(state)?.turnsByStep,
      coder(state)?.lastText,
      coder(state)?.usage,
      state.usage,
    ],
    expected: [
      "idle",
      0,
      new Map([["", 1]]),
      "fin",
      { inputTokens: 10, costUsd: 0.25 },
      { inputTokens: 10, costUsd: 0.25 },
    ],
  },
  "turn-failed": {
    given: turn,
    event: turnFailed("coder", 1),
    look: (state) => [coder(state)?.status, coder(state)?.turnsEnded, coder(state)?.usage],
    expected: ["idle", 1, {}],
  },
  "turn-interrupted": {
    given: turn,
    event: { type: "turn-interrupted", agent: "coder", turn: 1, reason: "owner-died" },
    look: (state) => [
      coder(state)?.turns.size,
      coder(state)?.interruptedTurns.get(1)?.key,
      coder(state)?.turnsEnded,
    ],
    expected: [0, "run_a/coder/1", 0],
  },
  "tool-called": {
    event: { type: "tool-called", agent: "coder", turn: 1, call: "c", tool: "Bash", input: {} },
    look: ({ toolCalls }) => toolCalls,
    expected: 1,
  },
  "tool-returned": {
    event: {
      type: "tool-returned",
      agent: "coder",
      turn: 1,
      call: "c",
      tool: "Bash",
      isError: false,
      result: "ok",
    },
    look: ({ toolCalls, lastSeq }) => [toolCalls, lastSeq],
    expected: [0, 3],
  },
  "file-changed": {
    event: { type: "file-changed", agent: "coder", turn: 1, path: "a.ts", kind: "edit" },
    look: ({ changedFiles }) => changedFiles,
    expected: new Map([["a.ts", { kind: "edit", agent: "coder" }]]),
  },
  "signal-received": {
    given: [
      spawned("coder"),
      {
        type: "signal-received",
        agent: "coder",
        turn: 1,
        signal: { kind: "vote", value: "approve", by: "text" },
        counted: false,
        refused: "quoted",
      },
    ],
    event: {
      type: "signal-received",
      agent: "coder",
      turn: 1,
      signal: { kind: "done", value: "fixed", by: "tool" },
      counted: true,
    },
    look: (state) => [[...(coder(state)?.signals.keys() ?? [])], coder(state)?.summary],
    expected: [["done"], "fixed"],
  },
  "message-posted": {
    event: {
      type: "message-posted",
      id: "m1",
      from: "lead",
      text: "hi",
      mentions: [],
      signals: [],
      key: "k1",
    },
    look: ({ messages }) => [
      messages.recent,
      messages.byChannel.get("main"),
      isPostedUnder({ messages }, "k1"),
    ],
    expected: [
      [
        {
          id: "m1",
          seq: 3,
          timestamp: "2026-01-01T10:00:02.000Z",
          from: "lead",
          channel: "main",
          text: "hi",
          mentions: [],
          signals: [],
        },
      ],
      [3],
      true,
    ],
  },
  "message-copied": {
    given: [spawned("coder"), watcher, posted("m1", ["coder"])],
    event: {
      type: "message-copied",
      agent: "watcher",
      id: "m1",
      of: "coder",
      direction: "incoming",
    },
    look: ({ mailboxes }) => mailboxes.get("watcher"),
    expected: {
      agent: "watcher",
      items: new Map([["m1", { ...copied, wakes: false }]]),
      takenByTurn: new Map(),
      pending: 1,
      waking: 0,
    },
  },
  "shadow-called": {
    given: [
      spawned("coder"),
      watcher,
      posted("m1", ["coder"]),
      { type: "message-copied", agent: "watcher", id: "m1", of: "coder", direction: "incoming" },
    ],
    event: { type: "shadow-called", agent: "watcher", id: "m1", trigger: "ALL_MESSAGES" },
    look: ({ mailboxes }) => [
      mailboxes.get("watcher")?.items.get("m1"),
      mailboxes.get("watcher")?.waking,
    ],
    expected: [{ ...copied, wakes: true }, 1],
  },
  "message-delivered": {
    given: [posted("m1", ["coder"])],
    event: { type: "message-delivered", agent: "coder", ids: ["m1"], turn: 1 },
    look: ({ mailboxes }) => mailboxes.get("coder"),
    expected: {
      agent: "coder",
      items: new Map([
        ["m1", { id: "m1", seq: 3, copy: undefined, wakes: true, attempts: 0, turn: 1 }],
      ]),
      takenByTurn: new Map([[1, ["m1"]]]),
      pending: 0,
      waking: 0,
    },
  },
  "message-acked": {
    given: [posted("m1", ["coder"])],
    event: { type: "message-acked", agent: "coder", ids: ["m1"] },
    look: ({ mailboxes }) => [mailboxes.get("coder")?.items.size, mailboxes.get("coder")?.pending],
    expected: [0, 0],
  },
  "message-dead": {
    given: [posted("m1", ["coder"])],
    event: { type: "message-dead", agent: "coder", id: "m1", attempts: 5 },
    look: ({ deadLetters }) => deadLetters,
    expected: [{ agent: "coder", id: "m1", attempts: 5, seq: 4 }],
  },
  "document-changed": {
    given: [
      {
        type: "document-changed",
        document: "notes",
        revision: 1,
        by: "lead",
        change: { kind: "write", text: "one" },
        owner: "lead",
      },
    ],
    event: {
      type: "document-changed",
      document: "notes",
      revision: 2,
      by: "coder",
      change: { kind: "append", text: "+two" },
      key: "k",
    },
    look: ({ documents }) => [documents.byName.get("notes"), documents.revisionByKey.get("k")],
    expected: [
      {
        name: "notes",
        revision: 2,
        text: "one+two",
        by: "coder",
        owner: "lead",
        changedAt: START_MS + 3000,
        seq: 4,
      },
      { name: "notes", revision: 2 },
    ],
  },
  "approval-requested": {
    event: approvalRequested("apr_a", "approval#1"),
    look: ({ inbox }) => inbox.get("apr_a"),
    expected: {
      kind: "approval",
      id: "apr_a",
      text: "Push?",
      createdAt: START_MS + 2000,
      seq: 3,
      op: "approval#1",
      agent: undefined,
      turn: undefined,
      step: undefined,
      show: undefined,
      hash: "abc",
      expiresAt: undefined,
    },
  },
  "approval-deferred": {
    given: [...turn, agentApproval],
    event: { type: "approval-deferred", approval: "apr_b", agent: "coder", turn: 1 },
    look: ({ inbox, activity, agents }) => [
      inbox.get("apr_b"),
      activity.waitingTurns,
      agents.get("coder")?.status,
    ],
    expected: [
      expect.objectContaining({ kind: "approval", agent: "coder", turn: undefined, hash: "abc" }),
      0,
      "working",
    ],
  },
  "approval-resolved": {
    given: [
      approvalRequested("apr_a", "approval#1"),
      { type: "approval-resolved", approval: "apr_a", decision: "rejected", by: "user" },
    ],
    event: { type: "approval-resolved", approval: "apr_a", decision: "approved", by: "timeout" },
    look: ({ inbox, resolved }) => [inbox.size, resolved.get("apr_a")],
    expected: [
      0,
      {
        kind: "approval",
        decision: "rejected",
        by: "user",
        at: START_MS + 3000,
        comment: undefined,
        edited: undefined,
      },
    ],
  },
  "permission-requested": {
    given: turn,
    event: permissionRequested("prm_a", "coder", 1),
    look: (state) => [state.inbox.get("prm_a")?.text, coder(state)?.status],
    expected: ["Bash: rm -rf build", "waiting-permission"],
  },
  "permission-resolved": {
    given: [...turn, permissionRequested("prm_a", "coder", 1)],
    event: permissionResolved("prm_a"),
    look: (state) => [state.inbox.size, coder(state)?.status, state.resolved.get("prm_a")],
    expected: [
      0,
      "working",
      {
        kind: "permission",
        decision: "allowed",
        by: "user",
        at: START_MS + 5000,
        comment: undefined,
      },
    ],
  },
  "permission-used": {
    given: [...turn, permissionRequested("prm_a", "coder", 1), permissionResolved("prm_a")],
    event: { type: "permission-used", id: "prm_a", agent: "coder", turn: 1, attempt: 1 },
    look: (state) => [...(coder(state)?.turns.get(1)?.trail.used ?? [])],
    expected: ["prm_a"],
  },
  "turn-marked": {
    given: turn,
    event: { type: "turn-marked", agent: "coder", turn: 1, mark: { commit: "c1", differing: {} } },
    look: (state) => coder(state)?.turns.get(1)?.trail.mark,
    expected: { commit: "c1", differing: {} },
  },
  "question-asked": {
    given: turn,
    event: question,
    look: ({ inbox, activity }) => [inbox.get("qst_a")?.text, activity.waitingTurns],
    expected: ["Which?", 1],
  },
  "question-answered": {
    given: [...turn, question],
    event: { type: "question-answered", id: "qst_a", answer: "this", by: "user" },
    look: ({ inbox, resolved }) => [inbox.size, resolved.get("qst_a")],
    expected: [0, { kind: "question", answer: "this", by: "user", at: START_MS + 5000 }],
  },
  "request-received": {
    event: request,
    look: ({ requests }) => requests.get("r1"),
    expected: { request: "r1", agent: "coder", turn: 1, tool: "vote", arguments: {}, seq: 3 },
  },
  "request-answered": {
    given: [request],
    event: { type: "request-answered", request: "r1", value: null, isError: false },
    look: ({ requests }) => requests.size,
    expected: 0,
  },
  "step-started": {
    event: stepStarted,
    look: step,
    expected: { ...place, status: "running", startedAt: START_MS + 2000, seq: 3 },
  },
  "step-completed": {
    given: [stepStarted],
    event: {
      ...noted,
      type: "step-completed",
      attempt: 1,
      output: "out",
      reason: "done-signal",
      durationMs: 5,
    },
    look: (state) => [step(state), state.steps.counts.completed, state.steps.counts.running],
    expected: [
      {
        ...place,
        status: "completed",
        output: "out",
        outputTruncated: false,
        text: "out",
        reason: "done-signal",
        durationMs: 5,
        outcome: undefined,
        reusedFrom: undefined,
        startedAt: START_MS + 2000,
        endedAt: START_MS + 3000,
        seq: 4,
      },
      1,
      0,
    ],
  },
  "step-failed": {
    given: [stepStarted],
    event: { ...noted, type: "step-failed", attempt: 1, error, durationMs: 5, failure, said: "no" },
    look: step,
    expected: {
      ...place,
      status: "failed",
      error,
      failure,
      said: "no",
      durationMs: 5,
      startedAt: START_MS + 2000,
      endedAt: START_MS + 3000,
      seq: 4,
    },
  },
  "step-retrying": {
    given: [stepStarted],
    event: { ...noted, type: "step-retrying", attempt: 1, error, delayMs: 100 },
    look: (state) => [step(state)?.status, state.steps.retries],
    expected: ["retrying", 1],
  },
  "step-skipped": {
    event: { ...noted, type: "step-skipped", reason: "when" },
    look: step,
    expected: {
      ...place,
      attempt: 0,
      agent: undefined,
      status: "skipped",
      reason: "when",
      startedAt: undefined,
      endedAt: START_MS + 2000,
      seq: 3,
    },
  },
  "step-blocked": {
    event: { ...noted, type: "step-blocked", by: ["plan"] },
    look: (state) => [step(state)?.status, state.steps.counts.blocked],
    expected: ["blocked", 1],
  },
  "step-cancelled": {
    given: [stepStarted],
    event: { ...noted, type: "step-cancelled", reason: "race lost" },
    look: step,
    expected: {
      ...place,
      status: "cancelled",
      reason: "race lost",
      startedAt: START_MS + 2000,
      endedAt: START_MS + 3000,
      seq: 4,
    },
  },
  "tests-changed": {
    event: { type: "tests-changed", note: "n", step: "test", files: ["a.test.ts"], more: 2 },
    look: ({ steps }) => steps.changedTests.get("test"),
    expected: { files: ["a.test.ts"], more: 2 },
  },
  "verification-passed": {
    event: { type: "verification-passed", note: "n", step: "test", check: "npm test" },
    look: ({ steps }) => steps.verifications.get("test"),
    expected: { check: "npm test", hasPassed: true, output: "", seq: 3 },
  },
  "verification-failed": {
    event: {
      type: "verification-failed",
      note: "n",
      step: "test",
      check: "npm test",
      output: "3/4",
    },
    look: ({ steps }) => steps.verifications.get("test"),
    expected: { check: "npm test", hasPassed: false, output: "3/4", seq: 3 },
  },
  "pattern-advanced": {
    event: { type: "pattern-advanced", note: "n", kind: "round", data: 2 },
    look: ({ lastSeq, lastAt }) => [lastSeq, lastAt],
    expected: [3, START_MS + 2000],
  },
  "reflection-made": {
    event: {
      type: "reflection-made",
      note: "n",
      by: "lead",
      synthesis: "on its way",
      focalPoints: ["Is anybody stuck?"],
      adjustments: [{ agent: "a", action: "release", result: "done" }],
      confidence: 0.5,
      importance: 51,
    },
    look: ({ reflections }) => reflections,
    expected: [
      {
        by: "lead",
        synthesis: "on its way",
        focalPoints: ["Is anybody stuck?"],
        adjustments: [{ agent: "a", action: "release", result: "done" }],
        confidence: 0.5,
        importance: 51,
        seq: 3,
        at: START_MS + 2000,
      },
    ],
  },
  "record-added": {
    given: [
      spawned("coder"),
      { type: "record-added", note: "n", by: "user", record: { kind: "finding", text: "wet" } },
    ],
    event: {
      ...{ type: "record-added", note: "m", by: "coder", agent: "coder", turn: 1 },
      record: { kind: "decision", chosen: "steel" },
    },
    look: ({ records }) => [...records],
    expected: [["coder", [{ kind: "decision", chosen: "steel" }]]],
  },
  "guard-tripped": {
    event: {
      type: "guard-tripped",
      note: "n",
      guard: "max_iterations",
      reason: "100 steps have run",
      path: ["plan"],
    },
    look: ({ lastSeq, lastAt }) => [lastSeq, lastAt],
    expected: [3, START_MS + 2000],
  },
  log: {
    event: { type: "log", note: "n", level: "warning", text: "careful" },
    look: ({ logs }) => logs,
    expected: { info: 0, warning: 1, error: 0 },
  },
};

test.each(Object.entries(EFFECTS))("the effect of %s on the state", (_, effect) => {
  const { given = [], event, look, expected } = effect;
  expect(look(foldAll("run_a", journal([created, started, ...given, event])))).toEqual(expected);
});

test("an event type of a later version changes nothing but the position", () => {
  const before = foldAll("run_a", journal([created, started]));
  const later = JSON.parse(JSON.stringify({ ...journal([created])[0], type: "toString", seq: 3 }));
  const state = foldAll("run_a", [...journal([created, started]), later]);
  expect({ ...state, lastSeq: 2 }).toEqual({
    ...before,
    lastAt: START_MS,
    runningTime: { totalMs: 0, ownedMs: 0, countedUntil: START_MS },
  });
});

test("a command stays open until its effect is in the journal", () => {
  const command: EventData = {
    type: "command-received",
    by: "user",
    command: { kind: "resolve-approval", approval: "apr_a", decision: "approved" },
  };
  const given = [created, started, approvalRequested("apr_a", "approval#1"), command];
  expect(foldAll("run_a", journal(given)).commands).toHaveLength(1);
  const resolved: EventData = {
    type: "approval-resolved",
    approval: "apr_a",
    decision: "approved",
    by: "user",
  };
  expect(foldAll("run_a", journal([...given, resolved])).commands).toEqual([]);
});

test("a resume takes back a pause that was asked for before", () => {
  const pause: EventData = { type: "command-received", by: "user", command: { kind: "pause" } };
  const state = foldAll(
    "run_a",
    journal([created, started, pause, { type: "run-resumed", epoch: 2 }]),
  );
  expect(state.commands).toEqual([]);
});

test("a turn that starts again keeps its number and is no longer to be started", () => {
  const cutOff: EventData = {
    type: "turn-interrupted",
    agent: "coder",
    turn: 1,
    reason: "suspended",
  };
  const again: EventData = {
    type: "turn-started",
    agent: "coder",
    turn: 1,
    attempt: 2,
    session: "coder-1",
    key: "run_a/coder/1",
    items: [],
  };
  const agent = coder(foldAll("run_a", journal([created, started, ...turn, cutOff, again])));
  expect([agent?.turns.size, agent?.interruptedTurns.size, agent?.lastTurn]).toEqual([1, 0, 1]);
});
