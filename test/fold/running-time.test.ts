import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { runningMsAt } from "../../src/fold/running-time.ts";
import { isWaitingForPerson, runStatus } from "../../src/fold/waiting.ts";
import {
  approvalRequested,
  created,
  ended,
  journal,
  permissionRequested,
  permissionResolved,
  START_MS,
  scheduled,
  settled,
  spawned,
  started,
  turnCompleted,
  turnStarted,
} from "./journal-builder.ts";

type Entry = readonly [number, EventData];

const log: EventData = { type: "log", note: "n", level: "info", text: "x" };
const resumed: EventData = { type: "run-resumed", epoch: 2 };
const suspended: EventData = {
  type: "run-suspended",
  reason: "interrupted",
  waitingFor: [],
  exitCode: 130,
};
const approved: EventData = {
  type: "approval-resolved",
  approval: "apr_a",
  decision: "approved",
  by: "user",
};

function stateAfter(entries: readonly Entry[]) {
  return foldAll("run_a", journal([[0, created], [0, started], ...entries]));
}

function runningMs(entries: readonly Entry[]): number {
  return stateAfter(entries).runningTime.totalMs;
}

test("time between events of a live run counts", () => {
  expect(
    runningMs([
      [700, log],
      [1000, log],
    ]),
  ).toBe(1000);
});

test("the gap before a resume after a crash does not count", () => {
  expect(
    runningMs([
      [1000, log],
      [9000, resumed],
      [9500, log],
    ]),
  ).toBe(1500);
});

test("a suspension does not count", () => {
  expect(
    runningMs([
      [1000, log],
      [2000, suspended],
      [9000, resumed],
      [9500, log],
    ]),
  ).toBe(2500);
});

const FINDING: EventData = {
  ...{ type: "record-added", note: "n", by: "user" },
  record: { kind: "finding", text: "wet" },
};

test.each<EventData>([
  { type: "command-received", command: { kind: "pause" }, by: "user" },
  FINDING,
])("$type that was recorded after a crash does not make the gap count", (command) => {
  expect(
    runningMs([
      [1000, log],
      [5000, command],
      [9000, resumed],
      [9500, log],
    ]),
  ).toBe(1500);
  expect(
    runningMs([
      [1000, log],
      [5000, command],
      [6000, log],
    ]),
  ).toBe(6000);
});

test("an approval that nothing else goes on beside stops the clock", () => {
  const entries: readonly Entry[] = [
    [100, scheduled("approval#1", "approval")],
    [100, approvalRequested("apr_a", "approval#1")],
    // What only listens or counts time does not keep the run going.
    [100, scheduled("next#1", "next")],
    [100, scheduled("quiescent#1", "quiescent")],
    [100, scheduled("deadline#1", "deadline")],
  ];
  const state = stateAfter(entries);
  expect(isWaitingForPerson(state)).toBe(true);
  expect(runStatus(state)).toBe("waiting");
  expect(runningMsAt(state, START_MS + 90_000)).toBe(100);
  const decided = stateAfter([...entries, [50_000, approved], [50_100, settled("approval#1")]]);
  expect(decided.runningTime).toMatchObject({ totalMs: 200, ownedMs: 50_100 });
});

test("an approval beside a turn that works leaves the clock running", () => {
  const state = stateAfter([
    [0, spawned("coder")],
    [0, scheduled("turn#1", "turn", "coder")],
    [0, turnStarted("coder", 1, { ops: ["turn#1"] })],
    [100, scheduled("approval#1", "approval")],
    [100, approvalRequested("apr_a", "approval#1")],
    [1000, log],
  ]);
  expect(runStatus(state)).toBe("running");
  expect(state.runningTime.totalMs).toBe(1000);
  expect(runningMsAt(state, START_MS + 1500)).toBe(1500);
});

