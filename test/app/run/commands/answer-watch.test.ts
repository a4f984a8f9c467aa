import { expect, test } from "vitest";
import { createAnswerWatch } from "../../../../src/app/run/commands/answer-watch.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import {
  ended,
  journal,
  posted,
  started,
  turnCompleted,
  turnFailed,
  turnStarted,
} from "../../../fold/journal-builder.ts";

const TAKES = turnStarted("coder", 3, { messages: ["m1"] });
const STOPPED: EventData = {
  type: "turn-completed",
  agent: "coder",
  turn: 3,
  text: "cut",
  stopReason: "max_tokens",
  signals: [],
};
const DEAD: EventData = { type: "message-dead", agent: "coder", id: "m1", attempts: 5 };
const ACKED: EventData = { type: "message-acked", agent: "coder", ids: ["m1"] };
function cutOff(reason: "owner-died" | "cancelled"): EventData {
  return { type: "turn-interrupted", agent: "coder", turn: 3, reason };
}

/** What became of the message m1 after these events. */
function watch(events: readonly EventData[], agents: readonly string[] = ["coder"]) {
  const watched = createAnswerWatch("m1", agents);
  for (const event of journal(events)) watched.observe(event);
  const { answers, missing, open } = watched;
  return { answers: answers.map(({ agent, text }) => `${agent}: ${text}`), missing, open };
}

test("the answer is the final text of the turn that took the message, and of no other [KCK-8]", () => {
  const other = [turnStarted("coder", 2), turnCompleted("coder", 2, "of before")];
  expect(watch([started, ...other, TAKES, turnCompleted("coder", 3, "SQLite")])).toEqual({
    answers: ["coder: SQLite"],
    missing: [],
    open: [],
  });
  expect(watch([started, ...other, TAKES])).toMatchObject({ answers: [], open: ["coder"] });
});

test("a turn that says nothing answers with what it posted [KCK-8]", () => {
  const said = [posted("m2", ["lead"], "coder"), posted("m3", [], "coder")];
  const before = posted("m0", ["lead"], "coder");
  expect(watch([before, TAKES, ...said, turnCompleted("coder", 3, " ")]).answers).toEqual([
    "coder: text of m2\n\ntext of m3",
  ]);
});

test("a message that was delivered into a running turn is answered by that turn [MSG-3]", () => {
  const delivered: EventData = { type: "message-delivered", agent: "coder", turn: 2, ids: ["m1"] };
  const running = turnStarted("coder", 2);
  expect(watch([running, delivered, turnCompleted("coder", 2, "seen")]).answers).toEqual([
    "coder: seen",
  ]);
});

test("a turn that failed settles nothing while another one may take the message [MSG-3]", () => {
  const again = turnStarted("coder", 4, { messages: ["m1"] });
  for (const trouble of [turnFailed("coder", 3), STOPPED, cutOff("cancelled")]) {
    expect(watch([TAKES, trouble]).open).toEqual(["coder"]);
    expect(watch([TAKES, trouble, again, turnCompleted("coder", 4, "yes")]).answers).toEqual([
      "coder: yes",
    ]);
  }
});

test.each<{ of: string; events: readonly EventData[]; reason: string }>([
  {
    of: "given up",
    events: [TAKES, turnFailed("coder", 3), DEAD],
    reason: "its turn failed: broke [BACKEND_X]",
  },
  { of: "given up unread", events: [DEAD], reason: "given up after 5 turns" },
  {
    of: "acked and failed",
    events: [TAKES, ACKED, turnFailed("coder", 3)],
    reason: "its turn failed: broke [BACKEND_X]",
  },
  {
    of: "for one who left",
    events: [{ type: "agent-exited", agent: "coder", reason: "released" }],
    reason: "it is gone (released)",
  },
  { of: "in a run that ended", events: [ended], reason: "its run is over (completed)" },
])("a message that was $of is not answered, and why is said [KCK-8]", ({ events, reason }) => {
  expect(watch(events)).toEqual({ answers: [], missing: [{ agent: "coder", reason }], open: [] });
});

test("an acked message whose turn was cut off with its owner is answered when it starts again [MSG-3]", () => {
  const events = [TAKES, ACKED, cutOff("owner-died"), TAKES, turnCompleted("coder", 3, "at last")];
  expect(watch(events).answers).toEqual(["coder: at last"]);
});

test("each of several addressees answers for itself [KCK-8]", () => {
  const events = [
    turnStarted("ann", 1, { messages: ["m1"] }),
    TAKES,
    turnCompleted("coder", 3, "second"),
    turnCompleted("ann", 1, "first"),
  ];
  expect(watch(events, ["ann", "coder", "gone"])).toEqual({
    answers: ["coder: second", "ann: first"],
    missing: [],
    open: ["gone"],
  });
});
