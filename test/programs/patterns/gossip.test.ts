import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Options = { readonly [key: string]: Json };
const turns = { maxAttempts: 1, retryDelayMs: 0 };

function workflow(options: Options, said: Options) {
  const agents = Object.keys(said).map((id) => ({ id }));
  return { pattern: "gossip", agents, turns, options };
}

function held(options: Options, said: Options) {
  return runWorkflowInMemory(workflow(options, said), { task: "what is up", turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

const says = (state: string) => ({ say: `GOSSIP: ${state}` });

test("peers say what they know, hear others by lot, and end when all have the same state [PRM-gossip.pattern, PRM-files-2.gossip, PRM-files-2.merger]", async () => {
  const run = await held(
    { fanout: 2 },
    {
      a: [says("rain"), { expect: "wind", ...says("rain, wind, sun") }],
      b: [says("wind"), { expect: "sun", ...says("rain, wind, sun") }],
      c: [says("sun"), { expect: "rain", ...says(" rain, wind, sun") }],
    },
  );
  expect(endOf(run)).toEqual({
    outcome: "completed",
    reason: "all have the same state after 1 round",
  });
  expect(run.result).toMatchObject({
    output: "rain, wind, sun",
    metadata: { rounds: 1, agreed: true, peers: ["a", "b", "c"] },
  });
});

test("whoever hears nothing new is asked nothing, and who agree at once hear nobody [PRM-gossip.pattern]", async () => {
  const once = await held({}, { a: [says("rain")], b: [says("rain")] });
  expect(once.result?.metadata).toMatchObject({ rounds: 0, agreed: true });
  const run = await held(
    { fanout: 1 },
    { a: [says("rain"), says("rain")], b: [says("wind"), says("rain")] },
  );
  expect(run.result?.metadata).toMatchObject({ rounds: 1, agreed: true });
});

test("without agreement the rounds are the bound, and each state is told [PRM-gossip.pattern, PAT-ends.limit, PRM-files-2.gossip]", async () => {
  const stubborn = (state: string) => Array.from({ length: 3 }, () => says(state));
  const run = await held({ maxRounds: 2 }, { a: stubborn("rain"), b: stubborn("wind") });
  expect(endOf(run)).toEqual({
    outcome: "limit-reached",
    reason: "2 peers do not agree after 2 rounds",
  });
  expect(run.result).toMatchObject({
    output: "## a\n\nrain\n\n## b\n\nwind",
    metadata: { rounds: 2, agreed: false },
  });
});

test("the interval lies between two rounds, by the clock of the run [PRM-gossip.pattern, PRM-files-2.gossip]", async () => {
  const clock = createManualClock();
  const said = {
    a: [says("rain"), says("1"), says("same")],
    b: [says("wind"), says("2"), says("same")],
  };
  const started = await startInMemory(workflow({ roundInterval: "5m" }, said), {
    clock,
    task: "x",
    turns: said,
  });
  await started.event("pattern-advanced", ({ kind }) => kind === "round");
  const over = started.over();
  await clock.advance(299_000);
  expect(started.run.state.phase.status).toBe("running");
  await clock.advance(1000);
  expect((await over).result?.metadata).toMatchObject({ rounds: 2, agreed: true });
});

test("each hears two others, ten rounds at most and without a wait, unless the block says otherwise [PRM-files-2.gossip]", async () => {
  const stubborn = (state: string) => Array.from({ length: 11 }, () => says(state));
  const said = { a: stubborn("rain"), b: stubborn("wind"), c: stubborn("sun"), d: stubborn("fog") };
  const clock = createManualClock();
  const run = await runWorkflowInMemory(workflow({}, said), { clock, task: "x", turns: said });
  expect(run.result?.metadata).toMatchObject({ rounds: 10, agreed: false });
  const heard = run.all("operation-scheduled").flatMap(({ kind, input }) => {
    const states = JSON.stringify(input).match(/state of [a-d]\b/g) ?? [];
    return kind === "turn" ? [new Set(states).size] : [];
  });
  expect(heard).toEqual([0, 0, 0, 0, ...Array.from({ length: 40 }, () => 2)]);
});

test("a peer that fails is heard no more; without any peer the run has failed [PRM-gossip.pattern, PAT-fail.last]", async () => {
  const run = await held({}, { a: [says("rain")], b: [{ say: "FAILED: ill" }], c: [says("rain")] });
  expect(run.result?.metadata).toMatchObject({ agreed: true, peers: ["a", "c"] });
  const none = await held({}, { a: [{ say: "FAILED: ill" }] });
  expect(endOf(none)).toMatchObject({ outcome: "failed" });
});
