import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { tellRun } from "../../src/app/trail/told-run.ts";
import { shapeOf } from "../../src/app/workflow/shapes/registry.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import {
  definePattern,
  forkRun,
  loadWorkflow,
  type PatternOptions,
  rerunRun,
  resumeRun,
  runWorkflow,
  type UserPattern,
  workflow,
} from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-own-pattern-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const here = () => ({ store: "memory", cwd: directory }) as const;

const race = definePattern({
  name: "relay-race",
  summary: "Agents pass a text on, for some laps",
  block: z.strictObject({ laps: z.int().min(1) }),
  rules: ({ id }) => [`You run lap after lap as ${id}.`],
  check: ({ agents }) =>
    agents.length < 2 ? [{ problem: "a relay race needs two runners", hint: "add an agent" }] : [],
  metadata: (_definition, advances) => ({ laps: advances.length }),
  run: async (_context, { agents, block, goal, turn, advance }) => {
    let baton = await goal();
    for (let lap = 1; lap <= block.laps; lap += 1) {
      for (const { id } of agents) {
        const said = await turn({ agent: id, now: `Lap ${lap}: ${baton}`, demands: "DONE" });
        if (said.status === "left") return { outcome: "failed", reason: said.error.message };
        baton = said.output;
      }
      advance("lap", { lap, baton });
    }
    return { outcome: "completed", reason: "all laps are run", output: baton };
  },
});

const RUNNERS = [
  {
    id: "ann",
    backend: "script",
    script: [{ expect: "Lap 1: go", say: "DONE: a" }, { say: "DONE: abc" }],
  },
  {
    id: "bob",
    backend: "script",
    script: [{ say: "DONE: ab" }, { expect: "Lap 2: abc", say: "DONE: abcd" }],
  },
];

const content = { pattern: "relay-race", agents: RUNNERS, relayRace: { laps: 2 } };

test("a pattern of one's own runs from a content, a file and the builder alike [SDK-1.own]", async () => {
  const expected = { pattern: "relay-race", success: true, output: "abcd", metadata: { laps: 2 } };
  const options = { ...here(), patterns: [race] };
  expect(await runWorkflow(content, "go", options).result).toMatchObject(expected);

  const file = join(directory, "race.json");
  writeFileSync(file, JSON.stringify({ name: "race", ...content }));
  const loaded = await loadWorkflow(file, options);
  expect(await runWorkflow(loaded, "go", here()).result).toMatchObject(expected);

  const [ann, bob] = RUNNERS;
  const built = workflow("race")
    .agent("ann", { backend: "script", script: ann?.script ?? [] })
    .agent("bob", { backend: "script", script: bob?.script ?? [] })
    .pattern("relay-race", { relayRace: { laps: 2 } });
  expect(await built.run("go", options).result).toMatchObject(expected);
});

test("agents of a pattern of one's own are told its rules, the goal and the form of the signal", async () => {
  const prompts: string[] = [];
  const onTaskAugmented = (_agent: string, text: string) => prompts.push(text);
  await runWorkflow(content, "go", { ...here(), patterns: [race], onTaskAugmented }).result;
  expect(prompts[0]).toContain("by the pattern relay-race");
  expect(prompts[0]).toContain("You run lap after lap as ann.");
  expect(prompts[0]).toContain("Lap 1: go\n\nEnd with a line `DONE: <your answer>`.");
  expect(prompts[2]).not.toContain("by the pattern relay-race");
});

test.each([
  [
    "an unknown pattern",
    { given: content, patterns: [], code: "WORKFLOW_VALUE", message: "relay-race" },
  ],
  [
    "a block that does not fit",
    {
      given: { ...content, relayRace: { laps: 0 } },
      patterns: [race],
      code: "WORKFLOW_VALUE",
      message: "relayRace.laps",
    },
  ],
  [
    "a block that is missing",
    {
      given: { pattern: "relay-race", agents: RUNNERS },
      patterns: [race],
      code: "WORKFLOW_ROLE",
      message: "bad laps",
    },
  ],
  [
    "who takes part",
    {
      given: { ...content, agents: RUNNERS.slice(0, 1) },
      patterns: [race],
      code: "WORKFLOW_ROLE",
      message: "two runners",
    },
  ],
])("%s is refused before anything starts", async (_what, { given, patterns, code, message }) => {
  const run = runWorkflow(given, "go", { ...here(), patterns });
  await expect(run.result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    details: {
      problems: expect.arrayContaining([
        expect.objectContaining({ code, message: expect.stringContaining(message) }),
      ]),
    },
  });
});

const broken = (run: PatternOptions<unknown>["run"]) => definePattern({ name: "broken", run });

