import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { debatePattern } from "../../../src/programs/patterns/debate.ts";
import { defineTestWorkflow, type TestAgent } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { promptsOf, runTalkCase } from "./talk-runs.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const positions = { mono: "monorepo", poly: "polyrepo" };
const sides = [{ id: "mono" }, { id: "poly" }];

test("debaters hear the arguments of the round before, and the judge all of them by rounds [PAT-debate, PAT-output.debate, PAT-debate-2.judge, PAT-debate-2.verdict, PAT-debate-2.report]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 2 },
    },
    {
      task: "where does the code live",
      turns: {
        mono: [
          { say: "ARGUMENT: one place" },
          { expect: "round 1, argument of poly", say: "ARGUMENT: tools exist\nDONE: monorepo" },
        ],
        poly: [
          { say: "ARGUMENT: many owners" },
          { expect: "one place", say: "ARGUMENT: builds are fast\nDONE: polyrepo" },
        ],
        judge: [
          { expect: "round 2, argument of poly", say: "VERDICT: Monorepo.\nDONE: fewer seams" },
        ],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "Monorepo.\n\nfewer seams",
    metadata: {
      rounds: [
        {
          round: 1,
          arguments: [
            { agent: "mono", text: "one place", conceded: false },
            { agent: "poly", text: "many owners", conceded: false },
          ],
        },
        {
          round: 2,
          arguments: [
            { agent: "mono", text: "tools exist\n\nmonorepo", conceded: false },
            { agent: "poly", text: "builds are fast\n\npolyrepo", conceded: false },
          ],
        },
      ],
      verdict: "Monorepo.",
      judgeReasoning: "fewer seams",
      winner: "monorepo",
    },
  });
});

test("a debate ends when all others have conceded; without a judge the position that is left stands [PAT-debate, PAT-output.debate, PAT-debate-2.demand, PAT-debate-2.end, PAT-debate-2.report]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "debate", agents: sides, turns, options: { positions } },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }, { say: "ARGUMENT: b" }],
        poly: [{ say: "ARGUMENT: c" }, { say: "ARGUMENT: never mind\nCONCEDE: you are right" }],
      },
    },
  );
  expect(run.result).toMatchObject({
    output: "converged: monorepo",
    metadata: {
      winner: "monorepo",
      rounds: [{ round: 1 }, { round: 2, arguments: [{ conceded: false }, { conceded: true }] }],
    },
  });
  expect(run.all("turn-completed")).toHaveLength(4);
});

test("positions that stand after the last round are a split, and so are sides that concede at once [PAT-output.debate, PAT-debate-2.end]", async () => {
  const workflow = {
    pattern: "debate",
    agents: sides,
    turns,
    options: { positions, maxRounds: 1 },
  };
  const stood = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "ARGUMENT: a" }] },
  });
  expect(stood.result?.output).toBe("split: monorepo / polyrepo");
  const fell = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "CONCEDE: fine" }] },
  });
  expect(fell.result).toMatchObject({
    output: "split: monorepo / polyrepo",
    metadata: { winner: null },
  });
});

test("debaters of one position converge at once unless the file wants all rounds [PAT-debate-2.end, PAT-debate-2.block]", async () => {
  const same = { mono: "one", poly: "one" };
  const turnsOf = async (early: { readonly earlyConvergence?: boolean }) => {
    const run = await runWorkflowInMemory(
      { pattern: "debate", agents: sides, turns, options: { positions: same, ...early } },
      { task: "x", turns: { "*": { repeat: "last", turns: [{ say: "ARGUMENT: a" }] } } },
    );
    expect(run.result?.output).toBe("converged: one");
    return run.all("turn-completed").length;
  };
  expect(await turnsOf({})).toBe(2);
  expect(await turnsOf({ earlyConvergence: true })).toBe(2);
  expect(await turnsOf({ earlyConvergence: false })).toBe(6);
});

test("its block names positions, judge and bounds, and two debaters at least [PAT-debate-2.block]", () => {
  const problems = (agents: readonly TestAgent[], options: { readonly [key: string]: Json }) =>
    debatePattern.check?.(defineTestWorkflow({ pattern: "debate", agents, options }));
  const bounds = { maxRounds: 2, earlyConvergence: false };
  const options = { topic: "where", positions, judge: "Judge", ...bounds };
  expect(problems([...sides, { id: "judge" }], options)).toEqual([]);
  expect(problems([...sides, { id: "judge" }], { positions: { mono: "one" } })).toMatchObject([
    { problem: "a debate needs 2 debaters, there is 1" },
  ]);
  expect(problems([{ id: "mono" }, { id: "judge", role: "judge" }], {})).toMatchObject([
    { problem: "a debate needs 2 debaters, there is 1" },
  ]);
});

