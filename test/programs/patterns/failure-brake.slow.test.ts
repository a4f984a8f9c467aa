import { describe, expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import {
  defineTestWorkflow,
  type TestAgent,
  type TestStep,
} from "../../../src/testing/define-test-workflow.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const IDS = ["a", "b", "c"] as const;
const turns = { maxAttempts: 1, retryDelayMs: 0 };

/** What a pattern cannot do without. */
const OPTIONS: { readonly [pattern: string]: { readonly [key: string]: Json } } = {
  supervisor: { agent: "a" },
  "hub-spoke": { agent: "a" },
  auction: {},
  cascade: { tiers: [{ agent: "a" }, { agent: "b" }] },
  escalation: { agents: ["a", "b"] },
  reflection: { author: "a", critic: "b", maxRounds: 9 },
  "review-loop": { author: "a", reviewers: ["b"], maxRounds: 9 },
  "red-team": { author: "a", attackers: ["b"], maxRounds: 9 },
  verifier: { worker: "a", verifier: "b", maxAttempts: 9 },
  competitive: { candidates: ["a", "b"], judge: "c" },
  "map-reduce": { items: ["x", "y"], map: "a", reduce: "b" },
  "scatter-gather": { workers: ["a", "b"], gather: "c" },
  "mixture-of-agents": { proposers: ["a", "b"], layers: 3, aggregator: "c" },
  blackboard: { goal: "x", maxRounds: 9 },
  debate: { maxRounds: 9 },
  mesh: { maxRounds: 9 },
  iterate: { count: 30 },
};

const fails: AgentFunction = () => {
  throw new Error("no way");
};

function agentsFor(pattern: string): readonly TestAgent[] {
  const ids = ["collab", "iterate", "pool"].includes(pattern) ? ["a"] : IDS;
  return ids.map((id) => ({
    ...{ id, backend: "function" },
    ...(pattern === "hierarchical" && id !== "a" ? { reportsTo: "a" } : {}),
    ...(pattern === "hierarchical" && id === "a" ? { role: "lead" } : {}),
  }));
}

/** A saga says how its steps are undone. */
function undone(pattern: string, agent: string): Pick<TestStep, "compensate"> {
  return pattern === "saga" ? { compensate: { agent, prompt: "undo it", timeoutMs: 1000 } } : {};
}

/** Patterns that Troupe gives tasks or rounds in, with agents that always fail. */
test.each(builtInPatterns.map(({ name }) => name))(
  "%s whose agents all fail always comes to an end, after a few turns of each [LIM-3.modes]",
  async (pattern) => {
    const agents = agentsFor(pattern);
    const isOrdered = ["fan-out", "pipeline", "dag", "saga", "circuit-breaker"].includes(pattern);
    const steps = agents.map(({ id }) => ({ id, agent: id, ...undone(pattern, id) }));
    const run = await runWorkflowInMemory(
      {
        ...{ pattern, agents, options: OPTIONS[pattern] ?? {} },
        ...(isOrdered ? { steps } : { turns }),
        goal: "make it",
      },
      {
        cwd: temporaryDirectory(),
        task: "make it",
        functions: Object.fromEntries(IDS.map((id) => [id, fails])),
      },
    );
    expect(["failed", "limit-reached"]).toContain(run.outcome);
    const started = run.all("turn-started");
    for (const { id } of agents)
      expect(started.filter(({ agent }) => agent === id).length, id).toBeLessThanOrEqual(5);
  },
);

describe("a team whose leader goes on all the same", () => {
  const workflow = (more: { readonly failures?: number } = {}) =>
    defineTestWorkflow({
      pattern: "team",
      agents: [
        { id: "lead", backend: "function" },
        { id: "w1", backend: "function" },
        { id: "w2", backend: "function" },
      ],
      options: { maxWorkers: 2 },
      turns,
      ...(more.failures === undefined ? {} : { budget: { failures: more.failures } }),
    });

  /** Ends by itself after 40 turns, which nobody should see. */
  function leader(title: (turn: number) => string): AgentFunction {
    let count = 0;
    return () => {
      count += 1;
      return count > 40 ? "DONE: enough" : `- [ ] ${title(count)}`;
    };
  }

  interface Row {
    readonly how: string;
    readonly title: (turn: number) => string;
    readonly failures?: number;
    /** Turns that fail before it ends. */
    readonly most: number;
  }

  test.each<Row>([
    { how: "repeats one task", title: () => "the same", most: 5 },
    { how: "repeats it in other words", title: (turn) => `try ${turn}`, most: 9 },
    { how: "repeats it, with a number of its own", title: () => "the same", failures: 2, most: 2 },
  ])(
    "and $how ends as limit-reached, and goes on when it is resumed [LIM-3.brake, LIM-3.modes, LIM-3.set, LIM-3.resumable]",
    async ({ title, failures, most }) => {
      const store = createMemoryStore();
      const functions = { lead: leader(title), w1: fails, w2: fails };
      const start = { cwd: temporaryDirectory(), store, functions };
      const given = workflow(failures === undefined ? {} : { failures });
      const run = await runWorkflowInMemory(given, { ...start, task: "go" });
      const [ended] = run.all("run-ended");
      expect(ended).toMatchObject({
        outcome: "limit-reached",
        exitCode: 5,
        resumable: true,
        error: { code: "LIMIT_FAILURES" },
      });
      const failed = run.all("step-failed").length;
      expect(failed).toBeLessThanOrEqual(most);
      const works = { lead: () => "DONE: well", w1: () => "DONE: ok", w2: () => "DONE: ok" };
      const again = await resumeInMemory(run.id, { store, functions: works });
      expect((await again.over()).outcome).not.toBe("limit-reached");
    },
  );
});
