import { expect, test } from "vitest";
import type { AgentBackend } from "../../../src/contracts/backend.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { isRecord } from "../../../src/foundation/json.ts";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { playedBackend, runAgents } from "../../agents/agents-run.ts";
import { runWoken } from "./woken-run.ts";

const wheel: TestWorkflow = {
  pattern: "hub-spoke",
  agents: [
    { id: "lead", role: "lead" },
    { id: "db", task: "models" },
    { id: "api", task: "routes" },
  ],
};

test("workers start beside the hub with their parts, their answers wake it, and its DONE ends it all [PAT-hub-spoke, PAT-speak.report, PAT-speak.channel, PAT-turns.woken, PAT-delta.convention, PAT-edges.signals, PAT-finish.closer, PAT-output.closer, PAT-hub-spoke-2.report]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "off we go" }, { say: "DONE: a blog with 2 tables" }],
      db: [{ expect: "models", say: "DONE: 2 tables" }],
      api: [{ expect: "routes", say: "DONE: 4 routes" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.reason).toBe("lead is done");
  expect(run.result).toMatchObject({
    output: "a blog with 2 tables",
    metadata: {
      hub: "lead",
      workers: [
        { agent: "db", status: "done", summary: "2 tables", spawned: false },
        { agent: "api", status: "done", summary: "4 routes", spawned: false },
      ],
      unfinished: [],
    },
  });
  expect(run.said).toEqual([
    "lead: off we go",
    "db > lead: DONE: 2 tables",
    "api > lead: DONE: 4 routes",
    "lead: DONE: a blog with 2 tables",
  ]);
  expect(run.turns).toEqual({ lead: 2, db: 1, api: 1 });
  const prompts = run
    .all("operation-scheduled")
    .flatMap(({ op, input }) => (op.includes("lead/turn#") && isRecord(input) ? [input] : []))
    .map(({ prompt }) => String(prompt));
  expect(prompts[0]).toContain("You are the hub");
  expect(prompts.slice(1)).toEqual([
    "There is news for you. This is your turn 2 of at most 50. When your part is done, a line `DONE: <what all of you came to>` ends it.",
  ]);
});

test("workers start with their parts once the hub has a session, during its first turn; without a session none starts [PAT-hub-spoke-2.start]", async () => {
  const turns = {
    lead: [{ after: "2s", say: "go" }, { say: "DONE: ok" }],
    db: [{ expect: "models", say: "DONE: 2 tables" }],
    api: [{ expect: "routes", say: "DONE: 4 routes" }],
  };
  const run = await runWoken(wheel, { task: "a blog", turns });
  const steps = run.events.flatMap((event) =>
    event.type === "agent-ready" || event.type === "turn-started" || event.type === "turn-completed"
      ? [`${event.agent} ${event.type}`]
      : [],
  );
  for (const worker of ["db", "api"]) {
    const start = steps.indexOf(`${worker} turn-started`);
    expect(start).toBeGreaterThan(steps.indexOf("lead agent-ready"));
    expect(start).toBeLessThan(steps.indexOf("lead turn-completed"));
  }
  const opened: string[] = [];
  const open: AgentBackend["open"] = async ({ spec }) => {
    opened.push(spec.id);
    throw new Error("no key");
  };
  const played = wheel.agents.map((agent) => ({ ...agent, backend: "played" }));
  const definition = defineTestWorkflow({ ...wheel, agents: played });
  const dead = runAgents(
    async (context) => (await toHubPattern(hubSpokeKind).run(context, definition)).outcome,
    { backend: playedBackend(async function* () {}, { open }), clock: systemClock },
  );
  expect(await dead.over()).toBe("failed");
  expect(opened).toEqual(["lead"]);
});

test("its block names the hub, and whether it may spawn [PAT-hub-spoke-2.block]", async () => {
  const agents = [{ id: "db" }, { id: "boss" }, { id: "api" }];
  const run = await runWoken(
    { ...wheel, agents, options: { agent: "Boss" } },
    {
      task: "a blog",
      turns: { boss: [{ say: "go" }, { after: "5s", say: "DONE: ok" }], "*": [{ say: "DONE: a" }] },
    },
  );
  expect(run.result?.metadata).toMatchObject({
    hub: "boss",
    workers: [{ agent: "db" }, { agent: "api" }],
  });
  const spawns = (options: TestWorkflow["options"]) =>
    toHubPattern(hubSpokeKind)
      .members?.(defineTestWorkflow({ ...wheel, options: options ?? {} }))
      .map((agent) => agent.spawns);
  expect(spawns({})).toEqual([true, undefined, undefined]);
  expect(spawns({ canSpawn: false })).toEqual([false, undefined, undefined]);
});

