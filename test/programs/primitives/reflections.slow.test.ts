import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { importanceOf } from "../../../src/programs/primitives/reflection-window.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Script = { readonly [agent: string]: readonly { readonly [key: string]: Json }[] };

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const stages = ["plan", "build", "check"].map((id) => ({ id }));
const lead = { id: "lead", role: "lead" } as const;

/** Three stages, and somebody who leads and has no stage. */
function pipeline(reflection: { readonly [key: string]: Json }, said: Script) {
  return runWorkflowInMemory(
    {
      pattern: "pipeline",
      agents: [lead, ...stages],
      steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
      reflection: { threshold: 50, ...reflection },
    },
    { turns: said },
  );
}

const adjust = (...adjustments: Json[]) =>
  `\n\`\`\`json\n${JSON.stringify({ adjustments })}\n\`\`\``;
const made = (run: FinishedRun) => run.all("reflection-made");
const promptsTo = (run: FinishedRun, agent: string) =>
  run.all("operation-scheduled").flatMap(({ kind, input }) => {
    const { agent: to, prompt } = input as { agent?: string; prompt?: string };
    return kind === "turn" && to === agent ? [prompt ?? ""] : [];
  });

test.each([
  ["Tests CRASH on start", 8],
  ["it failed, and is done: no", 8],
  ["I am waiting for the schema", 6],
  ["DONE: all of it", 5],
  ["we chose SQLite", 5],
  ["progress: half", 3],
  ["ACK: starting", 2],
  ["hello", 3],
])("%j is of importance %i, by the first band that fits [PRM-reflection]", (text, importance) => {
  expect(importanceOf(text)).toBe(importance);
});

test("between two stages the lead reflects once enough has accumulated, and may give the next one another part [PRM-reflection]", async () => {
  const build = { agent: "build", action: "reassign", content: "build a hut" };
  const run = await pipeline(
    { threshold: 8 },
    {
      plan: [{ say: "DONE: an error in the plan" }],
      lead: [{ expect: "an error in the plan", say: `REFLECT: the plan is wrong${adjust(build)}` }],
      build: [{ expect: "another part from now on:\n\nbuild a hut", say: "DONE: a hut" }],
      check: [{ say: "DONE: it stands" }],
    },
  );
  expect(run.outcome).toBe("completed");
  expect(made(run)).toMatchObject([
    {
      by: "lead",
      synthesis: "the plan is wrong",
      focalPoints: [
        "What do the errors that plan tells of mean for the goal?",
        "Does lead, build, check wait for something that somebody can give?",
        "Do the agents come closer to one result, or do they go apart?",
      ],
      adjustments: [{ ...build, result: "done" }],
      confidence: 1,
      importance: 8,
    },
  ]);
  expect(run.state.reflections).toHaveLength(1);
});

test("below the threshold nobody reflects, and the sum begins anew with each reflection [PRM-reflection, PRM-reflection-2]", async () => {
  const plain = {
    plan: [{ say: "DONE: a" }],
    build: [{ say: "DONE: b" }],
    check: [{ say: "DONE: c" }],
  };
  expect(made(await pipeline({ threshold: 11 }, plain))).toEqual([]);
  const once = await pipeline({ threshold: 10 }, { ...plain, lead: [{ say: "REFLECT: well" }] });
  expect(made(once)).toMatchObject([{ importance: 10 }]);
  const twice = await pipeline(
    { threshold: 5 },
    {
      ...plain,
      lead: [{ say: "REFLECT: well\nerror, failure, panic" }, { say: "REFLECT: ready" }],
    },
  );
  // What the reflector says in its own turn counts for nothing.
  expect(made(twice)).toMatchObject([{ importance: 5 }, { importance: 5 }]);
});

