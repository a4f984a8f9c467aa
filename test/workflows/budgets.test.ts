import { expect, test } from "vitest";
import { fileWith, load, problemsOf } from "./load-options.ts";

test("budgets of the run, of agents and of steps are resolved with their times in ms [LIM-1.turns, WF-10.budget]", () => {
  const { definition, problems } = load(`name: flow
pattern: dag
budget: { cost: 5.00, tokens: 2000000, turns: 200, messages: 1000, agents: 4, wallClock: 2h, soft: 0.9 }
agents:
  - { id: a, budget: { turns: 5, messages: 10, agents: 1, wallClock: 90s } }
  - { id: b, constraints: { maxTokens: 200000, maxDuration: 20m } }
  - { id: c, budget: { tokens: 10, cost: 1 }, constraints: { maxTokens: 20 } }
steps:
  - { id: s, agent: a, budget: { cost: 0.5, soft: 0.5 } }
  - { id: t, agent: b }
  - { id: u, agent: c }
`);
  expect(problems).toEqual([]);
  expect(definition?.budget).toEqual({
    ...{ cost: 5, tokens: 2_000_000, turns: 200, messages: 1000, agents: 4 },
    ...{ wallClockMs: 7_200_000, soft: 0.9 },
  });
  expect(definition?.agents.map(({ budget }) => budget)).toEqual([
    { turns: 5, messages: 10, agents: 1, wallClockMs: 90_000 },
    { tokens: 200_000, wallClockMs: 1_200_000 },
    // The lower one of two that say the same.
    { tokens: 10, cost: 1 },
  ]);
  expect(definition?.steps.map(({ budget }) => budget)).toEqual([
    { cost: 0.5, soft: 0.5 },
    undefined,
    undefined,
  ]);
});

test.each([
  ["budget: { wallClock: 2h }", undefined],
  ["budget: { wallClock: 2h }\noptions: { timeout: 5m }", 300_000],
  ["budget: { cost: 1 }", 600_000],
])("a limit of time stands for the default timeout: %j [LIM-1.turns]", (lines, timeoutMs) => {
  expect(load(fileWith(lines)).definition?.timeoutMs).toBe(timeoutMs);
});

test("a workflow without a budget has none in its definition [LIM-1.turns]", () => {
  const { definition } = load(fileWith("description: x"));
  expect(Object.keys(definition ?? {})).not.toContain("budget");
});

test.each([
  ["budget: { cost: 0 }", "WORKFLOW_VALUE 4:17 budget.cost must be more than 0"],
  ["budget: { cost: -1 }", "WORKFLOW_VALUE 4:17 budget.cost must be more than 0"],
  ["budget: { cost: two }", "WORKFLOW_TYPE 4:17 budget.cost must be a number, got a text"],
  ["budget: { turns: 1.5 }", expect.stringMatching(/^WORKFLOW_\w+ 4:18 budget.turns/)],
  ["budget: { soft: 2, cost: 1 }", "WORKFLOW_VALUE 4:17 budget.soft is too large: at most 1"],
  ["budget: { wallClock: 5 }", "WORKFLOW_TYPE 4:22 budget.wallClock must be a text, got a number"],
  ["budget: { wallClock: 0s }", 'WORKFLOW_DURATION 4:22 budget.wallClock: "0s" is no time at all'],
  ["budget: { soft: 0.5 }", "WORKFLOW_VALUE 4:1 budget limits nothing"],
  ["budget: {}", "WORKFLOW_VALUE 4:1 budget limits nothing"],
  ["budget: { cst: 1, turns: 1 }", 'WORKFLOW_UNKNOWN_KEY 4:11 unknown key "cst" in budget'],
])("%s is refused with its place [LIM-1.turns, WF-1]", (line, problem) => {
  expect(problemsOf(fileWith(line))).toEqual([problem]);
});

test.each([".nan", ".inf", "-.inf"])("%s is no limit [LIM-1.turns, T14]", (limit) => {
  const { definition, problems } = load(fileWith(`budget: { cost: ${limit} }`));
  expect(definition).toBeUndefined();
  expect(problems[0]).toMatchObject({ code: "WORKFLOW_SYNTAX", line: 4, column: 17 });
});

test("fewer agents than the workflow has could never start, so that is refused [LIM-1.turns]", () => {
  const file = "name: f\npattern: fan-out\nagents: [{ id: a }, { id: b }]\nbudget: { agents: 1 }";
  expect(problemsOf(file)).toEqual([
    "WORKFLOW_VALUE 4:19 budget.agents allows 1 of the 2 agents that the workflow has",
  ]);
});

test.each(["messages: 5", "agents: 2", "handoffs: 1"])(
  "%s limits runs, agents and steps alike, and has to be a whole number [LIM-1.hand-offs]",
  (limit) => {
    const [meter = "", amount] = limit.split(": ");
    const { definition, problems } = load(`name: f
pattern: dag
agents: [{ id: a, budget: { ${limit} } }]
budget: { ${limit} }
steps: [{ id: s, budget: { ${limit} } }]`);
    expect(problems).toEqual([]);
    const budget = { [meter]: Number(amount) };
    expect(definition).toMatchObject({ budget, agents: [{ budget }], steps: [{ budget }] });
    const [problem] = problemsOf(fileWith(`steps: [{ id: s, budget: { ${meter}: 1.5 } }]`));
    expect(problem).toContain(`steps.s.budget.${meter}`);
  },
);

test("durations in budgets and constraints of agents and steps are checked where they stand [LIM-1.turns]", () => {
  const file = `name: f
pattern: dag
agents: [{ id: a, budget: { wallClock: 5x }, constraints: { maxDuration: 1y } }]
steps: [{ id: s, budget: { wallClock: 9 d } }]`;
  expect(problemsOf(file)).toEqual([
    'WORKFLOW_DURATION 3:40 agents.a.budget.wallClock: "5x" is not a duration',
    'WORKFLOW_DURATION 3:74 agents.a.constraints.maxDuration: "1y" is not a duration',
    'WORKFLOW_DURATION 4:39 steps.s.budget.wallClock: "9 d" is not a duration',
  ]);
});
