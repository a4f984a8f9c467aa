import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { handoff, loadWorkflow, resumeRun, runWorkflow } from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-handoff-routes-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const here = () => ({ store: "memory", cwd: directory }) as const;

const says = (name: string, ...script: readonly string[]) => ({
  name,
  task: "Answer",
  backend: "script",
  script: script.map((say) => ({ say })),
});

test("a function of the final text sends a task on: in the order of the routes, and only where no signal says so [PAT-handoff-2.turn]", async () => {
  const asked: string[] = [];
  const run = handoff({
    ...here(),
    entryPoint: says("desk", "It is about an invoice", "DONE: mended"),
    routes: [
      {
        agent: says("tech", "DONE: never"),
        condition: (text) => {
          asked.push(`tech: ${text}`);
          return text.includes("error");
        },
      },
      {
        agent: says("billing", "An error\nHANDOFF: desk I think"),
        condition: async (text) => {
          asked.push(`billing: ${text}`);
          return text.includes("invoice");
        },
      },
      { agent: says("last", "DONE: never"), condition: () => true },
    ],
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "mended",
    metadata: {
      handoffs: [
        { from: "desk", to: "billing", by: "route", reason: "the route billing takes it" },
        { from: "billing", to: "desk", by: "signal" },
      ],
      finishedBy: "desk",
    },
  });
  expect(asked).toEqual(["tech: It is about an invoice", "billing: It is about an invoice"]);
});

test("a holder whose text no function takes is reminded of its signal [PAT-handoff-2.turn]", async () => {
  const run = handoff({
    ...here(),
    entryPoint: says("desk", "Hm", "DONE: well"),
    routes: [{ agent: says("tech", "DONE: never"), condition: () => false }],
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "well",
    metadata: { path: ["desk"], finishedBy: "desk" },
  });
});

test("the text of a program goes through the functions too", async () => {
  const run = handoff({
    ...here(),
    entryPoint: { name: "desk", task: "Answer", run: () => "an invoice" },
    routes: [
      {
        agent: { name: "billing", task: "Pay", run: () => "paid" },
        condition: (text) => text === "an invoice",
      },
    ],
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "paid",
    metadata: { path: ["desk", "billing"], handoffs: [{ by: "route" }] },
  });
});

const BROKEN: readonly [string, () => boolean, string][] = [
  [
    "throws",
    () => {
      throw new Error("no idea");
    },
    "no idea",
  ],
  ["returns no answer", () => JSON.parse('"yes"'), "neither true nor false"],
];

test.each(BROKEN)("a function that %s ends the run by name", async (_what, condition, problem) => {
  const run = handoff({
    ...here(),
    entryPoint: says("desk", "Hm", "DONE: never"),
    routes: [{ agent: says("tech", "DONE: never"), condition }],
  });
  expect(await run.parted).toMatchObject({
    event: {
      outcome: "failed",
      error: { code: "HANDOFF_ROUTE_BROKEN", message: expect.stringContaining(problem) },
    },
  });
});

test("a workflow that names a function which is not here does not start", async () => {
  const content = {
    pattern: "handoff",
    agents: ["desk", "tech"].map((id) => ({ id, backend: "script", script: [{ say: "Hm" }] })),
    handoff: { routes: [{ agent: "tech", test: "is-error" }] },
  };
  await expect(runWorkflow(content, "go", here()).result).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: expect.stringContaining("functions of routes is-error"),
  });
  const routes = [{ name: "is-error", test: () => true }];
  const agents = [
    { id: "desk", backend: "script", script: [{ say: "Hm" }] },
    { id: "tech", backend: "script", script: [{ say: "DONE: mended" }] },
  ];
  const run = runWorkflow({ ...content, agents }, "go", { ...here(), routes });
  expect(await run.result).toMatchObject({ output: "mended" });
});

