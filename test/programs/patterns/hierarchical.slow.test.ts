import fc from "fast-check";
import { expect, test } from "vitest";
import { hierarchicalPattern } from "../../../src/programs/patterns/hierarchical.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { casesOf } from "../../cases.ts";
import { chaos, chaosWorkflow, expectInvariants } from "./woken-chaos.ts";
import { resumeWoken, runWoken } from "./woken-run.ts";

const deep = [
  { id: "lead", role: "lead" as const },
  { id: "a", role: "coordinator" as const, reportsTo: "lead" },
  { id: "b", role: "coordinator" as const, reportsTo: "a" },
  { id: "c", reportsTo: "b" },
  { id: "d", reportsTo: "a" },
];
const wide = [
  { id: "lead", role: "lead" as const },
  { id: "a", reportsTo: "lead" },
  { id: "b", reportsTo: "lead" },
  { id: "c", reportsTo: "a" },
  { id: "d", reportsTo: "b" },
];

test("whatever lead, coordinators and workers do, it ends within its bounds, truthfully [PAT-hierarchical]", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chaos, fc.constantFrom(deep, wide), async (given, agents) => {
      const workflow = chaosWorkflow(given, { pattern: "hierarchical", agents });
      const run = await runWoken(workflow, { task: "x", turns: given.turns });
      expectInvariants(run, given, "lead");
      seen.add(run.outcome);
      // Nobody is reported to by whom it does not know, whoever has left.
      const ids = agents.map(({ id }) => id);
      for (const { agent, to = [] } of run.state.messages.recent.map(({ from: agent, to }) => ({
        agent,
        to,
      })))
        if (agent === "system") expect(ids).toEqual(expect.arrayContaining([...to]));
    }),
    { numRuns: casesOf(1500) },
  );
  expect([...seen].toSorted()).toEqual(["completed", "failed", "limit-reached"]);
}, 300_000);

test("a run in which each team reports once takes as many turns as its pattern says at least [PAT-hierarchical]", async () => {
  const workflow = { pattern: "hierarchical", agents: wide };
  const estimate = hierarchicalPattern.turns?.(defineTestWorkflow(workflow));
  expect(estimate).toEqual({
    least: 5,
    most: null,
    basis: "1 lead + 2 coordinators + 2 workers, woken by messages, at most 50 times each",
  });
  const worker = [{ say: "DONE: part" }];
  const lead = [{ after: "9s", say: "DONE: all" }];
  const coordinator = [{ after: "3s", say: "TEAM_DONE: team" }];
  const turns = { lead, a: coordinator, b: coordinator, c: worker, d: worker };
  const run = await runWoken(workflow, { task: "x", turns });
  expect(run.outcome).toBe("completed");
  expect(run.all("turn-completed").length).toBe(7);
});

test("a run that dies after any commit comes to the same end [PAT-hierarchical, ENG-2]", async () => {
  const store = createCuttableStore();
  const whole = await runWoken(
    { pattern: "hierarchical", agents: wide },
    {
      store,
      task: "x",
      turns: {
        lead: [
          { say: "go" },
          { expect: "c did", say: "ok" },
          { expect: "no time", say: "ok" },
          { expect: "d did", say: "DONE: all" },
        ],
        a: [{ say: "ACK: a" }, { say: "TEAM_DONE: c did it" }],
        b: [{ after: "1s", say: "FAILED: no time" }],
        c: [{ say: "DONE: part" }],
        d: [{ after: "5s", say: "DONE: d did it" }],
      },
    },
  );
  expect([whole.outcome, whole.reason]).toEqual(["completed", "lead is done"]);
  const wanted = {
    reason: whole.reason,
    output: whole.result?.output,
    metadata: whole.result?.metadata,
  };
  for (const seq of store.commits(whole.id).slice(0, -1)) {
    const cut = await store.cutAfter(whole.id, seq);
    const { reason, result } = await resumeWoken(whole.id, { store: cut });
    const came = { reason, output: result?.output, metadata: result?.metadata };
    expect(came, `after event ${seq}`).toEqual(wanted);
  }
}, 120_000);
