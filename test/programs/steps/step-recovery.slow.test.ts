import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  defineStepWorkflow,
  resumeInMemory,
  runStepsInMemory,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn } from "./flow-data.ts";

const workflow: TestStepWorkflow = {
  agents: [
    { id: "a", backend: "function" },
    { id: "b", backend: "function" },
  ],
  workflows: {
    child: defineStepWorkflow({
      name: "child",
      steps: [{ id: "got", type: "transform", settings: { transform: "input.n" } }],
    }),
  },
  steps: [
    {
      id: "each",
      type: "parallel",
      settings: { for_each: "input", max_concurrency: 2 },
      steps: [{ id: "work", type: "agent", settings: { agent: "a" } }],
      routes: { next: "design" },
    },
    {
      id: "design",
      type: "pattern",
      settings: { pattern: "fan-out", agents: ["a", "b"], task: "{{input.0}}" },
      routes: { next: "refine" },
    },
    {
      id: "refine",
      type: "loop",
      settings: { until: "context.round >= 1" },
      steps: [
        {
          id: "both",
          type: "parallel",
          settings: { min_success: 1 },
          steps: [
            { id: "good", type: "agent", settings: { agent: "b" } },
            { id: "bad", type: "shell", settings: { command: "exit 7" } },
          ],
        },
        { id: "round", type: "transform", settings: { transform: "index" } },
      ],
      routes: { next: "check" },
    },
    {
      id: "check",
      type: "shell",
      settings: { command: ["printf", "%s", "{{context.round}}"] },
      verify: [{ kind: "outputMatches", pattern: "^1$" }],
      routes: { next: "pause" },
    },
    { id: "pause", type: "wait", settings: { duration_ms: 1 }, routes: { next: "sub" } },
    {
      id: "sub",
      type: "workflow",
      settings: { workflow: "child", with: { n: "{{context.round}}" } },
    },
  ],
};
const calls: string[] = [];
const work: AgentFunction = ({ agent, key }) => {
  calls.push(key);
  return `${agent} did it`;
};
const functions = { a: work, b: work };

/** All data, without what depends on the time and the run. */
function essence(data: ReturnType<typeof dataIn>): string {
  return JSON.stringify(data, (name, value) => {
    if (name === "waitedMs" || name === "durationMs" || name === "run") return undefined;
    return value;
  });
}

/** Keys of the turns whose end is recorded. */
function completedKeys(events: readonly JournalEvent[]): ReadonlySet<string> {
  const keys = new Map<string, string>();
  const done = new Set<string>();
  for (const event of events) {
    if (event.type === "turn-started") keys.set(`${event.agent}#${event.turn}`, event.key);
    const key = event.type === "turn-completed" && keys.get(`${event.agent}#${event.turn}`);
    if (typeof key === "string") done.add(key);
  }
  return done;
}

test("a crash after any commit leads to the same data, and nothing recorded is done again [ENG-2, ENG-5, STP-1]", async () => {
  const store = createCuttableStore();
  const whole = await runStepsInMemory(workflow, { store, input: ["x", "y", "z"], functions });
  expect(whole.outcome).toBe("completed");
  const expected = essence(dataIn(whole));
  const commits = store.commits(whole.id);
  expect(commits.length).toBeGreaterThan(10);
  expect(completedKeys(whole.events).size).toBe(7);
  for (const seq of commits.slice(0, -1)) {
    const cut = await store.cutAfter(whole.id, seq);
    const done = completedKeys(whole.events.filter((event) => event.seq <= seq));
    calls.length = 0;
    const resumed = await resumeInMemory(whole.id, { store: cut, functions });
    const end = await resumed.over();
    expect({ seq, data: essence(dataIn(end)) }).toEqual({ seq, data: expected });
    const again = calls.filter((key) => done.has(key));
    expect({ seq, again }).toEqual({ seq, again: [] });
  }
});
