import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { findItem, isWaitingForPerson, waitingItems } from "../../src/fold/waiting.ts";
import {
  approvalRequested,
  created,
  ended,
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
  turnStarted,
} from "./journal-builder.ts";

const asking: readonly EventData[] = [
  created,
  started,
  spawned("coder"),
  scheduled("turn#1", "turn", "coder"),
  turnStarted("coder", 1, { ops: ["turn#1"] }),
  permissionRequested("prm_a", "coder", 1),
];
const suspended: readonly EventData[] = [
  ...asking,
  { type: "turn-interrupted", agent: "coder", turn: 1, reason: "suspended" },
  {
    type: "run-suspended",
    reason: "waiting",
    waitingFor: [{ id: "prm_a", kind: "permission", text: "Bash", agent: "coder" }],
    exitCode: 3,
  },
];
const mentioned: readonly EventData[] = [
  created,
  started,
  spawned("coder"),
  posted("m1", [], "coder"),
  { type: "question-asked", id: "qst_m", agent: "coder", message: "m1", text: "@user which?" },
];
function after(...events: readonly EventData[]) {
  return foldAll("run_a", journal(events));
}

function waiting(...events: readonly EventData[]): readonly string[] {
  return waitingItems(after(...events)).map(({ id }) => id);
}

test("what a turn asked that was let go stays whole and can be answered [ENG-18, ENG-19, P14]", () => {
  const state = after(...suspended);
  expect(state.inbox.size).toBe(0);
  expect(waitingItems(state)).toEqual([
    { id: "prm_a", kind: "permission", text: "Bash: rm -rf build", agent: "coder" },
  ]);
  expect(findItem(state, "prm_a")).toMatchObject({ tool: "Bash", input: expect.anything() });
  expect(waiting(...suspended, permissionResolved("prm_a"))).toEqual([]);
  const command: EventData = {
    type: "command-received",
    by: "user",
    command: { kind: "resolve-permission", id: "prm_a", decision: "allowed" },
  };
  expect(waiting(...suspended, command)).toEqual([]);
});

test("a run does not rest on what a turn will only ask again [ENG-18]", () => {
  const resumed = after(...suspended, { type: "run-resumed", epoch: 2 });
  expect(waitingItems(resumed)).toHaveLength(1);
  expect(isWaitingForPerson(resumed)).toBe(false);
});

test("a question that is asked again keeps its id and its age, and waits once [P14]", () => {
  const again = { ...turnStarted("coder", 1, { ops: ["turn#1"] }), attempt: 2 };
  const resumed: EventData = { type: "run-resumed", epoch: 2 };
  const events = [...suspended, resumed, again, permissionRequested("prm_a", "coder", 1)];
  const state = after(...events);
  expect(state.suspendedAsks.size).toBe(0);
  expect(state.inbox.get("prm_a")?.createdAt).toBe(START_MS + 5000);
  expect(waitingItems(state)).toHaveLength(1);
  expect(isWaitingForPerson(state)).toBe(true);
  expect(waiting(...events, turnCompleted("coder", 1))).toEqual([]);
});

test.each([
  { end: "its operation is settled", event: settled("turn#1") },
  {
    end: "its agent has gone",
    event: { type: "agent-exited", agent: "coder", reason: "released" },
  },
  { end: "the run is over", event: ended },
] as const)("what was asked is withdrawn when $end", ({ event }) => {
  const resumed: EventData = { type: "run-resumed", epoch: 2 };
  const state = after(...suspended, resumed, event);
  expect([state.suspendedAsks.size, waitingItems(state).length]).toEqual([0, 0]);
  expect(state.unanswered).toEqual([]);
});

test("items stand in the order in which they were asked, whatever was cut off [P14]", () => {
  const approval = [scheduled("approval#1", "approval"), approvalRequested("apr_a", "approval#1")];
  expect(waiting(...asking, ...approval)).toEqual(["prm_a", "apr_a"]);
  expect(waiting(...suspended.slice(0, -1), ...approval)).toEqual(["prm_a", "apr_a"]);
});

test("the question of a message outlives the turns of its agent and blocks none [MSG-4]", () => {
  const state = after(
    ...mentioned,
    turnStarted("coder", 1),
    turnCompleted("coder", 1),
    scheduled("turn#2", "turn", "coder"),
  );
  expect(findItem(state, "qst_m")).toMatchObject({ agent: "coder", message: "m1" });
  expect(state.activity.waitingTurns).toBe(0);
  expect(isWaitingForPerson(state)).toBe(false);
});

test("answering one item never touches another [P14]", () => {
  const others: readonly EventData[] = [
    ...mentioned,
    turnStarted("coder", 1),
    permissionRequested("prm_a", "coder", 1),
    { type: "question-asked", id: "qst_b", agent: "coder", turn: 1, text: "Which?" },
    approvalRequested("apr_a", "approval#1"),
  ];
  const all = ["qst_m", "prm_a", "qst_b", "apr_a"];
  expect(waiting(...others)).toEqual(all);
  const decisions: readonly (readonly [string, EventData])[] = [
    ["prm_a", permissionResolved("prm_a")],
    ["qst_b", { type: "question-answered", id: "qst_b", answer: "x", by: "user" }],
    ["qst_m", { type: "question-answered", id: "qst_m", answer: "x", by: "user" }],
    ["apr_a", { type: "approval-resolved", approval: "apr_a", decision: "approved", by: "user" }],
  ];
  for (const [decided, event] of decisions)
    expect(waiting(...others, event)).toEqual(all.filter((id) => id !== decided));
});

test("what nobody answered is kept as unanswered when the run ends [ENG-11]", () => {
  const state = after(...mentioned, ended);
  expect(state.unanswered.map(({ id, text }) => [id, text])).toEqual([["qst_m", "@user which?"]]);
  expect(waitingItems(state)).toEqual([]);
  const late = after(...mentioned, { ...ended, resumable: true });
  expect([waitingItems(late).length, late.unanswered.length]).toEqual([1, 0]);
});