test("whoever reflects is told what was said, how all do, and what was made of it before [PRM-reflection, PRM-reflection-2]", async () => {
  const run = await pipeline(
    { threshold: 5, prompt: "Say what you think." },
    {
      plan: [{ say: "DONE: the plan of plans" }],
      build: [{ say: "DONE: the hut" }],
      check: [{ say: "DONE: it stands" }],
      lead: [{ say: "REFLECT: planned well" }, { say: "built well" }],
    },
  );
  const [first = "", second = ""] = promptsTo(run, "lead");
  expect(first).toMatch(/^Say what you think\./);
  expect(first).toContain("message of plan, importance 5\nDONE: the plan of plans");
  expect(first).toContain("- plan: done\n- build: idle\n- check: idle");
  expect(first).not.toContain("earlier reflection");
  expect(second).toContain("earlier reflection of this run\nplanned well");
  expect(second).not.toContain("the plan of plans");
  // A mere answer is taken at its word.
  expect(made(run).map(({ synthesis }) => synthesis)).toEqual(["planned well", "built well"]);
});

test("without a lead Troupe itself reflects: no agent is asked [PRM-reflection-2]", async () => {
  const run = await runWorkflowInMemory(
    {
      pattern: "fan-out",
      agents: [{ id: "a" }, { id: "b" }],
      steps: [{ id: "a" }, { id: "b" }],
      maxConcurrency: 1,
      reflection: { threshold: 8 },
    },
    { task: "t", turns: { a: [{ say: "BLOCKED: an error" }], b: [{ say: "DONE: well" }] } },
  );
  expect(run.all("turn-completed")).toHaveLength(2);
  expect(made(run)).toEqual([
    expect.objectContaining({
      by: "system",
      synthesis: "1 message of importance 8 (a 1).\nStuck: a.\na: BLOCKED: an error",
      confidence: 0.5,
      adjustments: [],
    }),
  ]);
});

test("a named reflector reflects in place of the lead, and when its turn fails Troupe does [PRM-reflection-2]", async () => {
  const run = await pipeline(
    { threshold: 5, reflector: "check" },
    {
      plan: [{ say: "DONE: a" }],
      build: [{ say: "DONE: b" }],
      check: [
        { say: "REFLECT: seen" },
        { fail: { code: "OVERLOADED", message: "no model" } },
        { say: "DONE: c" },
      ],
    },
  );
  expect(made(run).map(({ by }) => by)).toEqual(["check", "system"]);
  expect(run.all("log").map(({ text }) => text)).toEqual([
    expect.stringMatching(/^check could not reflect: /),
  ]);
});

test("peers reflect between rounds, and those that vote before the vote [PRM-reflection-3]", async () => {
  const mesh = await runWorkflowInMemory(
    {
      pattern: "mesh",
      agents: [lead, { id: "b" }],
      turns,
      options: { maxRounds: 2 },
      reflection: { threshold: 6 },
    },
    {
      task: "t",
      turns: {
        lead: [{ say: "hello" }, { say: "REFLECT: slow" }, { say: "DONE: x" }],
        b: [{ say: "hello" }, { say: "DONE: y" }],
      },
    },
  );
  expect(mesh.outcome).toBe("completed");
  const order = mesh.events.flatMap((event) =>
    event.type === "pattern-advanced" || event.type === "reflection-made" ? [event.type] : [],
  );
  expect(order).toEqual([
    "pattern-advanced",
    "reflection-made",
    "pattern-advanced",
    "pattern-advanced",
  ]);
  const vote = await runWorkflowInMemory(
    {
      pattern: "consensus",
      agents: [lead, { id: "b" }],
      turns,
      options: { discussion: 1 },
      reflection: { threshold: 6 },
    },
    {
      task: "t",
      turns: {
        lead: [{ say: "hm" }, { say: "REFLECT: split" }, { say: "VOTE: approve ok" }],
        b: [{ say: "hm" }, { say: "VOTE: approve ok" }],
      },
    },
  );
  expect(vote.result?.metadata).toMatchObject({ decision: "approved" });
  const seqs = (type: string) => vote.events.flatMap((e) => (e.type === type ? [e.seq] : []));
  const votes = vote.all("pattern-advanced").filter(({ kind }) => kind === "vote");
  expect(seqs("reflection-made")).toHaveLength(1);
  expect(seqs("reflection-made")[0]).toBeLessThan(votes[0]?.seq ?? 0);
});

