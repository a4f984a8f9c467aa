import { describe, expect, test } from "vitest";
import { assertCommand } from "../../../src/app/runs/check-command.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import type { RunCommand } from "../../../src/contracts/events/run-events.ts";
import { foldAll } from "../../../src/fold/fold.ts";
import { toIsoTime } from "../../../src/foundation/iso-time.ts";
import {
  created,
  ended,
  journal,
  posted,
  START_MS,
  spawned,
  started,
  turnStarted,
} from "../../fold/journal-builder.ts";

const NOW_MS = START_MS + 60_000;
const requested: EventData = {
  type: "approval-requested",
  approval: "apr_a",
  op: "approval#1",
  message: "Push?",
  hash: "seen",
  expiresAt: toIsoTime(NOW_MS),
};
const asked: readonly EventData[] = [
  spawned("coder"),
  turnStarted("coder", 1),
  { type: "question-asked", id: "qst_t", agent: "coder", turn: 1, text: "Which?" },
  posted("m1", [], "coder"),
  { type: "question-asked", id: "qst_m", agent: "coder", message: "m1", text: "@user?" },
];

function check(command: RunCommand, { nowMs = START_MS, events = [requested, ...asked] } = {}) {
  return () =>
    assertCommand(
      { state: foldAll("run_a", journal([created, started, ...events])) },
      command,
      nowMs,
    );
}

const approve = { kind: "resolve-approval", approval: "apr_a", decision: "approved" } as const;

describe("a decision on an approval", () => {
  test("counts for what was shown alone [P14]", () => {
    expect(check(approve)).not.toThrow();
    expect(check({ ...approve, hash: "seen" })).not.toThrow();
    expect(check({ ...approve, hash: "before" })).toThrow(
      expect.objectContaining({ code: "RUN_ITEM_CHANGED" }),
    );
  });

  test("counts until its time is over [P14]", () => {
    expect(check(approve, { nowMs: NOW_MS - 1 })).not.toThrow();
    for (const decision of ["approved", "rejected"] as const)
      expect(check({ ...approve, decision }, { nowMs: NOW_MS })).toThrow(
        expect.objectContaining({ code: "RUN_ITEM_EXPIRED" }),
      );
  });

  test("is told who was first, and when, whether that has taken effect or not [P14, ENG-19]", () => {
    const by = [
      { type: "approval-resolved", approval: "apr_a", decision: "rejected", by: "ann" },
      { type: "command-received", by: "ann", command: { ...approve, decision: "rejected" } },
    ] as const;
    for (const event of by)
      expect(check(approve, { events: [requested, event] })).toThrow(
        expect.objectContaining({
          code: "ENGINE_ITEM_RESOLVED",
          message: `"apr_a" was decided before: rejected by ann at ${toIsoTime(START_MS + 3000)}`,
        }),
      );
  });

  test("that another one made superfluous tells of it, also when that ended the run [STP-8, P14]", () => {
    const rejected: EventData = {
      type: "approval-resolved",
      approval: "apr_a",
      decision: "rejected",
      by: "ann",
    };
    expect(check(approve, { events: [requested, rejected, ended] })).toThrow(
      expect.objectContaining({ code: "ENGINE_ITEM_RESOLVED" }),
    );
    expect(check(approve, { events: [requested, ended] })).toThrow(
      expect.objectContaining({ code: "ENGINE_RUN_OVER" }),
    );
  });

  test("belongs to the run that asks [T15]", () => {
    expect(check(approve, { events: [] })).toThrow(
      expect.objectContaining({ code: "ENGINE_ITEM_UNKNOWN" }),
    );
    expect(check({ kind: "answer-question", id: "apr_a", answer: "x" })).toThrow(
      expect.objectContaining({ code: "ENGINE_ITEM_UNKNOWN" }),
    );
  });
});

test("an answer that becomes a message must be one; a turn takes any [MSG-4]", () => {
  const answer = (id: string, text: string) => check({ kind: "answer-question", id, answer: text });
  expect(answer("qst_t", "")).not.toThrow();
  expect(answer("qst_m", " ")).toThrow(expect.objectContaining({ code: "MESSAGE_EMPTY" }));
  const huge = "x".repeat(1_048_577);
  expect(answer("qst_m", huge)).toThrow(expect.objectContaining({ code: "MESSAGE_TOO_LARGE" }));
  expect(answer("qst_m", "fine")).not.toThrow();
});

test("a long answer is shortened for whoever comes too late", () => {
  const given: EventData = {
    type: "question-answered",
    id: "qst_t",
    answer: "y".repeat(5000),
    by: "ann",
  };
  const late = check(
    { kind: "answer-question", id: "qst_t", answer: "x" },
    { events: [...asked, given] },
  );
  expect(late).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,200}$/) }));
});

describe("a message of a person", () => {
  const send = { kind: "send", text: "hi", to: ["coder"], key: "k1" } as const;
  const gone: EventData = { type: "agent-exited", agent: "coder", reason: "released" };

  test("is refused when nobody is left who could read it [MSG-3]", () => {
    const events = [spawned("coder"), spawned("ann")];
    expect(check(send, { events })).not.toThrow();
    expect(check(send, { events: [...events, gone] })).toThrow(
      expect.objectContaining({ code: "AGENT_GONE" }),
    );
    const both = { ...send, to: ["coder", "ann"] };
    expect(check(both, { events: [...events, gone] })).not.toThrow();
  });

  test("that was posted under its key before is taken again, whatever became of the run [MSG-3]", () => {
    const sent: EventData = {
      type: "message-posted",
      id: "m9",
      from: "user",
      to: ["coder"],
      text: "hi",
      mentions: [],
      signals: [],
      key: "k1",
    };
    const events = [spawned("coder"), sent, gone, ended];
    expect(check(send, { events })).not.toThrow();
    expect(check({ ...send, key: "k2" }, { events })).toThrow(
      expect.objectContaining({ code: "ENGINE_RUN_OVER" }),
    );
  });
});
