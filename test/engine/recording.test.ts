import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";
import { Recording } from "../../src/engine/recording.ts";
import type { Json } from "../../src/foundation/json.ts";

function recordingOf(data: readonly EventData[]): Recording {
  const recording = new Recording();
  const events: JournalEvent[] = data.map((event, index) => ({
    ...event,
    seq: index + 1,
    at: index,
  }));
  for (const event of events)
    recording.add(event, { totalMs: event.seq * 10, ownedMs: event.seq * 11 });
  return recording;
}

const scheduled = (op: string): EventData => ({
  type: "operation-scheduled",
  op,
  kind: "step",
  input: { name: op, list: [1, { deep: true }] },
});
const settled = (op: string): EventData => ({
  type: "operation-settled",
  op,
  outcome: { status: "ok", value: 1 },
});
const attempted = (cause: "failed" | "owner-died" | "suspended", attempt: number): EventData => ({
  type: "operation-attempted",
  op: "a",
  attempt,
  cause,
});

test("deliveries are outcomes and cancellations in the order of the journal", () => {
  const cancelled: EventData = { type: "cancellation-requested", reason: "stop", by: "user" };
  const recording = recordingOf([
    scheduled("a"),
    scheduled("b"),
    settled("b"),
    cancelled,
    settled("a"),
  ]);
  expect(recording.deliveries.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  expect(recording.cancelledAtOwnedMs).toBe(44);
});

test("attempts, failures and deaths of owners are counted apart", () => {
  const recording = recordingOf([
    scheduled("a"),
    attempted("failed", 2),
    attempted("owner-died", 3),
    attempted("owner-died", 4),
  ]);
  expect(recording.take("a", "step", { list: [1, { deep: true }], name: "a" })).toEqual({
    op: "a",
    kind: "step",
    input: { name: "a", list: [1, { deep: true }] },
    scheduledAt: 0,
    scheduledAtRunningMs: 10,
    attempt: 4,
    failedAttempts: 1,
    ownerDeaths: 2,
    isSettled: false,
  });
});

const STARTED: EventData = {
  ...{ type: "turn-started", agent: "coder", turn: 1, attempt: 1, session: "coder/main" },
  ...{ key: "k", items: [{ kind: "prompt", op: "a" }] },
};
const WOKEN: EventData = { ...STARTED, turn: 2, items: [{ kind: "message", id: "m" }] };
const RESUMED: EventData = { type: "run-resumed", epoch: 2 };
const died = (turn: number): EventData => ({
  ...{ type: "turn-interrupted", agent: "coder", turn, reason: "owner-died" },
});
const SUSPENDED: EventData = {
  ...{ type: "run-suspended", reason: "interrupted", waitingFor: [], exitCode: 3 },
};

test("a turn that was still open when its run was suspended has no deaths [ENG-23.deaths]", () => {
  const recording = recordingOf([
    ...[WOKEN, RESUMED, died(2), WOKEN, RESUMED, died(2), WOKEN],
    ...[SUSPENDED, RESUMED, died(2), WOKEN],
  ]);
  expect([...recording.openTurns]).toEqual([{ agent: "coder", turn: 2, ops: [], ownerDeaths: 0 }]);
});
const did = (turn: number) => ({ agent: "coder", turn });

test.each<[string, (turn: number) => EventData, number]>([
  [
    "a call of a tool",
    (turn) => ({ type: "tool-called", ...did(turn), call: "c", tool: "t", input: null }),
    1,
  ],
  [
    "a changed file",
    (turn) => ({ type: "file-changed", ...did(turn), path: "a", kind: "edit" }),
    1,
  ],
  [
    "a session that was opened",
    () => ({ type: "agent-ready", agent: "coder", session: "coder/main" }),
    3,
  ],
  [
    "what another turn did",
    () => ({ type: "file-changed", ...did(9), path: "a", kind: "edit" }),
    3,
  ],
  [
    "the nudge of a turn that says nothing",
    (turn) => ({
      type: "agent-nudged",
      ...did(turn),
      session: "coder/main",
      rung: "nudge",
      observation: "o",
    }),
    3,
  ],
])(
  "deaths of owners in a turn are counted in a row: %s between them [ENG-23.deaths]",
  (_what, between, deaths) => {
    const dies = (event: EventData) => {
      const turn = event === STARTED ? 1 : 2;
      const again = event === STARTED ? [attempted("owner-died", 2)] : [];
      return [RESUMED, died(turn), ...again, event];
    };
    for (const [turn, event] of [STARTED, WOKEN].entries()) {
      const schedule = turn === 0 ? [scheduled("a")] : [];
      const recording = recordingOf([
        ...[...schedule, event, ...dies(event), ...dies(event)],
        ...[between(turn + 1), ...dies(event)],
      ]);
      const counted =
        turn === 0
          ? recording.take("a", "step", { list: [1, { deep: true }], name: "a" })
          : [...recording.openTurns][0];
      expect(counted?.ownerDeaths).toBe(deaths);
    }
  },
);

test("what was not recorded is new once all that was recorded has been asked for", () => {
  const recording = recordingOf([scheduled("a"), settled("a")]);
  expect(() => recording.assertAllAsked()).toThrowError(
    expect.objectContaining({ code: "ENGINE_NONDETERMINISM" }),
  );
  expect(recording.take("a", "step", { name: "a", list: [1, { deep: true }] })?.isSettled).toBe(
    true,
  );
  expect(recording.take("b", "step", {})).toBeUndefined();
  recording.assertAllAsked();
});

test.each([
  [{ name: "a" }],
  [{ name: "a", list: [1, { deep: false }] }],
  [{ name: "a", list: [1, { deep: true }], more: null }],
  [{ name: "a", list: [{ deep: true }, 1] }],
  [null],
  [[]],
])("another input is not taken for the recorded one: %j", (input) => {
  expect(() => recordingOf([scheduled("a")]).take("a", "step", input)).toThrowError(
    expect.objectContaining({ code: "ENGINE_NONDETERMINISM" }),
  );
});

test("notes are known by their ids", () => {
  const recording = recordingOf([{ type: "log", note: "note#1", level: "info", text: "x" }]);
  expect([recording.hasNote("note#1"), recording.hasNote("note#2")]).toEqual([true, false]);
});

const asks = (op: string, kind: string, input: Json): EventData => ({
  ...{ type: "operation-scheduled", op, kind, input },
});
const migrated: EventData = {
  ...{ type: "definition-changed", definitionHash: "1".repeat(64) },
  ...{ file: "a.yaml", fileHash: "2".repeat(64) },
};
const given = { agent: "a", prompt: "stage 1 of 2", task: "build" };
const asked = { agent: "a", prompt: "stage 2 of 3", task: "build" };
const takesTurn = (events: readonly EventData[], input: Json) => {
  try {
    return recordingOf(events).take("turn#1", "turn", input) !== undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: "ENGINE_NONDETERMINISM" });
    return false;
  }
};