describe("what a reflection changes", () => {
  const leads = (...adjustments: Json[]) => [
    { say: `REFLECT: change${adjust(...adjustments)}` },
    { say: "REFLECT: nothing more" },
  ];

  test("an agent that is at work is cut off and begins anew with its new part [PRM-adjust]", async () => {
    const slow = { agent: "slow", action: "reassign", content: "draw a map" };
    const run = await runWorkflowInMemory(
      {
        pattern: "fan-out",
        agents: [lead, { id: "quick" }, { id: "slow" }],
        steps: [{ id: "quick" }, { id: "slow" }],
        reflection: { threshold: 5 },
      },
      {
        task: "t",
        turns: {
          quick: [{ say: "DONE: quick" }],
          lead: leads(slow),
          slow: [
            { after: "10m", say: "DONE: never" },
            { expect: "draw a map", say: "DONE: a map" },
          ],
        },
      },
    );
    expect(run.outcome).toBe("completed");
    expect(run.all("turn-interrupted")).toMatchObject([{ agent: "slow" }]);
    expect(run.all("step-failed")).toEqual([]);
    expect(run.all("step-completed").at(-1)).toMatchObject({ step: "slow", output: "a map" });
  });

  test("agents are told things, released and spawned, and what cannot be done is refused with its reason [PRM-adjust]", async () => {
    const run = await runWorkflowInMemory(
      {
        pattern: "fan-out",
        agents: [
          { ...lead, writesTo: ["slow", "other", "quick"] },
          { id: "quick" },
          { id: "slow" },
          { id: "other" },
          { id: "apart" },
        ],
        steps: [{ id: "quick" }, { id: "slow" }, { id: "other" }, { id: "apart" }],
        maxConcurrency: 2,
        reflection: { threshold: 5 },
      },
      {
        task: "t",
        turns: {
          quick: [{ say: "DONE: quick" }],
          lead: leads(
            { agent: "OTHER", action: "message", content: "mind the gap" },
            { agent: "slow", action: "release" },
            { agent: "helper", action: "spawn", content: "do the part of slow" },
            { agent: "helper", action: "spawn", content: "again" },
            { agent: "nobody", action: "release" },
            { agent: "apart", action: "message", content: "hello" },
            { agent: "quick", action: "reassign", content: "more" },
            { agent: "slow", action: "message", content: "still there?" },
            { agent: "other", action: "message" },
            { agent: "lead", action: "release" },
            { agent: "x", action: "dance" },
          ),
          slow: [{ after: "10m", say: "DONE: never" }],
          other: [{ say: "DONE: other" }],
          apart: [{ say: "DONE: apart" }],
          helper: [{ expect: "do the part of slow", say: "DONE: helped" }],
        },
      },
    );
    const [reflection] = made(run);
    expect(
      reflection?.adjustments.map(({ agent, result, reason }) => [agent, result, reason]),
    ).toEqual([
      ["OTHER", "done", undefined],
      ["slow", "done", undefined],
      ["helper", "done", undefined],
      ["helper", "refused", expect.stringMatching(/helper/)],
      ["nobody", "refused", "nobody has this id"],
      ["apart", "refused", "lead may not write to it"],
      ["quick", "refused", "it is done with its part: spawn another one"],
      ["slow", "refused", "it takes part no more"],
      ["other", "refused", "message without content"],
      ["lead", "refused", "nobody releases itself"],
    ]);
    expect(run.all("log").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^reflection of lead: no adjustment: \{"agent":"x"/),
    ]);
    expect(run.all("message-posted")).toContainEqual(
      expect.objectContaining({ from: "system", to: ["other"], text: "mind the gap" }),
    );
    expect(run.all("agent-exited")).toContainEqual(
      expect.objectContaining({ agent: "slow", reason: "released" }),
    );
    expect(run.all("message-posted")).toContainEqual(
      expect.objectContaining({ from: "helper", channel: "main", text: "DONE: helped" }),
    );
  });

  test("whom a reflector spawns may do no more than it may itself [PRM-adjust, AGT-10, AGT-12]", async () => {
    const bounds = {
      permissionMode: "plan" as const,
      ...{ tools: ["Read"], disallowedTools: ["Bash"], maxTurns: 3 },
      ...{ constraints: { readOnly: ["**"] }, env: { A: "1" } },
      ...{ budget: { turns: 5 }, limits: { memoryBytes: 1e9 }, writesTo: ["user", "#"] },
    } as const;
    // Whose files nobody else changes meanwhile.
    const cwd = await mkdtemp(join(tmpdir(), "troupe-reflecting-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const run = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: [{ ...lead, ...bounds }, ...stages],
        steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
        reflection: { threshold: 5 },
      },
      {
        cwd,
        turns: {
          "*": [{ say: "DONE: it" }],
          lead: leads({ agent: "helper", action: "spawn", content: "help" }),
          helper: [{ say: "DONE: helped" }],
        },
      },
    );
    const [spawned] = run.all("agent-spawned").filter(({ agent }) => agent === "helper");
    expect(spawned?.spec).toMatchObject(bounds);
    expect(spawned?.spec.role).toBeUndefined();
  });

  test("a run that stopped after any write goes on to the same reflections and their changes [PRM-reflection, PRM-adjust]", async () => {
    const store = createCuttableStore();
    const whole = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: [lead, ...stages],
        steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
        reflection: { threshold: 5 },
      },
      {
        store,
        turns: {
          plan: [{ say: "DONE: planned" }],
          lead: leads(
            { agent: "build", action: "reassign", content: "build a hut" },
            { agent: "check", action: "message", content: "look twice" },
            { agent: "helper", action: "spawn", content: "help" },
          ),
          helper: [{ say: "DONE: helped" }],
          build: [{ expect: "build a hut", say: "DONE: built" }],
          check: [{ expect: "look twice", say: "DONE: checked" }],
        },
      },
    );
    const { id } = whole.state.run;
    const decisive = ({ state, result }: FinishedRun) => ({
      output: result?.output,
      made: state.reflections.map(({ seq: _seq, at: _at, ...reflection }) => reflection),
    });
    expect(decisive(whole).made.length).toBeGreaterThan(1);
    const cuts = store.commits(id).slice(0, -1);
    expect(cuts.length).toBeGreaterThan(5);
    for (const seq of cuts) {
      const resumed = await resumeInMemory(id, { store: await store.cutAfter(id, seq) });
      expect({ seq, ...decisive(await resumed.over()) }).toEqual({ seq, ...decisive(whole) });
    }
  });

  test("a hub reflects on workers that it talks with, and whom it writes to then has something to do [PRM-reflection]", async () => {
    const run = await runWorkflowInMemory(
      {
        pattern: "hub-spoke",
        agents: [{ id: "hub", role: "hub" }, { id: "w" }],
        turns,
        options: {},
        reflection: { threshold: 11 },
      },
      {
        task: "t",
        turns: {
          "hub/hub": [{ say: "go @w" }, { say: "seen" }, { say: "DONE: all of it" }],
          hub: [
            {
              expect: "message of w, importance 8\nan error",
              say: `REFLECT: w has trouble${adjust({ agent: "w", action: "reassign", content: "another way" })}`,
            },
            { say: "REFLECT: ready" },
          ],
          w: [{ say: "an error" }, { expect: "another way", say: "DONE: another way" }],
        },
      },
    );
    expect(run.outcome).toBe("completed");
    expect(made(run)[0]).toMatchObject({ by: "hub", importance: 11 });
  });

  test("a run reflects twenty times at most [PRM-reflection-3]", async () => {
    const count = 25;
    const ids = Array.from({ length: count }, (_, index) => `s${index}`);
    const run = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: ids.map((id) => ({ id })),
        steps: ids.map((id) => ({ id, prompt: "go" })),
        reflection: { threshold: 1 },
      },
      { turns: Object.fromEntries(ids.map((id) => [id, [{ say: "DONE: x" }]])) },
    );
    expect(run.outcome).toBe("completed");
    expect(made(run)).toHaveLength(20);
  });
});