test("a run goes on in another process with its functions, asks none again, and says what it needs without [ENG-14]", async () => {
  let asked = 0;
  const condition = () => {
    asked += 1;
    return asked === 1;
  };
  const run = handoff({
    cwd: directory,
    entryPoint: says("desk", "It is about an invoice"),
    routes: [{ agent: { name: "billing", task: "Pay", backend: "human" }, condition }],
  });
  let question = "";
  for await (const event of run.events) {
    if (event.type !== "question-asked") continue;
    question = event.id;
    break;
  }
  await run.suspend();
  await run.parted;
  await expect(resumeRun(run.id, { cwd: directory })).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: `${run.id} needs code that is not here: functions of routes billing`,
    hint: expect.stringContaining("resumeRun(id, { routes })"),
  });
  const routes = [{ name: "billing", test: condition }];
  const resumed = await resumeRun(run.id, { cwd: directory, routes });
  if (resumed.status === "over") throw new Error("it is over");
  await resumed.run.command({ kind: "answer-question", id: question, answer: "DONE: paid" });
  expect(await resumed.run.result).toMatchObject({
    success: true,
    output: "paid",
    metadata: { path: ["desk", "billing"] },
  });
  expect(asked).toBe(1);
});

const script = (...texts: readonly string[]) => texts.map((say) => ({ say }));
const asking = (test: string) => ({
  id: "desks",
  agents: [
    { id: "desk", backend: "script", script: script("It is about an invoice") },
    { id: "billing", backend: "script", script: script("DONE: paid") },
  ],
  steps: [
    {
      id: "chain",
      type: "pattern",
      pattern: "handoff",
      agents: ["desk", "billing"],
      handoff: { routes: [{ agent: "billing", test }] },
    },
  ] as const,
});
const routes = [{ name: "is-invoice", test: (text: string) => text.includes("invoice") }];

/** A step workflow from a file of the project. */
async function loaded(file: string, content: object) {
  writeFileSync(join(directory, file), JSON.stringify(content));
  return loadWorkflow(join(directory, file), { shape: "steps", cwd: directory });
}

test("a pattern step asks the functions of its routes, also in a child workflow", async () => {
  const child = await loaded("child.yaml", asking("is-invoice"));
  const run = runWorkflow(child, "go", { ...here(), routes });
  const path = ["desk", "billing"];
  expect(await run.result).toMatchObject({
    success: true,
    context: { data: { chain: { output: "paid", metadata: { path } } } },
  });
  const parent = await loaded("parent.yaml", {
    id: "parent",
    steps: [{ id: "below", type: "workflow", file: "child.yaml" }],
  });
  const above = runWorkflow(parent, "go", { ...here(), routes });
  expect(await above.result).toMatchObject({
    success: true,
    context: { data: { below: expect.objectContaining({ path: ["chain"] }) } },
  });
});

test("a pattern step whose function is not here does not start", async () => {
  const workflow = await loaded("bill.yaml", asking("is-bill"));
  await expect(runWorkflow(workflow, "go", { ...here(), routes }).result).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: expect.stringContaining("functions of routes is-bill"),
  });
});

test("a function that sends on when no hand-over is left ends the run at its limit", async () => {
  const run = handoff({
    ...here(),
    maxHandoffs: 0,
    entryPoint: says("desk", "It is about an invoice", "It is about an invoice"),
    routes: [{ agent: says("billing", "DONE: never"), condition: () => true }],
  });
  expect(await run.parted).toMatchObject({ event: { outcome: "limit-reached" } });
});

test("a pattern step with max_handoffs: 0 fails at the second sending on, and the holder may finish before", async () => {
  const withSteps = (...texts: readonly string[]) => {
    const { agents, steps, ...content } = asking("is-invoice");
    const [{ handoff: block, ...step }] = steps;
    const desk = { ...agents[0], script: script(...texts) };
    return {
      ...content,
      agents: [desk, ...agents.slice(1)],
      steps: [{ ...step, handoff: { ...block, max_handoffs: 0 } }],
    };
  };
  const stubborn = await loaded("stubborn.json", withSteps("an invoice", "still an invoice"));
  const { success, error } = await runWorkflow(stubborn, "go", { ...here(), routes }).result;
  expect({ success, error }).toMatchObject({
    success: false,
    error: { message: expect.stringContaining("desk would not finish: all 0 hand-overs are used") },
  });
  const wise = await loaded("wise.json", withSteps("an invoice", "DONE: paid by the desk"));
  expect(await runWorkflow(wise, "go", { ...here(), routes }).result).toMatchObject({
    success: true,
    context: { data: { chain: { output: "paid by the desk", metadata: { path: ["desk"] } } } },
  });
});
