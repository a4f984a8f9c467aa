import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type AgentCli,
  cascade,
  consensus,
  dag,
  debate,
  fanOut,
  handoff,
  hierarchical,
  hubAndSpoke,
  type IterationCondition,
  iterate,
  loadWorkflow,
  mesh,
  pipeline,
  runWorkflow,
  type TrajectoryOptions,
  type WorkflowOptions,
  type WorkflowRun,
  type YamlAgent,
  type YamlStep,
  type YamlWorkflow,
} from "../../src/index.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { startInMemory } from "../../src/testing/run-workflow-in-memory.ts";

// The forms in which relay's documents call the library, with scripted agents in place of the CLIs: they compile as written
// there, and they run.

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-source-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const says = (...texts: readonly string[]) => ({ script: texts.map((say) => ({ say })) });
const done = says("DONE: it is done");

const EXAMPLES: readonly (readonly [string, (given: WorkflowOptions) => WorkflowRun])[] = [
  [
    "fanOut",
    (given) =>
      fanOut(
        [
          { task: "Review src/auth.ts", name: "AuthReviewer", ...done },
          { task: "Review src/db.ts", name: "DbReviewer", ...done },
        ],
        { ...given, timeoutMs: 5 * 60_000 },
      ),
  ],
  [
    "pipeline",
    (given) =>
      pipeline(
        [
          { task: "Design the API", name: "Designer", ...done },
          { task: "Implement it", name: "Implementer", receivesPreviousOutput: true, ...done },
        ],
        given,
      ),
  ],
  [
    "hubAndSpoke",
    (given) =>
      hubAndSpoke({
        ...given,
        hub: { task: "Coordinate the team", name: "Lead", ...done },
        workers: [{ task: "Implement the models", name: "DbWorker", ...done }],
      }),
  ],
  [
    "consensus",
    (given) =>
      consensus({
        ...given,
        proposal: "Shall we migrate?",
        voters: [
          { task: "Judge the speed", name: "PerfExpert", ...says("VOTE: approve it is faster") },
          { task: "Judge the use", name: "DxExpert", ...says("VOTE: approve it is nicer") },
        ],
        consensusType: "majority",
      }),
  ],
  [
    "mesh",
    (given) =>
      mesh({
        ...given,
        goal: "Fix the login",
        agents: [
          { task: "Read the logs", name: "LogAnalyst", ...done },
          { task: "Review the code", name: "CodeReviewer", ...done },
        ],
      }),
  ],
  [
    "handoff",
    (given) =>
      handoff({
        ...given,
        entryPoint: { task: "Help the user", name: "Triage", ...says("HANDOFF: Billing it is") },
        routes: [
          { agent: { task: "Handle billing", name: "Billing", ...done }, condition: "invoice" },
        ],
        maxHandoffs: 3,
      }),
  ],
  [
    "cascade",
    (given) =>
      cascade({
        ...given,
        tiers: [
          {
            agent: { task: "Answer", name: "Fast", ...says("DONE [confidence=0.2]: perhaps") },
            ...{ confidenceThreshold: 0.7, costWeight: 1 },
          },
          { agent: { task: "Answer", name: "Expert", ...done }, costWeight: 20 },
        ],
      }),
  ],
  [
    "dag",
    (given) =>
      dag({
        ...given,
        nodes: [
          { id: "scaffold", task: "Create it", name: "Scaffolder", ...done },
          {
            ...{ id: "tests", task: "Test it", name: "Tester", dependsOn: ["scaffold"], ...done },
            verify: [{ command: "exit 3", expectExit: 3, timeout: "1m" }],
          },
        ],
        maxConcurrency: 3,
      }),
  ],
  [
    "debate",
    (given) =>
      debate({
        ...given,
        topic: "One repository or many?",
        debaters: [
          { task: "Argue", name: "Mono", position: "one", ...says("ARGUMENT: a", "CONCEDE: yes") },
          { task: "Argue", name: "Poly", position: "many", ...says("ARGUMENT: b", "ARGUMENT: c") },
        ],
        judge: { task: "Decide", name: "ArchJudge", ...says("VERDICT: Poly it is right") },
        maxRounds: 2,
      }),
  ],
  [
    "hierarchical",
    (given) =>
      hierarchical({
        ...given,
        agents: [
          { id: "lead", role: "lead", task: "Lead", ...done },
          { id: "dev", role: "worker", reportsTo: "lead", task: "Work", ...done },
        ],
      }),
  ],
];