test("a turn that waits for a permission stops the clock until it is resolved", () => {
  const entries: readonly Entry[] = [
    [0, spawned("coder")],
    [0, scheduled("turn#1", "turn", "coder")],
    [100, turnStarted("coder", 1, { ops: ["turn#1"] })],
    [200, permissionRequested("prm_a", "coder", 1)],
  ];
  expect(runStatus(stateAfter(entries))).toBe("waiting");
  expect(stateAfter(entries).agents.get("coder")?.status).toBe("waiting-permission");
  const resolved: readonly Entry[] = [...entries, [5000, permissionResolved("prm_a")]];
  expect(stateAfter(resolved).agents.get("coder")?.status).toBe("working");
  expect(runningMs([...resolved, [5100, turnCompleted("coder", 1)]])).toBe(300);
});

test("a prompt queued behind a waiting turn of the only session waits as well", () => {
  const entries = (session: "keep" | "fresh"): readonly Entry[] => [
    [0, spawned("coder", session)],
    [0, scheduled("turn#1", "turn", "coder")],
    [0, turnStarted("coder", 1, { ops: ["turn#1"] })],
    [0, permissionRequested("prm_a", "coder", 1)],
    [0, scheduled("turn#2", "turn", "coder")],
  ];
  expect(isWaitingForPerson(stateAfter(entries("keep")))).toBe(true);
  expect(isWaitingForPerson(stateAfter(entries("fresh")))).toBe(false);
});

test("a prompt that is settled while its turn waits for a person is no longer counted", () => {
  const state = stateAfter([
    [0, spawned("coder")],
    [0, scheduled("turn#1", "turn", "coder")],
    [0, turnStarted("coder", 1, { ops: ["turn#1"] })],
    [0, permissionRequested("prm_a", "coder", 1)],
    [10, settled("turn#1")],
  ]);
  expect(state.activity).toEqual({
    work: 0,
    blockedPrompts: 0,
    blockedChildren: 0,
    runningTurns: 1,
    waitingTurns: 1,
  });
});

test("nothing is waited for any more once the turn that asked is over", () => {
  const state = stateAfter([
    [0, spawned("coder")],
    [0, turnStarted("coder", 1)],
    [0, permissionRequested("prm_a", "coder", 1)],
    [10, { type: "turn-interrupted", agent: "coder", turn: 1, reason: "owner-died" }],
  ]);
  expect(state.inbox.size).toBe(0);
  expect(state.activity).toEqual({
    work: 0,
    blockedPrompts: 0,
    blockedChildren: 0,
    runningTurns: 0,
    waitingTurns: 0,
  });
});

test("a clock that runs backwards takes nothing away", () => {
  expect(
    runningMs([
      [1000, log],
      [500, log],
      [700, log],
    ]),
  ).toBe(1200);
});

test("a duration below nothing, as a clock that was set back left it in earlier journals, is none", () => {
  const step = { step: "a", path: "a", execution: 1, attempt: 1 };
  const failure = { code: "X", message: "x" };
  const state = stateAfter([
    [0, { type: "step-started", ...step, note: "n1" }],
    [0, { type: "step-failed", ...step, error: failure, durationMs: -3_600_000, note: "n2" }],
    [0, { type: "step-started", ...step, path: "b", note: "n3" }],
    [
      0,
      {
        type: "step-completed",
        ...step,
        path: "b",
        output: "",
        reason: "exit",
        durationMs: -5,
        note: "n4",
      },
    ],
    [0, { ...ended, durationMs: -3_600_000 }],
  ]);
  const steps = [...state.steps.byPath.values()];
  expect(steps.map((each) => "durationMs" in each && each.durationMs)).toEqual([0, 0]);
  expect(state.phase).toMatchObject({ durationMs: 0 });
  expect(state.runningTime.totalMs).toBe(0);
});

test("an ended run that is resumable goes on counting where it stopped", () => {
  const ended: EventData = {
    type: "run-ended",
    outcome: "limit-reached",
    reason: "timeout",
    resumable: true,
    exitCode: 5,
    durationMs: 1000,
    result: null,
  };
  const state = stateAfter([
    [1000, ended],
    [9000, { type: "run-resumed", epoch: 2, limits: { timeoutMs: 120_000 } }],
    [9500, log],
  ]);
  expect(runStatus(state)).toBe("running");
  expect(state.run.limits).toEqual({ timeoutMs: 120_000 });
  expect(state.runningTime.totalMs).toBe(1500);
});