test("all argue at once, and each hears what the others said in the round before; the last round asks for DONE too [PAT-debate-2.rounds, PAT-debate-2.demand]", async () => {
  const argue = (text: string) => ({ after: "1s", say: text });
  const run = await runTalkCase(
    { pattern: "debate", agents: sides, turns, options: { positions } },
    {
      mono: ["ARGUMENT: m1", "ARGUMENT: m2", "ARGUMENT: m3\nDONE: mine"].map(argue),
      poly: ["hm", "ARGUMENT: p1", "ARGUMENT: p2", "ARGUMENT: p3\nDONE: ours"].map(argue),
    },
  );
  expect(run.result?.output).toBe("split: monorepo / polyrepo");
  const steps = run.events.flatMap(({ type }) =>
    type === "turn-started" || type === "turn-completed" ? [type.at(5)] : [],
  );
  // The side that says neither is reminded in the first round.
  expect(steps.join("")).toBe("ssccscssccsscc");
  const shown = promptsOf(run, "mono").map((prompt) => ({
    heard: prompt.match(/\b[mp]\d\b/g) ?? [],
    done: prompt.includes("after it a line `DONE:"),
  }));
  expect(shown).toEqual([
    { heard: [], done: false },
    { heard: ["p1"], done: false },
    { heard: ["p2"], done: true },
  ]);
  expect(promptsOf(run, "poly")[1]).toContain("ARGUMENT: <your argument>");
});

test.each([
  ["MONO", "monorepo"],
  ["POLYREPO", "polyrepo"],
  ["neither of them", null],
])(
  "a judge has one turn after convergence too, and its verdict %s names the winner %s [PAT-debate-2.judge, PAT-debate-2.verdict]",
  async (verdict, winner) => {
    const run = await runWorkflowInMemory(
      {
        pattern: "debate",
        agents: [...sides, { id: "judge", role: "judge" }],
        turns,
        options: { positions },
      },
      {
        task: "x",
        turns: {
          mono: [{ say: "ARGUMENT: a" }, { say: "ARGUMENT: b" }],
          poly: [{ say: "ARGUMENT: c" }, { say: "CONCEDE: d" }],
          judge: [{ say: `VERDICT: ${verdict}\nDONE: why` }],
        },
      },
    );
    expect(run.outcome).toBe("completed");
    expect(run.result?.metadata).toMatchObject({ verdict, winner });
    const prompts = promptsOf(run, "judge");
    expect(prompts).toHaveLength(1);
    const labels = prompts[0]?.match(/(?<=<<<data_\w+ )round \d, \w+ of \w+\n\w/g);
    expect(labels).toEqual([
      "round 1, argument of mono\na",
      "round 1, argument of poly\nc",
      "round 2, argument of mono\nb",
      "round 2, concession of poly\nd",
    ]);
  },
);

test("a debater that fails leaves, and a debate that nobody is left of has failed [PAT-fail.last]", async () => {
  const workflow = { pattern: "debate", agents: sides, turns, options: { positions } };
  const one = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { mono: [{ say: "ARGUMENT: a" }], poly: [{ say: "FAILED: no" }] },
  });
  expect(one.result?.output).toBe("converged: monorepo");
  const none = await runWorkflowInMemory(workflow, {
    task: "x",
    turns: { "*": [{ say: "FAILED: no" }] },
  });
  expect(none.outcome).toBe("failed");
});

test("a judge that gives no verdict after its reminder fails the debate, which keeps its rounds [PAT-edges.signals, PAT-debate-2.verdict, PAT-debate-2.report]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 1 },
    },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }],
        poly: [{ say: "VERDICT: poly\nARGUMENT: b" }],
        judge: [{ say: "hm" }, { say: "hm" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({
    rounds: [{ round: 1, arguments: [{ text: "a" }, { text: "b" }] }],
    verdict: null,
  });
  const refused = run.all("signal-received").filter(({ counted }) => !counted);
  expect(refused).toMatchObject([{ agent: "poly", refused: "only the judge gives a verdict" }]);
});

test("the position that is left has not won when the judge gives no verdict", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [...sides, { id: "judge", role: "judge" }],
      turns,
      options: { positions, maxRounds: 1 },
    },
    {
      task: "x",
      turns: {
        mono: [{ say: "ARGUMENT: a" }],
        poly: [{ say: "CONCEDE: you are right" }],
        judge: [{ say: "hm" }, { say: "hm" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({ verdict: null, winner: null });
});

test("programs argue and judge with their text; each turn has the topic again, for they remember nothing [PAT-plain.answers, PAT-plain.told]", async () => {
  const told: string[] = [];
  const program = { backend: "function" };
  const run = await runWorkflowInMemory(
    {
      pattern: "debate",
      agents: [
        { id: "mono", ...program },
        { id: "poly", ...program },
        { id: "judge", role: "judge", ...program },
      ],
      turns,
      options: { maxRounds: 2 },
    },
    {
      task: "the topic",
      functions: {
        mono: ({ task }) => {
          told.push(task);
          return "mine";
        },
        poly: () => "ours",
        judge: () => "poly\nit is better",
      },
    },
  );
  expect(told).toHaveLength(2);
  expect(told[1]).toMatch(/^the topic\n\n[\s\S]*round 1, argument of poly\nours/);
  expect(run.result?.metadata).toMatchObject({
    verdict: "poly",
    judgeReasoning: "it is better",
    winner: "poly",
  });
});

test("an argument that a tool gives reaches the opponent although its text says nothing", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "debate", agents: sides, turns, options: { positions, maxRounds: 2 } },
    {
      task: "x",
      turns: {
        mono: [
          { do: [{ signal: { kind: "argument", value: "by tool" } }], say: "" },
          { say: "ARGUMENT: z" },
        ],
        poly: [{ say: "ARGUMENT: c" }, { expect: "by tool", say: "CONCEDE: yes" }],
      },
    },
  );
  expect(run.result?.output).toBe("converged: monorepo");
});