test.each(EXAMPLES)(
  "%s runs as relay's documents call it [SDK-8.examples]",
  async (_name, begin) => {
    const { result } = begin({ cwd, store: "memory" });
    const { success, agents, metadata } = await result;
    expect(success).toBe(true);
    expect(agents.map(({ exitReason }) => exitReason)).not.toContain("failed");
    expect(metadata).toBeDefined();
  },
);

test("a trajectory that code asks for is left behind [SDK-8.trajectory]", async () => {
  const trajectory: TrajectoryOptions = { enabled: true, dataDir: "trails", agentName: "boss" };
  await fanOut([{ task: "x", name: "a", ...done }], { cwd, trajectory }).result;
  expect(readdirSync(join(cwd, "trails"), { recursive: true }).length).toBeGreaterThan(0);
  await fanOut([{ task: "x", name: "a", ...done }], {
    ...{ cwd, trajectory: { enabled: false, dataDir: "none" } },
  }).result;
  expect(existsSync(join(cwd, "none"))).toBe(false);
});

test("a file's workflow reflects by the function of the call [SDK-8.reflects]", async () => {
  const agent: YamlAgent = {
    id: "a",
    backend: "script",
    script: [{ say: "important decision: error, failed" }, { say: "DONE: x" }],
  };
  const step: YamlStep = { id: "s", agent: "a", prompt: "go", verify: [{ command: "true" }] };
  const file: YamlWorkflow = {
    ...{ version: "1.0", name: "w", pattern: "mesh", agents: [agent, { ...agent, id: "b" }] },
    reflection: { enabled: true, threshold: 1 },
  };
  expect([step.agent, agent.id]).toEqual(["a", "a"]);
  writeFileSync(join(cwd, "w.json"), JSON.stringify(file));
  const loaded = await loadWorkflow("w.json", { cwd, backend: "script" });
  const asked: number[] = [];
  const given = { cwd, store: "memory" } as const;
  const { result } = runWorkflow(loaded, "go", {
    ...given,
    onReflect: ({ recentMessages }) => {
      asked.push(recentMessages.length);
      return null;
    },
  });
  await result;
  expect(asked.length).toBeGreaterThan(0);
  await runWorkflow(file, "go", { ...given, backend: "script" }).result;
});

test("types of the sources are those of the library [SDK-5.types]", async () => {
  const cli: AgentCli = "claude";
  const condition: IterationCondition = { count: 1 };
  const agent = { name: "dev", task: "x", ...done };
  expect(cli).toBe("claude");
  const run = iterate({ cwd, store: "memory", agent, ...condition });
  expect((await run.result).success).toBe(true);
});

test("an agent that is released leaves as released, for whom waits and in the result [SDK-6]", async () => {
  const clock = createManualClock();
  const tested = await startInMemory(
    { pattern: "fan-out", agents: [{ id: "a" }] },
    { cwd, clock, task: "x", turns: { a: [{ hang: true }] } },
  );
  await tested.event("turn-started");
  const [agent] = tested.run.agents;
  const exit = agent?.waitForExit();
  const released = agent?.release();
  let isOver = false;
  const over = tested.over().finally(() => {
    isOver = true;
  });
  while (!isOver) if (!(await clock.advanceToNext())) await settle();
  await released;
  expect(await exit).toBe("released");
  const { result } = await over;
  expect([result?.agents[0]?.exitReason, result?.success]).toEqual(["released", false]);
});

test("a cassette beside a backend that would not play it is refused, so that nobody is asked for it [SDK-8.cassette]", async () => {
  const file = join(cwd, "w.json");
  writeFileSync(file, JSON.stringify({ name: "w", pattern: "fan-out", agents: [{ id: "a" }] }));
  writeFileSync(join(cwd, "c.json"), JSON.stringify({ version: 1, agents: { a: [{ say: "x" }] } }));
  await expect(
    loadWorkflow(file, { cwd, backend: "model", cassette: "c.json" }),
  ).rejects.toMatchObject({ code: "CASSETTE_UNPLAYED" });
  await loadWorkflow(file, { cwd, backend: "script", cassette: "c.json" });
});
