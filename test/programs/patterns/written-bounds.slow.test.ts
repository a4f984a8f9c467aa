import fc from "fast-check";
import { expect, test } from "vitest";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { casesOf } from "../../cases.ts";
import { type Behaviour, behaviour, unrulyTeam } from "./unruly-agents.ts";

// Own bounds that are never the first to be reached.
const PATTERNS = [
  { pattern: "mesh", options: { maxRounds: 1000 } },
  { pattern: "handoff", options: { maxHandoffs: 1000 } },
  { pattern: "debate", options: { maxRounds: 100 } },
  { pattern: "consensus", options: { discussion: 100 } },
  { pattern: "cascade", options: {} },
] as const;

const bounds = fc.record({
  turnsPerAgent: fc.integer({ min: 1, max: 4 }),
  messages: fc.integer({ min: 1, max: 12 }),
  pingPong: fc.integer({ min: 2, max: 6 }),
});

type Bounds = typeof bounds extends fc.Arbitrary<infer Value> ? Value : never;

function workflowOf(
  given: Behaviour,
  pattern: (typeof PATTERNS)[number],
  written: Bounds,
): TestWorkflow {
  const { agents } = unrulyTeam(given);
  const tiers = agents.map(({ id }) => ({ agent: id }));
  return {
    ...pattern,
    agents,
    ...(pattern.pattern === "cascade" ? { options: { tiers } } : {}),
    turns: { maxAttempts: given.maxAttempts, retryDelayMs: 0, bounds: written },
  };
}

/** What is asked after a bound is broken: of each agent once, with a reminder, in each attempt. */
function closingTurns({ agents, maxAttempts }: Pick<Behaviour, "agents" | "maxAttempts">): number {
  return agents * 2 * maxAttempts;
}

function expectWithin(run: FinishedRun, given: Behaviour, written: Bounds): void {
  expect(["completed", "failed", "limit-reached"]).toContain(run.outcome);
  const perAgent = new Map<string, number>();
  let messages = 0;
  let after = 0;
  for (const event of run.events) {
    if (event.type === "message-posted" && run.state.agents.has(event.from)) messages += 1;
    if (event.type !== "turn-started") continue;
    perAgent.set(event.agent, (perAgent.get(event.agent) ?? 0) + 1);
    if (messages > written.messages) after += 1;
  }
  for (const [agent, turns] of perAgent)
    expect(turns, agent).toBeLessThanOrEqual(written.turnsPerAgent + 1 + 2 * given.maxAttempts);
  expect(after).toBeLessThanOrEqual(closingTurns(given) + given.agents);
  if (run.outcome === "limit-reached")
    expect(run.all("run-ended")[0]?.reason).toMatch(
      /options\.bounds\.(turnsPerAgent|messages|pingPong)|nothing new/,
    );
}

test.each(PATTERNS)(
  "whatever its agents do, $pattern ends within the bounds that are written for it, with the bound as the reason [PAT-bounds]",
  async (pattern) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(behaviour, bounds, async (given, written) => {
        fc.pre(pattern.pattern !== "debate" || given.agents > 1);
        const { functions, turns } = unrulyTeam(given);
        const workflow = workflowOf(given, pattern, written);
        const run = await runWorkflowInMemory(workflow, { task: "go", functions, turns });
        expectWithin(run, given, written);
        seen.add(run.outcome);
      }),
      { numRuns: casesOf(300) },
    );
    expect(seen).toContain("completed");
    if (pattern.pattern !== "consensus") expect(seen).toContain("limit-reached");
  },
  300_000,
);

test.each(PATTERNS)(
  "$pattern that dies on its way to a bound comes to the same end [PAT-bounds, ENG-2]",
  async (pattern) => {
    const agents = [{ id: "a" }, { id: "b" }];
    const say = (text: string) => ({ repeat: "cycle", turns: [{ say: text }] });
    const turns = {
      a: say("ARGUMENT: mine\nHANDOFF: b yours"),
      b: say("ARGUMENT: mine\nHANDOFF: a yours"),
    };
    const options =
      pattern.pattern === "cascade"
        ? { tiers: agents.map(({ id }) => ({ agent: id })) }
        : pattern.options;
    const workflow: TestWorkflow = {
      ...{ pattern: pattern.pattern, options, agents },
      turns: {
        maxAttempts: 1,
        retryDelayMs: 0,
        bounds: { turnsPerAgent: pattern.pattern === "cascade" ? 1 : 2 },
      },
    };
    const store = createCuttableStore();
    const whole = await runWorkflowInMemory(workflow, { store, task: "go", turns });
    const essence = ({ outcome, result }: FinishedRun) => {
      return { outcome, output: result?.output, metadata: result?.metadata };
    };
    for (const seq of store.commits(whole.id).slice(0, -1)) {
      const cut = await store.cutAfter(whole.id, seq);
      const resumed = await resumeInMemory(whole.id, { store: cut });
      expect(essence(await resumed.over()), `after event ${seq}`).toEqual(essence(whole));
    }
  },
  120_000,
);
