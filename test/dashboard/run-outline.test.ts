import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import type { WorkflowGraph } from "../../src/contracts/graph.ts";
import { receiptsOf } from "../../src/dashboard/client/model/receipts.ts";
import { outlineOf, viewOutline } from "../../src/dashboard/client/model/run-outline.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { journal, posted, spawned, turnCompleted, turnStarted } from "../fold/journal-builder.ts";

const noted = { note: "n", execution: 1 };

function looksOf(
  graph: WorkflowGraph,
  events: readonly EventData[],
  opened: readonly string[] = [],
) {
  const state = foldAll("run_a", journal(events));
  const views = viewOutline(outlineOf(graph, state), state, {
    opened: new Set(opened),
    isLeft: false,
  });
  return views.map(({ path, look, after }) => [path, look, after]);
}

const GRAPH: WorkflowGraph = {
  nodes: [
    { id: "code", kind: "step", label: "code", agent: "coder" },
    { id: "built", kind: "barrier", label: "built" },
    { id: "test", kind: "step", label: "test" },
    { id: "agent:lead", kind: "agent", label: "lead" },
  ],
  edges: [
    { from: "code", to: "built", kind: "signal" },
    { from: "built", to: "test", kind: "dependency" },
    { from: "test", to: "agent:lead", kind: "escalation" },
  ],
};

test("what has not begun is shown as such, and helpers are no part of what a step waits for", () => {
  expect(looksOf(GRAPH, [])).toEqual([
    ["code", "pending", []],
    ["built", "pending", ["code"]],
    ["test", "pending", ["built"]],
    ["agent:lead", "pending", []],
  ]);
});

test("steps that only the journal names follow those of the graph", () => {
  const started: EventData = {
    ...noted,
    type: "step-started",
    step: "unit",
    path: "all[0]/unit",
    attempt: 1,
  };
  expect(looksOf(GRAPH, [started]).at(-1)).toEqual(["all[0]/unit", "running", []]);
});

test("a step that waits for a person says so, and an open barrier is open", () => {
  const events: readonly EventData[] = [
    { ...noted, type: "step-started", step: "test", path: "test", attempt: 1 },
    {
      type: "approval-requested",
      approval: "apr_1",
      op: "a#1",
      message: "Go?",
      step: "test",
      hash: "h",
    },
  ];
  expect(looksOf(GRAPH, events, ["built"]).map(([path, look]) => [path, look])).toEqual([
    ["code", "pending"],
    ["built", "completed"],
    ["test", "waiting"],
    ["agent:lead", "pending"],
  ]);
});

test("a message is waiting, being read, dealt with or given up, for each of those it is for", () => {
  const events: readonly EventData[] = [
    spawned("coder"),
    posted("m1", ["coder", "tester", "user"]),
    turnStarted("coder", 1, { messages: ["m1"] }),
    turnCompleted("coder", 1),
    { type: "message-dead", agent: "tester", id: "m1", attempts: 5 },
  ];
  const statusAfter = (count: number) => {
    const state = foldAll("run_a", journal(events.slice(0, count)));
    const [message] = state.messages.recent;
    return message === undefined ? [] : receiptsOf(message, state).map(({ status }) => status);
  };
  expect([2, 3, 4, 5].map(statusAfter)).toEqual([
    ["waiting", "waiting", "unknown"],
    ["reading", "waiting", "unknown"],
    ["acked", "waiting", "unknown"],
    ["acked", "dead", "unknown"],
  ]);
});

test("a step for each item stands below the step around it, as often as it was carried out [LIM-2]", () => {
  const graph: WorkflowGraph = {
    nodes: [
      { id: "all", kind: "step", label: "all", type: "parallel" },
      { id: "all/check", kind: "step", label: "check", type: "agent" },
      { id: "more", kind: "step", label: "more", type: "parallel" },
      { id: "more/unit", kind: "step", label: "unit", type: "agent" },
    ],
    edges: [
      { from: "all", to: "more", kind: "route", label: "next" },
      { from: "all", to: "all/check", kind: "inside" },
      { from: "more", to: "more/unit", kind: "inside" },
    ],
  };
  const started = (path: string): EventData => ({
    ...noted,
    step: path.split("/").at(-1) ?? "",
    path,
    type: "step-started",
    attempt: 1,
  });
  expect(looksOf(graph, ["all", "all[0]/check", "all[1]/check"].map(started))).toEqual([
    ["all", "running", []],
    ["more", "pending", ["all"]],
    ["more/unit", "pending", ["more"]],
    ["all[0]/check", "running", ["all"]],
    ["all[1]/check", "running", ["all"]],
  ]);
});

test("of a run that no process carries out no step is at work, nor an agent that helps [USE-11]", () => {
  const events: readonly EventData[] = [
    spawned("coder"),
    spawned("lead"),
    { ...noted, type: "step-started", step: "code", path: "code", attempt: 1 },
    turnStarted("lead", 1),
  ];
  const state = foldAll("run_a", journal(events));
  const looks = (isLeft: boolean) =>
    viewOutline(outlineOf(GRAPH, state), state, { opened: new Set(), isLeft }).map(
      ({ path, look }) => `${path} ${look}`,
    );
  expect(looks(false)).toEqual([
    ...["code running", "built pending", "test pending"],
    "agent:lead running",
  ]);
  expect(looks(true)).toEqual([
    ...["code suspended", "built pending", "test pending"],
    "agent:lead pending",
  ]);
});
