import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, expectTypeOf, test } from "vitest";
import {
  type AgentFunction,
  type Budget,
  fanOut,
  loadWorkflow,
  pipeline,
  resumeRun,
  runWorkflow,
} from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-sdk-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const paying: AgentFunction = ({ agent, reportUsage }) => {
  reportUsage({ costUsd: 1 });
  return `${agent} done`;
};

const files = () =>
  ({
    cwd: directory,
    env: { ...process.env, TROUPE_DIR: join(directory, ".troupe") },
  }) as const;

test("a run from code stops at its budget, keeps what is done, and goes on with more [LIM-1.turns, SDK-1.limits]", async () => {
  const stages = ["one", "two", "three"].map((name) => ({ name, task: "", run: paying }));
  const first = pipeline(stages, { ...files(), budget: { cost: 2 } });
  const result = await first.result;
  expect(result.success).toBe(false);
  expect(result.agents.map(({ summary }) => summary)).toEqual(["one done", "two done", undefined]);
  expect(await first.parted).toMatchObject({
    event: { outcome: "limit-reached", resumable: true, error: { code: "LIMIT_COST" } },
  });
  const functions = { one: paying, two: paying, three: paying };
  const wrong = resumeRun(first.id, { ...files(), functions, budget: { cost: 0 } });
  await expect(wrong).rejects.toMatchObject({ code: "LIMIT_INVALID" });
  const resumed = await resumeRun(first.id, { ...files(), functions, budget: { cost: 5 } });
  if (resumed.status !== "resumed") throw new Error("the run was over");
  expect((await resumed.run.result).success).toBe(true);
  expect(resumed.run.state.usage).toEqual({ costUsd: 3 });
  expect(resumed.run.state.run.limits).toMatchObject({ timeoutMs: 600_000, budget: { cost: 5 } });
});

test("a task beyond its own budget fails alone [LIM-1.turns, SDK-1.limits]", async () => {
  expectTypeOf<Budget["cost"]>().toEqualTypeOf<number | undefined>();
  const busy = [{ fail: { code: "BUSY", retryable: true } }];
  const run = fanOut(
    [
      { name: "limited", task: "", script: busy, maxAttempts: 5, budget: { turns: 2 } },
      { name: "other", task: "", run: paying },
    ],
    { store: "memory", cwd: directory },
  );
  expect((await run.result).agents[1]?.summary).toBe("other done");
  expect(run.state.steps.byPath.get("limited")).toMatchObject({
    status: "failed",
    attempt: 3,
    error: { code: "LIMIT_TURNS" },
  });
});

test.each<[string, Budget, string]>([
  ["not a number", { cost: Number.NaN }, "budget.cost must be a number above 0, got NaN"],
  ["nothing", { turns: 0 }, "budget.turns must be a number above 0, got 0"],
  ["a part of a token", { tokens: 1.5 }, "budget.tokens must be a whole number, got 1.5"],
  ["more than all", { cost: 1, soft: 2 }, "budget.soft must be at most 1, got 2"],
])(
  "a limit that is %s is refused before anything starts [LIM-1.turns, T14]",
  async (_, budget, message) => {
    const run = fanOut([{ task: "", run: paying }], { store: "memory", cwd: directory, budget });
    await expect(run.result).rejects.toMatchObject({ code: "LIMIT_INVALID", message });
  },
);

test("a workflow from a file runs under other limits than it writes [LIM-1.turns, SDK-1.limits]", async () => {
  const file = join(directory, "flow.yaml");
  writeFileSync(
    file,
    `name: flow
pattern: pipeline
budget: { turns: 1 }
agents: [{ id: a, backend: script }]
steps: [{ id: s, prompt: x }, { id: t, prompt: y }]
`,
  );
  const workflow = await loadWorkflow(file, { cwd: directory });
  const memory = { store: "memory", cwd: directory } as const;
  const stopped = runWorkflow(workflow, undefined, memory);
  expect(await stopped.parted).toMatchObject({ event: { outcome: "limit-reached" } });
  const done = runWorkflow(workflow, undefined, { ...memory, budget: { turns: 2 } });
  expect((await done.result).success).toBe(true);
});

test("a limit of time stands for the timeout that nobody asked for, also when the run goes on [LIM-1.turns, SDK-1.limits]", async () => {
  const stages = [{ name: "one", task: "", run: paying }];
  const budget = { cost: 0.5, wallClockMs: 3_600_000 };
  const first = pipeline([...stages, { ...stages[0], name: "two", task: "" }], {
    ...files(),
    budget: { cost: 0.5 },
  });
  await first.parted;
  expect(first.state.run.limits).toEqual({
    timeoutMs: 600_000,
    budget: { cost: 0.5 },
    failures: 5,
  });
  const functions = { one: paying, two: paying };
  const resumed = await resumeRun(first.id, { ...files(), functions, budget });
  if (resumed.status !== "resumed") throw new Error("the run was over");
  await resumed.run.parted;
  expect(resumed.run.state.run.limits).toEqual({ budget, failures: 5 });
});