test("a turn of the same task is the same under a changed definition, whatever stands around its task [ENG-14]", () => {
  const recorded = asks("turn#1", "turn", given);
  expect(takesTurn([recorded, migrated], asked)).toBe(true);
  expect(takesTurn([recorded, migrated], { ...asked, task: "test" })).toBe(false);
  expect(takesTurn([recorded, migrated], { ...asked, agent: "b" })).toBe(false);
  expect(
    takesTurn([asks("turn#1", "turn", { agent: "a", prompt: "y" }), migrated], {
      agent: "a",
      prompt: "x",
    }),
  ).toBe(false);
  expect(takesTurn([recorded, migrated], "build")).toBe(false);
  expect(takesTurn([asks("turn#1", "turn", "build"), migrated], asked)).toBe(false);
});

test("only turns that were asked for before the definition changed may have other words [ENG-14]", () => {
  const recorded = asks("turn#1", "turn", given);
  expect(takesTurn([recorded], asked)).toBe(false);
  expect(takesTurn([migrated, recorded], asked)).toBe(false);
  const step = asks("step#1", "step", given);
  expect(() => recordingOf([step, migrated]).take("step#1", "step", asked)).toThrowError(
    expect.objectContaining({ code: "ENGINE_NONDETERMINISM" }),
  );
});
