import { expect, test } from "vitest";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { playedBackend, runAgents, said } from "../../agents/agents-run.ts";
import { runWoken } from "./woken-run.ts";

const child: AgentSpec = {
  id: "worker-1",
  role: "worker",
  backend: "played",
  reportsTo: "lead",
  spawnedBy: "lead",
};

test("an agent that the hub asked for is one of its workers, keeps the end open, and never closes it [PAT-hub-spoke, PAT-spawned.rights]", async () => {
  const definition = defineTestWorkflow({
    pattern: "hub-spoke",
    agents: [{ id: "lead", role: "hub", backend: "played" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  });
  const spawned = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  const prompts: string[] = [];
  let leadTurns = 0;
  const backend = playedBackend(async function* ({ agent, prompt, client }) {
    if (agent === "worker-1") {
      await worked.promise;
      await client.post({ to: ["lead"], text: "DONE: 3 tests" });
      yield said("DONE: 3 tests");
      return;
    }
    prompts.push(prompt);
    leadTurns += 1;
    if (leadTurns === 1) await spawned.promise;
    if (leadTurns === 2) worked.resolve();
    yield said(leadTurns === 2 ? "I wait" : "DONE: all");
  });
  const run = runAgents(
    async (context) => {
      const hire = context.scope("hire", async (branch) => {
        const turn = branch.subscribe({ kinds: ["turn-started"] });
        await branch.next(turn);
        await branch.spawn(child);
        const working = branch.turn("worker-1", "write tests");
        spawned.resolve();
        await working;
      });
      const {
        metadata,
        outcome,
        output = null,
      } = await toHubPattern(hubSpokeKind).run(context, definition);
      await hire.result;
      return { metadata, outcome, output };
    },
    { backend, clock: systemClock },
  );
  expect(await run.over()).toEqual({
    outcome: "completed",
    output: "all",
    metadata: {
      hub: "lead",
      workers: [{ agent: "worker-1", status: "done", summary: "3 tests", spawned: true }],
      unfinished: [],
    },
  });
  expect(prompts[1]).toContain("Still open: worker-1; DONE again ends without them.");
  expect(prompts[2]).toContain("3 tests");
});

const spawn = { call: { tool: "spawn_agent", arguments: { prompt: "look" } } };
const turns = { maxAttempts: 1, retryDelayMs: 0 };

test.each([
  ["hub-spoke", { id: "lead", role: "hub" }],
  ["hierarchical", { id: "lead", role: "lead" }],
  ["collab", { id: "lead" }],
] as const)(
  "in a %s an agent that is spawned is a worker with a number, and reports to whoever spawned it [PAT-spawned.place]",
  async (pattern, lead) => {
    const run = await runWoken(
      { pattern, agents: [lead], turns },
      {
        task: "x",
        turns: {
          lead: [
            { do: [spawn, spawn], say: "go" },
            { expect: "first", say: "hm" },
            { expect: "second", say: "DONE: ok" },
          ],
          "worker-1": [{ say: "DONE: first" }],
          "worker-2": [{ after: "5s", say: "DONE: second" }],
        },
      },
    );
    expect(run.outcome).toBe("completed");
    expect(run.result?.output).toBe("ok");
    const spawned = run
      .all("agent-spawned")
      .flatMap(({ spec }) => (spec.spawnedBy === undefined ? [] : [spec]));
    const place = { role: "worker", reportsTo: "lead", spawnedBy: "lead" };
    expect(spawned).toMatchObject([
      { id: "worker-1", ...place },
      { id: "worker-2", ...place },
    ]);
    expect(run.turns).toEqual({ lead: 3, "worker-1": 1, "worker-2": 1 });
  },
);

test("agents that are spawned in a pattern count in the limit of those that live [PAT-spawned.limits]", async () => {
  const lead = [{ do: Array(17).fill(spawn), say: "go" }, ...Array(3).fill({ say: "DONE: ok" })];
  const run = await runWoken(
    { pattern: "hub-spoke", agents: [{ id: "lead", role: "hub" }], turns },
    { task: "x", turns: { lead, "*": [{ say: "DONE: a part" }] } },
  );
  const answers = run.all("tool-returned").map(({ isError, result }) => ({ isError, result }));
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(16);
  expect(answers.at(-1)).toEqual({
    isError: true,
    result: expect.stringContaining("AGENT_LIMIT_RUNNING"),
  });
  expect(run.all("agent-spawned")).toHaveLength(17);
});

test("agents that are spawned in a pattern count in budget.agents [PAT-spawned.limits]", async () => {
  const lead = [{ do: [spawn, spawn], say: "go" }, { say: "DONE: ok" }];
  const run = await runWoken(
    { pattern: "hub-spoke", agents: [{ id: "lead", role: "hub" }], turns },
    { task: "x", budget: { agents: 2 }, turns: { lead, "*": [{ say: "DONE: a part" }] } },
  );
  expect(run.all("agent-spawned").map(({ agent }) => agent)).toEqual(["lead", "worker-1"]);
  expect(run.outcome).toBe("limit-reached");
  expect(run.reason).toContain("stopped at 2 agents (max_agents)");
});

test("an agent that is spawned neither votes nor judges, by word or by tool [PAT-spawned.rights]", async () => {
  const signal = (kind: string, value: string) => ({ signal: { kind, value } });
  const run = (pattern: string, own: string, child: Json) =>
    runWoken(
      {
        ...{ pattern, turns, agents: [{ id: "a", spawns: true }, { id: "b" }] },
        options: pattern === "debate" ? { maxRounds: 1 } : {},
      },
      {
        task: "x",
        turns: {
          a: [{ do: [spawn, { call: { tool: "wait" } }], say: own }],
          b: [{ say: "FAILED: no" }],
          "worker-1": [child],
        },
      },
    );
  const voted = await run("consensus", "VOTE: approve", {
    do: [signal("vote", "reject")],
    say: "VOTE: reject\nDONE: ok",
  });
  expect(voted.turns["worker-1"]).toBe(1);
  const given = voted.all("signal-received").filter(({ agent }) => agent === "worker-1");
  expect(given.map(({ signal: { kind }, counted, refused }) => [kind, counted, refused])).toEqual([
    ["vote", false, "only voters vote"],
    ["done", true, undefined],
    ["vote", false, "only voters vote"],
  ]);
  const votes = voted.all("pattern-advanced").filter(({ kind }) => kind === "vote");
  expect(votes).toMatchObject([{ data: { agent: "a" } }]);
  expect(voted.result?.metadata).toMatchObject({
    ...{ electorate: ["a", "b"], missing: ["b"], votes: [{ agent: "a", vote: "approve" }] },
    tally: { approve: 1, reject: 0, cast: 1 },
  });
  const judged = await run("debate", "ARGUMENT: x", {
    do: [signal("verdict", "b")],
    say: "VERDICT: b\nDONE: ok",
  });
  expect(judged.turns["worker-1"]).toBe(1);
  expect(judged.result).toMatchObject({
    output: "converged: a",
    metadata: { verdict: null, winner: "a" },
  });
});