test.each([
  [
    "throws",
    {
      pattern: broken(() => {
        throw new Error("no idea");
      }),
      message: "no idea",
    },
  ],
  [
    "gives a turn to a stranger",
    {
      pattern: broken(async (_context, { turn }) => {
        await turn({ agent: "eve", now: "hi" });
        return { outcome: "completed", reason: "" };
      }),
      message: 'gives a turn to "eve"',
    },
  ],
  [
    "returns no end",
    {
      pattern: broken(async () => JSON.parse('{"outcome":"great"}')),
      message: "what it returned is no end",
    },
  ],
])("a pattern that %s fails its run by name", async (_what, { pattern, message }) => {
  const given = {
    pattern: "broken",
    agents: [{ id: "a", backend: "script", script: [{ say: "hi" }] }],
  };
  const run = runWorkflow(given, "go", { ...here(), patterns: [pattern] });
  expect(await run.parted).toMatchObject({
    event: {
      outcome: "failed",
      reason: expect.stringContaining(message),
      error: { code: "WORKFLOW_PATTERN_BROKEN" },
    },
  });
});

test("steps of a file are carried out in its order under a pattern of one's own [PAT-steps.order]", async () => {
  const agents = [
    { id: "ann", backend: "script", script: [{ say: "DONE: one" }] },
    { id: "bob", backend: "script", script: [{ expect: "told:", say: "DONE: two" }] },
  ];
  const steps = [
    { id: "first", agent: "ann", prompt: "begin" },
    { id: "then", agent: "bob", prompt: "told: {{steps.first.output}}", dependsOn: ["first"] },
  ];
  const given = { pattern: "relay-race", agents, steps };
  const run = runWorkflow(given, undefined, { ...here(), patterns: [race] });
  expect(await run.parted).toMatchObject({ event: { reason: "2 of 2 steps done" } });
  expect(await run.result).toMatchObject({ success: true, output: "two" });
});

test("a run goes on in another process with its pattern, and says what it needs without [ENG-14]", async () => {
  const given = {
    ...content,
    relayRace: { laps: 1 },
    agents: [RUNNERS[0] ?? {}, { id: "bob", backend: "human" }],
  };
  const options = { cwd: directory, patterns: [race] };
  const run = runWorkflow(given, "go", options);
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
    message: `${run.id} needs code that is not here: patterns relay-race`,
    hint: expect.stringContaining("resumeRun(id, { patterns })"),
  });
  const resumed = await resumeRun(run.id, options);
  if (resumed.status === "over") throw new Error("it is over");
  await resumed.run.command({ kind: "answer-question", id: question, answer: "ab" });
  expect(await resumed.run.result).toMatchObject({ success: true, output: "ab" });
});

test("a run of a pattern of one's own is made again where the pattern is, and says what it needs elsewhere [ENG-15]", async () => {
  const options = { cwd: directory, patterns: [race] };
  const run = runWorkflow({ ...content, relayRace: { laps: 1 } }, "go", options);
  await run.result;
  const place = { cwd: directory };
  await expect(rerunRun(run.id, { kind: "all" }, place)).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: `${run.id} needs code that is not here: patterns relay-race`,
  });
  await expect(forkRun(run.id, { at: "2" }, place)).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
  });
  expect(await rerunRun(run.id, { kind: "all" }, options)).toMatchObject({ of: run.id });
});

const stepped = {
  id: "stepped",
  agents: RUNNERS,
  steps: [
    {
      id: "run",
      type: "pattern",
      pattern: "relay-race",
      agents: ["ann", "bob"],
      relay_race: { laps: 2 },
      next: "tell",
    },
    { id: "tell", type: "transform", transform: "context.run.output" },
  ],
};

async function steppedWorkflow(content: object, patterns: readonly UserPattern[] = [race]) {
  const file = join(directory, "stepped.json");
  writeFileSync(file, JSON.stringify(content));
  return loadWorkflow(file, { shape: "steps", cwd: directory, patterns });
}

test("a pattern step carries a pattern of one's own out, in a child workflow too [SDK-1.own, STP-7]", async () => {
  const loaded = await steppedWorkflow(stepped);
  const expected = { output: "abcd", metadata: { laps: 2 } };
  expect(await runWorkflow(loaded, "go", here()).result).toMatchObject({
    success: true,
    context: { data: { run: expected, tell: "abcd" } },
  });
  const file = join(directory, "above.json");
  const steps = [{ id: "below", type: "workflow", file: "stepped.json", with: "{{input}}" }];
  writeFileSync(file, JSON.stringify({ id: "above", steps }));
  const above = await loadWorkflow(file, { shape: "steps", cwd: directory, patterns: [race] });
  expect(await runWorkflow(above, "go", here()).result).toMatchObject({
    success: true,
    context: { data: { below: { path: ["run", "tell"] } } },
  });
});

test("what is wrong with a pattern of one's own in a step is told where the file is loaded", async () => {
  const [step, tell] = stepped.steps;
  const withStep = (changes: object) => ({ ...stepped, steps: [{ ...step, ...changes }, tell] });
  const refusal = (content: object, patterns?: (typeof race)[]) =>
    steppedWorkflow(content, patterns).then(
      () => "loaded",
      (error: unknown) => String(error),
    );
  expect(await refusal(withStep({ agents: ["ann"] }))).toContain("a relay race needs two runners");
  expect(await refusal(withStep({ relay_race: { laps: 0 } }))).toContain("laps");
  expect(await refusal(stepped, [])).toContain("relay-race");
});