test("agents are told who reflects, and that the story of the run is kept, where that is so [CON-2.blocks]", async () => {
  const said = {
    plan: [{ say: "DONE: a" }],
    build: [{ say: "DONE: b" }],
    check: [{ say: "DONE: c" }],
  };
  const on = await pipeline({}, said);
  expect(promptsTo(on, "plan")[0]).toContain("lead reflects on the work of all");
  expect(promptsTo(on, "plan")[0]).not.toContain("The story of this run is kept");
  const steps = stages.map(({ id }) => ({ id, prompt: "go" }));
  const plain = { pattern: "pipeline", agents: stages, steps };
  const off = await runWorkflowInMemory(plain, { turns: said });
  expect(promptsTo(off, "plan")[0]).not.toMatch(/reflect|story/i);
  const trajectory = { agentName: "a", autoRecordMessages: true, autoRecordReflections: true };
  const told = await runWorkflowInMemory({ ...plain, trajectory }, { turns: said });
  expect(promptsTo(told, "plan")[0]).toContain("The story of this run is kept for later work");
  expect(promptsTo(told, "plan")[0]).not.toContain("reflects on the work");
});

describe("whoever else says something of it", () => {
  const two = {
    plan: [{ say: "DONE: the plan" }],
    build: [{ say: "DONE: b" }],
    check: [{ say: "DONE: c" }],
  };

  test("by tool a reflection says what it makes of the work and what is to change [PRM-reflection-3, PRM-files-2.offered, PRM-files-2.tools]", async () => {
    const adjustments = [{ agent: "build", action: "reassign", content: "a hut" }];
    const run = await pipeline(
      { threshold: 5 },
      {
        ...two,
        lead: [
          {
            do: [{ call: { tool: "reflect", arguments: { synthesis: "by hand", adjustments } } }],
            say: "so be it",
          },
          { say: "REFLECT: ready" },
        ],
        build: [{ expect: "a hut", say: "DONE: a hut" }],
      },
    );
    expect(made(run)[0]).toMatchObject({
      synthesis: "by hand",
      adjustments: [{ ...adjustments[0], result: "done" }],
    });
    const off = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: stages,
        steps: stages.map(({ id }) => ({ id, prompt: "go" })),
      },
      {
        turns: {
          ...two,
          plan: [
            { do: [{ call: { tool: "reflect", arguments: { synthesis: "x" } } }], say: "DONE: a" },
          ],
        },
      },
    );
    expect(off.all("tool-returned")).toMatchObject([{ isError: true }]);
  });

  test("an agent says how important messages are; where it says nothing sensible, their words do [PRM-reflection.hooks]", async () => {
    const run = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: [{ id: "judge" }, ...stages],
        steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
        reflection: { threshold: 9, scorer: "judge" },
      },
      {
        turns: {
          ...two,
          judge: [
            { expect: "message 1, of plan\nDONE: the plan", say: "1: 9" },
            { say: "1: 11\nperhaps" },
          ],
        },
      },
    );
    // What the scorer says counts for nothing itself.
    expect(made(run)).toMatchObject([{ by: "system", importance: 9 }]);
  });

  test("of several messages each has the importance that stands behind its number [PRM-reflection.hooks]", async () => {
    const send = (text: string) => ({ send: { text } });
    const scored = (say: string) =>
      runWorkflowInMemory(
        {
          pattern: "pipeline",
          agents: [{ id: "judge" }, ...stages],
          steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
          reflection: { threshold: 9, scorer: "judge" },
        },
        {
          turns: {
            ...two,
            plan: [{ do: [send("one"), send("two")], say: "DONE: the plan" }],
            judge: [{ expect: "message 3, of plan\nDONE: the plan", say }, { say: "1: 1" }],
          },
        },
      );
    const all = await scored("1: 2.5\r\n 2 = 1 \n0: 10\n4: 10\n2: x\n3.\t5.5");
    expect(made(all)[0]).toMatchObject({ importance: 9 });
    // For the others their words count: 3 for ordinary ones, 5 for what is done.
    const some = await scored("2: 10\nso 1: 10\n3: 10 at least\n1: 10.0000001\n3: 0.5");
    expect(made(some)[0]).toMatchObject({ importance: 18 });
  });

  test("when the scorer fails, that is told and the words count [PRM-reflection.hooks]", async () => {
    const run = await runWorkflowInMemory(
      {
        pattern: "pipeline",
        agents: [{ id: "judge" }, ...stages],
        steps: stages.map(({ id }) => ({ id, prompt: `do ${id}` })),
        reflection: { threshold: 10, scorer: "judge" },
      },
      {
        turns: {
          ...two,
          judge: [{ fail: { code: "OVERLOADED", message: "no model" } }, { say: "1: 5" }],
        },
      },
    );
    expect(made(run)).toMatchObject([{ importance: 10 }]);
    expect(run.all("log").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^judge could not say how important messages are: ./),
    ]);
  });
});