test("a worker that the hub spawned reports to it and is one of its workers [PAT-hub-spoke-2.spawned]", async () => {
  const tool = { tool: "spawn_agent", arguments: { name: "helper", prompt: "write tests" } };
  const run = await runWoken(
    { ...wheel, agents: [{ id: "lead", role: "lead" }] },
    {
      task: "a blog",
      turns: {
        lead: [
          { do: [{ call: tool }], say: "go" },
          { expect: "3 tests", say: "DONE: all" },
        ],
        helper: [{ after: "5s", say: "DONE: 3 tests" }],
      },
    },
  );
  expect(run).toMatchObject({ outcome: "completed", reason: "lead is done", turns: { lead: 2 } });
  expect(run.said).toContain("system > lead: Agent helper: completed\n\nDONE: 3 tests");
  const spawned = run.all("agent-spawned").find(({ agent }) => agent === "helper");
  expect(spawned?.spec).toMatchObject({ role: "worker", reportsTo: "lead" });
  expect(run.result?.metadata).toMatchObject({
    hub: "lead",
    workers: [{ agent: "helper", status: "done", summary: "3 tests", spawned: true }],
    unfinished: [],
  });
});

test("a hub is told of the tool that starts more workers, unless it may not [CON-4.spawn]", async () => {
  const told = async (canSpawn: boolean) => {
    const turns = { lead: [{ say: "DONE: a" }], db: [{ hang: true }], api: [{ hang: true }] };
    const run = await runWoken({ ...wheel, options: { canSpawn } }, { task: "a blog", turns });
    return JSON.stringify(run.all("operation-scheduled").map(({ input }) => input));
  };
  expect(await told(true)).toContain("The tool spawn_agent starts one more worker");
  expect(await told(false)).not.toContain("spawn_agent");
});

test("the first DONE with open work is answered, the second ends without it [PAT-hub-spoke, PAT-finish.open, PAT-hub-spoke-2.report]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "DONE: early" }, { expect: "Still open: db, api", say: "DONE: enough" }],
      db: [{ hang: true }],
      api: [{ hang: true }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.reason).toBe("lead is done without db, api");
  expect(run.result).toMatchObject({
    output: "enough",
    metadata: {
      workers: [
        { agent: "db", status: "released" },
        { agent: "api", status: "released" },
      ],
      unfinished: ["db", "api"],
    },
  });
  expect(run.result?.agents.map(({ name, exitReason }) => `${name} ${exitReason}`)).toEqual([
    "lead exited",
    "db released",
    "api released",
  ]);
});

test("a hub that says nothing more once nobody works is reminded once, then it has failed [PAT-hub-spoke, PAT-finish.silent]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "go" }, { say: "thanks" }, { expect: "Nobody works any more.", say: "hm" }],
      db: [{ say: "DONE: a" }],
      api: [{ say: "DONE: b" }],
    },
  });
  expect(run.outcome).toBe("failed");
  expect(run.state.steps.byPath.get("lead")).toMatchObject({
    status: "failed",
    error: { code: "AGENT_NO_SIGNAL" },
  });
  expect(run.turns["lead"]).toBe(3);
  expect(run.reason).toContain("without DONE, also after a reminder");
  const asked = run.all("turn-started").findLast(({ agent }) => agent === "lead")?.at ?? 0;
  const [before = 0] = run
    .all("turn-completed")
    .flatMap(({ at }) => (at < asked ? [at] : []))
    .slice(-1);
  expect(asked - before).toBe(1000);
});