test("a run whose step has a pattern of one's own goes on with it, is shown without it, and says what is missing", async () => {
  const bob = { id: "bob", backend: "human" };
  const loaded = await steppedWorkflow({ ...stepped, agents: [RUNNERS[0], bob] });
  const shape = await shapeOf(loaded.definition);
  const { nodes } = await shape.graph(loaded.definition);
  expect(nodes.map(({ id }) => id)).toEqual(["run", "tell"]);
  const run = runWorkflow(loaded, "go", { cwd: directory });
  for await (const event of run.events) if (event.type === "question-asked") break;
  await run.suspend();
  await run.parted;
  await expect(resumeRun(run.id, { cwd: directory })).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: expect.stringContaining("patterns relay-race"),
  });
  const resumed = await resumeRun(run.id, { cwd: directory, patterns: [race] });
  if (resumed.status === "over") throw new Error("it is over");
  expect(resumed.run.id).toBe(run.id);
  await resumed.run.suspend();
});

/** Decides, hears its agents, and says what it has found. */
const explorer = definePattern({
  name: "explorer",
  run: async (context, { agents, turn }) => {
    context.record({ kind: "decision", chosen: "north", reasoning: "\u001b[1mdry\u001b[0m" });
    for (const { id } of agents) {
      const said = await turn({ agent: id, now: "look", demands: "DONE" });
      if (said.status === "said") context.record({ kind: "finding", text: said.output });
    }
    return { outcome: "completed", reason: "it is known" };
  },
});

async function allOf(events: AsyncIterable<JournalEvent>): Promise<readonly JournalEvent[]> {
  const all: JournalEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const recordsIn = (events: readonly JournalEvent[]) =>
  events.flatMap((event) => (event.type === "record-added" ? [[event.by, event.record]] : []));

test("a pattern adds to the trajectory of its run, and once although it is started again [PRM-trajectory]", async () => {
  const file = join(directory, "looking.json");
  const bob = { id: "bob", backend: "human" };
  const looking = {
    name: "looking",
    pattern: "explorer",
    agents: [{ id: "ann", backend: "script", script: [{ say: "DONE: it is wet" }] }, bob],
    trajectory: { enabled: true },
  };
  writeFileSync(file, JSON.stringify(looking));
  const options = { cwd: directory, patterns: [explorer] };
  const run = runWorkflow(await loadWorkflow(file, options), "go", { cwd: directory });
  for await (const event of run.events) if (event.type === "question-asked") break;
  await run.suspend();
  const resumed = await resumeRun(run.id, options);
  if (resumed.status === "over") throw new Error("it is over");
  const answered = (async () => {
    for await (const event of resumed.run.events)
      if (event.type === "question-asked") return resumed.run.answer(event.id, "DONE: it is deep");
    return undefined;
  })();
  await resumed.run.parted;
  await answered;
  const machine = createMachineAt({ cwd: directory });
  const journal = machine.store.open(run.id, "read");
  const records = recordsIn([...journal.read()]);
  journal.close();
  expect(records).toEqual([
    ["looking", { kind: "decision", chosen: "north", reasoning: "dry" }],
    ["looking", { kind: "finding", text: "it is wet" }],
    ["looking", { kind: "finding", text: "it is deep" }],
  ]);
  const { trajectory } = await tellRun(machine, run.id);
  expect(trajectory.retrospective).toMatchObject({
    decisions: [
      { question: "north", chosen: "north", reasoning: "looking: dry" },
      { chosen: "DONE: it is deep", reasoning: "by user" },
    ],
    learnings: ["it is wet", "it is deep"],
  });
});

test("a pattern that a step carries out adds to the trajectory too [PRM-trajectory]", async () => {
  const step = { id: "run", type: "pattern", pattern: "explorer", agents: ["bob"] };
  const content = { ...stepped, steps: [step] };
  const loaded = await steppedWorkflow(content, [explorer]);
  const run = runWorkflow(loaded, "go", here());
  await run.parted;
  expect(recordsIn(await allOf(run.events)).map(([, record]) => record)).toMatchObject([
    { chosen: "north" },
    { kind: "finding", text: "ab" },
  ]);
});

test("what a pattern adds that is no record fails its run with what is wrong [PRM-trajectory]", async () => {
  const careless = broken(async (context) => {
    context.record({ kind: "finding", text: " " });
    return { outcome: "completed", reason: "never" };
  });
  const content = { pattern: "broken", agents: RUNNERS };
  const run = runWorkflow(content, "go", { ...here(), patterns: [careless] });
  const parting = await run.parted;
  expect(recordsIn(await allOf(run.events))).toEqual([]);
  expect(parting).toMatchObject({
    event: { outcome: "failed", error: { code: "ENGINE_RECORD_INVALID" } },
  });
});
