import { expect, test } from "vitest";
import { hierarchicalPattern } from "../../../src/programs/patterns/hierarchical.ts";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import {
  defineTestWorkflow,
  type TestAgent,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { runWoken } from "./woken-run.ts";

const tree: TestWorkflow = {
  pattern: "hierarchical",
  agents: [
    { id: "l", role: "lead" },
    { id: "fe", role: "coordinator", reportsTo: "l" },
    { id: "be", role: "coordinator", reportsTo: "l" },
    { id: "react", role: "worker", reportsTo: "fe", task: "React" },
    { id: "css", role: "worker", reportsTo: "fe", task: "CSS" },
    { id: "api", role: "worker", reportsTo: "be", task: "API" },
  ],
};

const done = (text: string) => [{ say: `DONE: ${text}` }];

test("workers report to their coordinator, coordinators to the lead, whose DONE ends it all [PAT-hierarchical, PAT-speak.report, PAT-turns.woken, PAT-finish.closer, PAT-output.closer, PAT-hierarchical-2.start, PAT-hierarchical-2.reports, PAT-hierarchical-2.report]", async () => {
  const run = await runWoken(tree, {
    task: "an app",
    turns: {
      l: [{ say: "go" }, { expect: "TEAM_DONE", say: "hm" }, { say: "DONE: an app" }],
      fe: [
        { say: "ACK: fe" },
        { expect: "DONE: 3 components", after: "2s", say: "TEAM_DONE: a front end" },
      ],
      be: [
        { say: "ACK: be" },
        { expect: "DONE: 4 routes", after: "1s", say: "TEAM_DONE: a back end" },
      ],
      react: [{ expect: "React", say: "DONE: 3 components" }],
      css: [{ expect: "CSS", say: "DONE: 1 sheet" }],
      api: [{ expect: "API", say: "DONE: 4 routes" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "an app",
    metadata: {
      tree: [
        { agent: "l", role: "lead", reportsTo: null, status: "done", summary: "an app" },
        {
          agent: "fe",
          role: "coordinator",
          reportsTo: "l",
          status: "done",
          summary: "a front end",
        },
        { agent: "be", role: "coordinator", reportsTo: "l", status: "done", summary: "a back end" },
        {
          agent: "react",
          role: "worker",
          reportsTo: "fe",
          status: "done",
          summary: "3 components",
        },
        { agent: "css", role: "worker", reportsTo: "fe", status: "done", summary: "1 sheet" },
        { agent: "api", role: "worker", reportsTo: "be", status: "done", summary: "4 routes" },
      ],
      unfinished: [],
    },
  });
  const readyAt = (id: string) =>
    run.all("agent-ready").find(({ agent }) => agent === id)?.seq ?? 0;
  const startedAt = (id: string) =>
    run.all("turn-started").find(({ agent }) => agent === id)?.seq ?? 0;
  for (const [id, above] of Object.entries({ fe: "l", be: "l", react: "fe", api: "be" }))
    expect(startedAt(id)).toBeGreaterThan(readyAt(above));
  expect(run.said).toContain("react > fe: DONE: 3 components");
  expect(run.said).toContain("fe > l: TEAM_DONE: a front end");
  expect(run.said.filter((line) => line.startsWith("api"))).toEqual(["api > be: DONE: 4 routes"]);
});

test("a coordinator that is quiet below without TEAM_DONE is reminded once, then its workers report to its lead [PAT-hierarchical, PAT-hierarchical-2.reminder]", async () => {
  const run = await runWoken(
    {
      ...tree,
      agents: [
        { id: "l", role: "lead" },
        { id: "fe", role: "coordinator", reportsTo: "l" },
        { id: "css", role: "worker", reportsTo: "fe" },
      ],
    },
    {
      task: "x",
      turns: {
        l: [
          { say: "go" },
          { say: "I see" },
          { say: "I see" },
          { expect: "fe takes part no more", say: "@css go on" },
          { say: "DONE: ok" },
        ],
        fe: [
          { say: "ACK: ok" },
          { say: "ok" },
          { expect: "Nobody works any more. Still open: css", say: "ok" },
        ],
        css: [{ say: "what?" }, { expect: "go on", say: "DONE: 1 sheet" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result?.metadata).toMatchObject({
    tree: [
      { agent: "l", status: "done" },
      { agent: "fe", status: "failed" },
      { agent: "css", reportsTo: "l", status: "done", summary: "1 sheet" },
    ],
  });
  expect(run.said.at(-2)).toBe("css > l: DONE: 1 sheet");
  expect(run.turns["fe"]).toBe(3);
});

test("coordinators may have coordinators below them, whose TEAM_DONE goes one level up [PAT-hierarchical-2.deep, PAT-hierarchical-2.reports]", async () => {
  const run = await runWoken(
    {
      ...tree,
      agents: [
        { id: "l", role: "lead" },
        { id: "web", role: "coordinator", reportsTo: "l" },
        { id: "fe", role: "coordinator", reportsTo: "web" },
        { id: "css", role: "worker", reportsTo: "fe" },
      ],
    },
    {
      task: "an app",
      turns: {
        l: [{ say: "go" }, { expect: "a web", say: "DONE: an app" }],
        web: [{ say: "ACK: web" }, { expect: "a front end", say: "TEAM_DONE: a web" }],
        fe: [{ say: "ACK: fe" }, { expect: "1 sheet", say: "TEAM_DONE: a front end" }],
        css: done("1 sheet"),
      },
    },
  );
  expect(run).toMatchObject({ outcome: "completed", reason: "l is done" });
  expect(run.said.filter((line) => line.includes("DONE"))).toEqual([
    "css > fe: DONE: 1 sheet",
    "fe > web: TEAM_DONE: a front end",
    "web > l: TEAM_DONE: a web",
    "l: DONE: an app",
  ]);
  expect(run.turns).toEqual({ l: 2, web: 2, fe: 2, css: 1 });
});

test("the first DONE of a lead with open teams is answered, the second ends without them [PAT-finish.open]", async () => {
  const run = await runWoken(tree, {
    task: "x",
    turns: {
      l: [
        { after: "1s", say: "DONE: early" },
        { expect: "Still open: fe, be", after: "1s", say: "DONE: enough" },
      ],
      fe: [{ hang: true }],
      be: [{ hang: true }],
    },
  });
  expect([run.outcome, run.reason]).toEqual(["completed", "l is done without fe, be"]);
  expect(run.result).toMatchObject({ output: "enough", metadata: { unfinished: ["fe", "be"] } });
  const { tree: members } = Object(run.result?.metadata);
  expect(members.slice(1, 3)).toMatchObject([{ status: "released" }, { status: "released" }]);
});

test("a lead that says nothing more once nobody works is reminded once, then it has failed [PAT-finish.silent]", async () => {
  const agents: readonly TestAgent[] = [
    { id: "l", role: "lead" },
    { id: "css", reportsTo: "l" },
  ];
  const run = await runWoken(
    { ...tree, agents },
    {
      task: "x",
      turns: {
        l: [{ say: "go" }, { say: "I see" }, { expect: "Nobody works any more.", say: "hm" }],
        css: done("1 sheet"),
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.turns["l"]).toBe(3);
  expect(run.state.steps.byPath.get("l")).toMatchObject({ error: { code: "AGENT_NO_SIGNAL" } });
});

test("messages across levels are refused with the way to go instead [PAT-hierarchical, PAT-edges.tree, PAT-edges.refused, PAT-speak.mentions]", async () => {
  const run = await runWoken(tree, {
    task: "x",
    turns: {
      l: [{ say: "@react do it" }, ...Array(9).fill({ say: "DONE: enough" })],
      fe: [{ say: "ACK: fe" }, { say: "TEAM_DONE: a" }],
      be: [{ say: "ACK: be" }, { say: "TEAM_DONE: b" }],
      react: [{ do: [{ send: { to: "l", text: "hi" } }], say: "DONE: a" }],
      css: done("b"),
      api: done("c"),
    },
  });
  const { react } = run.turns;
  expect(react).toBe(1);
  expect(run.state.steps.byPath.get("react")).toMatchObject({
    status: "failed",
    error: { code: "MESSAGE_NOT_PERMITTED", hint: expect.stringContaining("fe") },
  });
  expect(run.all("author-told")).toMatchObject([
    { agent: "l", text: "You may not write to react in this pattern, so they were not told." },
  ]);
});

test("what a program says that leads is a message until it has a line DONE, and what one says that works is its DONE [PAT-plain.closer, PAT-plain.answers]", async () => {
  const answers = ["go on", "thanks\nDONE"];
  const run = await runWoken(
    {
      pattern: "hierarchical",
      agents: [
        { id: "l", role: "lead", backend: "function" },
        { id: "css", reportsTo: "l", backend: "function" },
      ],
    },
    {
      task: "x",
      functions: {
        l: () => answers.shift(),
        css: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return "1 sheet";
        },
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.said).toEqual(["l: go on", "css > l: 1 sheet", "l: thanks\nDONE"]);
  expect(run.result?.metadata).toMatchObject({
    tree: [{ agent: "l" }, { agent: "css", status: "done", summary: "1 sheet" }],
  });
});

test("in a tree parent and child write to each other, and so do siblings of one parent [PAT-edges.tree]", () => {
  const cast = hierarchicalPattern.members?.(defineTestWorkflow(tree)) ?? [];
  const agents = cast.map(({ id, writesTo = [] }) => [id, writesTo.slice(0, -2)]);
  expect(Object.fromEntries(agents)).toEqual({
    l: ["fe", "be"],
    fe: ["l", "be", "react", "css"],
    be: ["l", "fe", "api"],
    react: ["fe", "css"],
    css: ["fe", "react"],
    api: ["be"],
  });
  expect(cast.every(({ writesTo }) => writesTo?.slice(-2).join() === "user,#")).toBe(true);
});

function problems(
  pattern: "hierarchical" | "hub-spoke",
  agents: readonly TestAgent[],
  options = {},
) {
  const { check } = pattern === "hierarchical" ? hierarchicalPattern : toHubPattern(hubSpokeKind);
  return check?.(defineTestWorkflow({ pattern, agents, options })).map(({ problem }) => problem);
}

test("a tree has one root, no circle, and roles that fit [PAT-hierarchical, PAT-hierarchical-2.deep]", () => {
  expect(problems("hierarchical", tree.agents)).toEqual([]);
  const cases: readonly (readonly TestAgent[])[] = [
    [
      { id: "a", reportsTo: "b" },
      { id: "b", reportsTo: "a" },
    ],
    [{ id: "a" }, { id: "b" }],
    [{ id: "a" }, { id: "b", reportsTo: "c" }, { id: "c", reportsTo: "b" }],
    [{ id: "a" }, { id: "b", reportsTo: "x" }],
    [{ id: "a" }, { id: "w", role: "worker", reportsTo: "a" }, { id: "c", reportsTo: "w" }],
    [{ id: "a", role: "worker" }],
    [{ id: "a" }, { id: "b", role: "lead", reportsTo: "a" }],
  ];
  expect(cases.map((agents) => problems("hierarchical", agents))).toEqual([
    ["nobody leads: every agent reports to another"],
    ['agents "a" and "b" both report to nobody'],
    ['agent "b" reports in a circle, never to "a"', 'agent "c" reports in a circle, never to "a"'],
    ['agent "b" reports to "x", who takes no part'],
    ['agents report to "w", whose role is worker'],
    ['agent "a" reports to nobody, but its role is worker'],
    ['agent "b" has the role lead, but reports to "a"'],
  ]);
});

test("a hub is the only hub, else the only lead, else whom others report to [PAT-hierarchical, PAT-who.hub]", () => {
  const cases: readonly [readonly TestAgent[], { readonly [key: string]: string | boolean }][] = [
    [
      [
        { id: "a", role: "lead" },
        { id: "b", role: "hub" },
      ],
      {},
    ],
    [[{ id: "a" }, { id: "b", reportsTo: "a" }], {}],
    [[{ id: "a" }, { id: "b" }], { agent: "B" }],
    [[{ id: "a" }, { id: "b" }], {}],
    [
      [
        { id: "a", role: "lead" },
        { id: "b", role: "lead" },
      ],
      {},
    ],
    [[{ id: "a" }, { id: "b" }], { agent: "x" }],
    [[{ id: "a", role: "hub" }, { id: "b" }, { id: "c", reportsTo: "b" }], {}],
    [[{ id: "a", role: "hub" }], { canSpawn: false }],
  ];
  expect(cases.map(([agents, options]) => problems("hub-spoke", agents, options))).toEqual([
    [],
    [],
    [],
    ["hub-spoke needs a hub, and no agent is one"],
    ["hub-spoke needs one hub, and a and b could be it"],
    ['agent names "x", who is no agent'],
    ['agent "c" reports to "b", but the hub is "a"'],
    ["the hub has no workers, and may not spawn any"],
  ]);
});
