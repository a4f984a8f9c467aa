import { expect, test } from "vitest";
import { trailOf } from "../../../src/messaging/trails/run-trails.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  startInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { answersTo, call, oneTurnEach, runScripts, turnOf } from "../../tools/tools-run.ts";

const trails = {
  namespace: "default",
  decayRate: 0.5,
  minThreshold: 0.01,
  reinforcement: "additive",
} as const;
const stays = { ...trails, decayRate: 0 };

const twoSteps = {
  stigmergy: stays,
  agents: [{ id: "a" }, { id: "b" }],
  steps: [
    { id: "a", agent: "a", prompt: "look" },
    { id: "b", agent: "b", prompt: "follow", dependsOn: ["a"] },
  ],
};
const turns = {
  a: [
    { say: "DEPOSIT: src/db 8\nDEPOSIT: src/db 1\nDEPOSIT: src/web 2\nDEPOSIT: none\nDONE: seen" },
  ],
  b: [{ expect: "> src/db 9 (a)\n> src/web 2 (a)", say: "DEPOSIT: src/db 1\nDONE: there" }],
};

function marksOf({ state }: Pick<FinishedRun, "state">, namespace?: string) {
  const { trail, nowMs } = trailOf(state, stays, namespace);
  return trail.readAll(nowMs);
}

test("each DEPOSIT of a turn counts, and the next agent is told what lies where, the strongest first [PRM-stigmergy.run, PRM-files-2.namespace]", async () => {
  const run = await runWorkflowInMemory(twoSteps, { turns });
  expect(run.state.phase).toMatchObject({ status: "ended", outcome: "completed" });
  expect(marksOf(run)).toEqual([
    { key: "src/db", value: 10, lastUpdatedBy: "b" },
    { key: "src/web", value: 2, lastUpdatedBy: "a" },
  ]);
});

test("marks are as strong as they were at the latest event, whenever somebody looks [PRM-files-2.read]", async () => {
  const clock = createManualClock();
  const said = {
    a: [{ say: "DEPOSIT: src/db 8\nDONE: seen" }],
    b: [{ after: "1s", say: "DONE: x" }],
  };
  const started = await startInMemory({ ...twoSteps, stigmergy: trails }, { clock, turns: said });
  const over = started.over();
  await started.event("turn-started", ({ agent }) => agent === "b");
  await clock.advance(1000);
  const { state, events } = await over;
  await clock.advance(3_600_000);
  const { trail, nowMs } = trailOf(state, trails);
  expect(nowMs).toBe(events.at(-1)?.at);
  expect(trail.read("src/db", nowMs)).toBe(4);
});

test("without the block nobody is told of marks [PRM-stigmergy.run]", async () => {
  const { stigmergy: _, ...plain } = twoSteps;
  const run = await runWorkflowInMemory(plain, {
    turns: { ...turns, b: [{ say: "DONE: there" }] },
  });
  const prompts = run.events.filter(({ type }) => type === "turn-started");
  expect(JSON.stringify(prompts)).not.toContain("DEPOSIT");
});

test("a run killed between a deposit and its reading reads the same, whatever was written last [PRM-stigmergy.run]", async () => {
  const store = createCuttableStore();
  const whole = await runWorkflowInMemory(twoSteps, { store, turns });
  const id = whole.state.run.id;
  const cuts = store.commits(id).slice(0, -1);
  expect(cuts.length).toBeGreaterThan(3);
  for (const seq of cuts) {
    const resumed = await resumeInMemory(id, { store: await store.cutAfter(id, seq) });
    const run = await resumed.over();
    // A turn that is taken again leaves its marks once: what was cut off had left none yet.
    expect({ seq, marks: marksOf(run) }).toEqual({ seq, marks: marksOf(whole) });
  }
});

test("a mark left by tool counts once, also when its turn is cut off and taken again; what it says twice counts twice [PRM-stigmergy.run, PAT-cut.once, PRM-files-2.tools]", async () => {
  const store = createCuttableStore();
  const laid = call("deposit", { key: "src/db", value: 4 });
  const byTool = { a: [{ do: [laid, laid], say: "DONE: seen" }], b: [{ say: "DONE: there" }] };
  const whole = await runWorkflowInMemory(twoSteps, { store, turns: byTool });
  const marks = [{ key: "src/db", value: 8, lastUpdatedBy: "a" }];
  expect(marksOf(whole)).toEqual(marks);
  const id = whole.state.run.id;
  for (const seq of store.commits(id).slice(0, -1)) {
    const resumed = await resumeInMemory(id, { store: await store.cutAfter(id, seq) });
    expect({ seq, marks: marksOf(await resumed.over()) }).toEqual({ seq, marks });
  }
});

test("by tool a mark is left and read as it is by then, in a place of its own if that is named [PRM-stigmergy.run, PRM-files-2.namespace, PRM-files-2.tools, PRM-files-2.answers]", async () => {
  const clock = createManualClock();
  const agents = [
    {
      id: "a",
      script: [
        turnOf(
          call("deposit", { key: "x", value: 8 }),
          call("deposit", { key: "x", value: 2, namespace: "other" }),
          call("deposit", { key: "two words", value: 1 }),
        ),
      ],
    },
    {
      id: "b",
      script: [
        turnOf(
          call("trail_read", { key: "x" }),
          call("deposit", { key: "x", value: 1 }),
          call("trail_read"),
          call("trail_read", { namespace: "other" }),
          call("trail_read", { key: "y" }),
        ),
      ],
    },
  ];
  const run = runScripts(
    agents,
    async (context) => {
      await context.turn("a", "go");
      await context.sleep(1000);
      await context.turn("b", "go");
      return null;
    },
    { clock, shares: { channel: true, document: true, trails } },
  );
  await settle();
  await clock.advance(1000);
  await run.owned.parted;
  expect(answersTo(run, "a")).toEqual([
    { tool: "deposit", isError: false, result: { counted: true, key: "x", value: 8 } },
    { tool: "deposit", isError: false, result: { counted: true, key: "x", value: 2 } },
    { tool: "deposit", isError: true, result: expect.stringContaining("expected one word") },
  ]);
  expect(answersTo(run, "b").map(({ result }) => result)).toEqual([
    { key: "x", value: 4 },
    { counted: true, key: "x", value: 5 },
    { marks: [{ key: "x", value: 5, lastUpdatedBy: "b" }] },
    { marks: [{ key: "x", value: 1, lastUpdatedBy: "a" }] },
    { key: "y", value: 0 },
  ]);
});

test("where a run has no marks the tools are not offered [PRM-stigmergy.run, PRM-files-2.offered]", async () => {
  const agents = [
    { id: "a", script: [turnOf(call("trail_read"), call("deposit", { key: "x", value: 1 }))] },
  ];
  const run = runScripts(agents, oneTurnEach("a"));
  await run.owned.parted;
  const refused = { isError: true, result: expect.stringContaining("this run shares no trails") };
  expect(answersTo(run, "a")).toMatchObject([refused, refused]);
});