test("a worker that asks is answered, and one that is done works again when it is written to [PAT-hub-spoke, PAT-turns.woken, PAT-edges.open, PAT-hub-spoke-2.reopened]", async () => {
  const run = await runWoken(
    { ...wheel, agents: [{ id: "lead", role: "hub" }, { id: "db" }] },
    {
      task: "a blog",
      turns: {
        lead: [
          { say: "go" },
          { expect: "SQL?", say: "@db yes" },
          { expect: "first", say: "@db once more" },
          { expect: "second", say: "DONE: fine" },
        ],
        db: [
          { say: "SQL?" },
          { expect: "yes", say: "DONE: first" },
          { expect: "once more", say: "DONE: second" },
        ],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.state.steps.byPath.get("db")).toMatchObject({ execution: 2, output: "second" });
  expect(run.said).toEqual([
    "lead: go",
    "db > lead: SQL?",
    "lead: @db yes",
    "db > lead: DONE: first",
    "lead: @db once more",
    "db > lead: DONE: second",
    "lead: DONE: fine",
  ]);
});

test("what only says ACK or PROGRESS wakes nobody, and is told with the next turn [PAT-hub-spoke, PAT-turns.quiet, PAT-turns.one, PAT-edges.open, PAT-speak.report]", async () => {
  const run = await runWoken(
    { ...wheel, agents: [{ id: "lead", role: "hub" }, { id: "db" }] },
    {
      task: "x",
      turns: {
        lead: [{ say: "go" }, { expect: "ACK: on it", say: "DONE: ok" }],
        db: [
          {
            do: [
              { send: { to: "lead", text: "ACK: on it" } },
              { send: { to: "lead", text: "PROGRESS: 50% half" } },
            ],
            after: "5s",
            say: "DONE: all",
          },
        ],
      },
    },
  );
  expect(run.turns).toEqual({ lead: 2, db: 1 });
  const taken = run.all("turn-started").filter(({ agent }) => agent === "lead");
  expect(taken.map(({ items }) => items.filter(({ kind }) => kind === "message").length)).toEqual([
    0, 3,
  ]);
  expect(run.said.slice(1)).toEqual([
    "db > lead: ACK: on it",
    "db > lead: PROGRESS: 50% half",
    "db > lead: DONE: all",
    "lead: DONE: ok",
  ]);
});

test("with assign a worker starts when the hub writes to it, and not before [PAT-hub-spoke, PAT-hub-spoke-2.assign]", async () => {
  const run = await runWoken(
    { ...wheel, options: { assign: true } },
    {
      task: "x",
      turns: {
        lead: [{ say: "@api do it" }, { say: "DONE: ok" }],
        db: [{ say: "DONE: never" }],
        api: [{ expect: "do it", say: "DONE: 4 routes" }],
      },
    },
  );
  expect(run.turns).toEqual({ lead: 2, api: 1 });
  expect(run.result?.metadata).toMatchObject({
    workers: [
      { agent: "db", status: "waiting" },
      { agent: "api", status: "done" },
    ],
    unfinished: [],
  });
});

test("a worker that fails leaves, its hub is told and decides; a hub that fails ends the run [PAT-hub-spoke, PAT-turns.quiet, PAT-fail.told]", async () => {
  const broken = { fail: { code: "X", message: "no disk", retryable: false } };
  const run = await runWoken(wheel, {
    task: "x",
    turns: {
      lead: [
        { say: "go" },
        { expect: "db takes part no more: no disk", say: "waiting" },
        { say: "DONE: half" },
      ],
      db: [broken],
      api: [{ after: "5s", say: "DONE: 4 routes" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result?.metadata).toMatchObject({
    workers: [
      { agent: "db", status: "failed", summary: "no disk" },
      { agent: "api", status: "done" },
    ],
    unfinished: [],
  });
  expect(run.said).toContain("system > lead, api: db takes part no more: no disk");
  const dead = await runWoken(wheel, { task: "x", turns: { lead: [broken] } });
  expect(dead.outcome).toBe("failed");
  expect(dead.reason).toBe("no disk");
});

test("FAILED and BLOCKED of a worker are its end; with onFailure abort they are that of the run [PAT-hub-spoke, PAT-turns.woken, PAT-fail.when, PAT-fail.abort]", async () => {
  const turns = {
    lead: [{ say: "go" }, { say: "DONE: without it" }],
    db: [{ say: "BLOCKED: no access" }],
  };
  const agents = [{ id: "lead", role: "lead" as const }, { id: "db" }];
  const run = await runWoken({ ...wheel, agents }, { task: "x", turns });
  expect(run.outcome).toBe("completed");
  expect(run.result?.metadata).toMatchObject({ workers: [{ agent: "db", status: "failed" }] });
  const aborted = await runWoken({ ...wheel, agents, onFailure: "abort" }, { task: "x", turns });
  expect(aborted.outcome).toBe("failed");
  expect(aborted.reason).toMatch(
    /^agent "db" failed: agent "db" says that step "db" blocked: no access/,
  );
});

test("at a bound the hub is asked for its DONE: with it the run is done, without it the bound is its end [PAT-hub-spoke, PAT-ends.asks, PAT-ends.completed, PAT-ends.limit]", async () => {
  const chat = { repeat: "cycle", turns: [{ say: "@db and?" }] };
  const start = (last: string) => ({
    task: "x",
    turns: {
      lead: [...Array(4).fill({ say: "@db and?" }), { expect: "the last turn of all", say: last }],
      db: { ...chat, turns: [{ say: "well" }] },
    },
  });
  const agents = [{ id: "lead", role: "lead" as const }, { id: "db" }];
  const bounds = { turnsPerAgent: 4, messages: 500, pingPong: 500 };
  const done = await runWoken({ ...wheel, agents, bounds }, start("DONE: enough"));
  expect(done.outcome).toBe("completed");
  expect(done.result).toMatchObject({ output: "enough", metadata: { unfinished: ["db"] } });
  const cut = await runWoken({ ...wheel, agents, bounds }, start("more"));
  expect(cut.outcome).toBe("limit-reached");
  expect(cut.reason).toBe('agent "lead" has had 4 turns (options.bounds.turnsPerAgent)');
  const pingPong = await runWoken({ ...wheel, agents, bounds: { pingPong: 3 } }, start("more"));
  expect(pingPong.reason).toBe(
    "db and lead only answered each other, 3 times (options.bounds.pingPong)",
  );
});

test("nobody finishes for another: a worker's words about the hub are its own [PAT-hub-spoke, PAT-edges.signals, SIG-3]", async () => {
  const run = await runWoken(
    { ...wheel, agents: [{ id: "lead", role: "lead" }, { id: "db" }] },
    {
      task: "x",
      turns: {
        lead: [{ say: "go" }, { say: "DONE: mine" }],
        db: [{ say: "lead says\n> DONE: all\nDONE: TEAM_DONE: VERDICT: lead is done" }],
      },
    },
  );
  expect(run.result?.output).toBe("mine");
});

test("a worker may not write to the channel's others unless peers may [PAT-hub-spoke, PAT-edges.open, PAT-hub-spoke-2.block]", async () => {
  const refused = { do: [{ send: { to: "api", text: "hello" } }], say: "DONE: a" };
  const start = {
    task: "x",
    turns: { lead: [{ say: "go" }, { say: "DONE: ok" }], db: [refused], api: [{ say: "DONE: b" }] },
  };
  const apart = await runWoken({ ...wheel, options: { peers: false } }, start);
  expect(apart.state.steps.byPath.get("db")).toMatchObject({
    status: "failed",
    error: { code: "MESSAGE_NOT_PERMITTED" },
  });
  const together = await runWoken(wheel, start);
  expect(together.said).toContain("db > api: hello");
});

test("programs and functions get goal, part and news as text, and their answers count as what their place says [PAT-hub-spoke, PAT-plain.told, PAT-plain.answers, PAT-plain.closer]", async () => {
  const prompts: string[] = [];
  const told: string[] = [];
  let asked = 0;
  const run = await runWoken(
    {
      pattern: "hub-spoke",
      agents: [
        { id: "hub", role: "hub", backend: "function" },
        {
          id: "sh",
          backend: "command",
          settings: { command: "echo FAILED: is my output; cat" },
          task: "print",
        },
        { id: "fn", backend: "function", task: "count" },
      ],
    },
    {
      task: "a blog",
      functions: {
        hub: ({ prompt }) => {
          prompts.push(prompt);
          asked += 1;
          return asked < 3 ? "go on" : "fine\nDONE";
        },
        fn: async ({ giveSignal, prompt }) => {
          told.push(prompt);
          await new Promise((resolve) => setImmediate(resolve));
          await giveSignal({ kind: "done", value: "by tool" });
          return "text";
        },
      },
    },
  );
  const ending = "When your part is done, a line `DONE: <what came of it>` ends it.";
  expect(told).toEqual([`a blog\n\ncount\n\n${ending}`]);
  expect(run.outcome).toBe("completed");
  expect(run.result?.output).toBe("fine\nDONE");
  expect(run.said.filter((line) => line.startsWith("hub"))).toEqual([
    ...["hub: go on", "hub: go on", "hub: fine\nDONE"],
  ]);
  expect(run.result?.metadata).toMatchObject({
    workers: [
      {
        agent: "sh",
        status: "done",
        summary: `FAILED: is my output\na blog\n\nprint\n\n${ending}`,
      },
      { agent: "fn", status: "done", summary: "by tool" },
    ],
  });
  for (const prompt of prompts) expect(prompt).toContain("a blog");
  expect(prompts.join()).not.toContain("Working Together");
  expect(prompts.join()).toContain("> text\n>\n> DONE: by tool");
});

test("a run that is cut short shows how far everybody had come [PAT-hub-spoke, PAT-cut.metadata, PAT-hub-spoke-2.report]", async () => {
  const run = await runWoken(
    { ...wheel, timeoutMs: 60_000 },
    {
      task: "x",
      turns: {
        lead: [{ say: "go" }, { say: "ok" }],
        db: [{ say: "DONE: 2 tables" }],
        api: [{ hang: true }],
      },
    },
  );
  expect(run.outcome).toBe("timed-out");
  expect(run.result?.metadata).toMatchObject({
    workers: [
      { agent: "db", status: "done", summary: "2 tables" },
      { agent: "api", status: "working" },
    ],
    unfinished: ["api"],
  });
});

test("with steps a hub-spoke gives roles and edges alone: no message wakes anybody, DONE ends the step [PAT-hub-spoke, PAT-steps-2.roles, PAT-speak.steps]", async () => {
  const run = await runWoken(
    {
      ...wheel,
      steps: [
        { id: "plan", agent: "lead" },
        { id: "build", agent: "db", dependsOn: ["plan"] },
      ],
    },
    {
      task: "x",
      turns: {
        lead: [{ expect: "You are the hub", say: "@db go\nDONE: planned" }],
        db: [{ expect: "You are a worker and report to lead", say: "DONE: built" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.turns).toEqual({ lead: 1, db: 1 });
  expect(run.said).toEqual(["lead: DONE: planned", "db: DONE: built"]);
  const apart = await runWoken(
    { ...wheel, options: { peers: false }, steps: [{ id: "build", agent: "db" }] },
    {
      task: "x",
      turns: { db: [{ do: [{ send: { to: "api", text: "hello" } }], say: "DONE: built" }] },
    },
  );
  expect(apart.state.steps.byPath.get("build")).toMatchObject({
    status: "failed",
    error: { code: "MESSAGE_NOT_PERMITTED" },
  });
});

test("a person as hub is asked for each turn, and ends it all with DONE [PAT-hub-spoke, PAT-plain.closer, PAT-plain.told]", async () => {
  const run = await startInMemory(
    {
      ...wheel,
      options: { assign: true },
      turns: { maxAttempts: 1, retryDelayMs: 0 },
      agents: [{ id: "boss", role: "hub", backend: "human" }, { id: "db" }],
    },
    { task: "a blog", turns: { db: [{ expect: "models please", say: "DONE: 2 tables" }] } },
  );
  const answers = ["@db models please", "DONE"];
  const asked: string[] = [];
  for await (const event of run.run.events) {
    if (event.type !== "question-asked") continue;
    asked.push(event.text);
    const answer = answers.shift() ?? "DONE";
    await run.run.command({ kind: "answer-question", id: event.id, answer });
  }
  const over = await run.over();
  expect(over.outcome).toBe("completed");
  expect(over.result?.metadata).toMatchObject({ workers: [{ agent: "db", status: "done" }] });
  expect(asked[0]).toMatch(/^a blog\n\nWhen your part is done/);
  expect(asked[1]).toContain("> DONE: 2 tables");
  expect(asked).toHaveLength(2);
});
