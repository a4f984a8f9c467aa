import { expect, test } from "vitest";
import {
  busyBefore,
  openedBarriers,
  readHistory,
} from "../../src/dashboard/client/model/run-history.ts";
import { endAt } from "../../src/dashboard/client/model/spans.ts";
import { measureOf, usageBy, usedBy } from "../../src/dashboard/client/model/spending.ts";
import { sampleReport, toJournal, turnStarted } from "./sample-report.ts";

const { events } = sampleReport();
const history = readHistory(events);

test("each attempt of a step keeps how it ended and why", () => {
  const attempts = history.attempts.filter(({ path }) => path === "test");
  expect(attempts.map(({ attempt, end, error }) => [attempt, end, error?.code])).toEqual([
    [1, "failed", "STEP_VERIFY_FAILED"],
    [2, "failed", "STEP_VERIFY_FAILED"],
  ]);
  expect(history.checks.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
});

test("an end that lies later has not come yet", () => {
  const [plan] = history.turns;
  if (plan?.endPosition === undefined) throw new Error("the first turn must have ended");
  expect(endAt(plan, plan.endPosition - 1)).toBe("running");
  expect(endAt(plan, plan.endPosition)).toBe("completed");
});

test("a turn keeps the prompt that it was given, its text and what it used", () => {
  expect(history.turns[0]).toMatchObject({
    agent: "lead",
    step: "plan",
    prompt: 'Do step "plan".\nEnd with a line DONE: and a summary.',
    usage: { inputTokens: 8400, outputTokens: 910, costUsd: 0.0412 },
    tools: 1,
  });
});

test("every revision of a document has its whole text and the one before", () => {
  const [first, second] = history.revisions;
  expect(first).toMatchObject({ revision: 1, by: "lead", before: "" });
  expect(second).toMatchObject({ revision: 2, by: "coder", before: first?.text });
  expect(second?.text).toBe(`${first?.text}\n## Changes\n\n- \`src/auth.ts\` validates first\n`);
});

test("a wait for a person ends with the decision, or with the turn that asked", () => {
  expect(history.waits.map(({ id, end }) => [id, end])).toEqual([
    ["apr_91k2", "completed"],
    ["prm_11aa", "completed"],
    ["qst_92zz", "running"],
  ]);
  const cutOff = readHistory(
    toJournal([
      ...turnStarted({ agent: "coder", turn: 1, step: "code" }).map((event) => [1, event] as const),
      [
        1,
        {
          type: "permission-requested",
          id: "prm_1",
          agent: "coder",
          turn: 1,
          tool: "Bash",
          input: {},
        },
      ],
      [1, { type: "turn-interrupted", agent: "coder", turn: 1, reason: "owner-died" }],
    ]),
  );
  expect(cutOff.waits).toMatchObject([{ id: "prm_1", endPosition: 4 }]);
  expect(cutOff.turns).toMatchObject([{ end: "interrupted", detail: "owner-died" }]);
});

test("barriers are open from the event that opened them", () => {
  const opened = readHistory(
    toJournal([
      [0, { type: "log", note: "l", level: "info", text: "x" }],
      [0, { type: "pattern-advanced", note: "p", kind: "barrier", data: { barrier: "built" } }],
    ]),
  );
  expect([...openedBarriers(opened, 1)]).toEqual([]);
  expect([...openedBarriers(opened, 2)]).toEqual(["built"]);
});

test("the time before an event is busy while a turn runs", () => {
  const busy = busyBefore(history, events.length);
  const typeAfterIdle = events.filter((_, index) => !busy[index]).map(({ type }) => type);
  expect(typeAfterIdle).toContain("approval-resolved");
  expect(typeAfterIdle).not.toContain("permission-resolved");
});

test("spending is summed by agent and step up to a moment, and what nobody told stays unknown", () => {
  const all = usageBy(history.turns, events.length, ({ agent }) => agent);
  expect(
    all.map(({ name, turns, unknownTurns, usage }) => [name, turns, unknownTurns, usage.costUsd]),
  ).toEqual([
    ["coder", 1, 0, 0.1873],
    ["lead", 1, 0, 0.0412],
    ["designer", 1, 1, undefined],
    ["tester", 2, 2, undefined],
  ]);
  expect(measureOf(all)?.unit).toBe("cost");
  const early = usageBy(history.turns, 14, ({ agent }) => agent);
  expect(early.map(({ name }) => name)).toEqual(["lead"]);
  expect(measureOf(all.slice(2))).toBeUndefined();
});

test("a run without turns has used nothing; what turns did not tell is unknown [CLI-1]", () => {
  expect(usedBy({ turnsEnded: 0, usage: {} })).toMatchObject({ costUsd: 0, inputTokens: 0 });
  expect(usedBy({ turnsEnded: 2, usage: {} })).toEqual({});
});
