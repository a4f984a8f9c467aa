import { expect, test } from "vitest";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { waitStep } from "../../../src/programs/steps/wait-step.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  runStepsInMemory,
  startStepsInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, messagesIn } from "./flow-data.ts";

const HOUR_MS = 3_600_000;
const wait = (settings: { readonly [key: string]: Json }) => ({
  // A wait is running time, too.
  maxDurationMs: 1000 * HOUR_MS,
  steps: [{ id: "pause", type: "wait", settings }],
});

test("a wait of some time is over when that has passed [STP-1]", async () => {
  const clock = createManualClock();
  const started = await startStepsInMemory(wait({ duration_ms: 2 * HOUR_MS }), { clock });
  await started.event("step-started");
  await clock.advance(2 * HOUR_MS - 1);
  expect(started.run.state.steps.byPath.get("pause")?.status).toBe("running");
  await clock.advance(1);
  const run = await started.over();
  expect(dataIn(run)).toEqual({ pause: { waitedMs: 2 * HOUR_MS } });
  expect(run.all("step-completed")).toMatchObject([{ output: "waited 2h00m" }]);
});

test.each<{ title: string; until: string; input: Json }>([
  { title: "a written time", until: "2026-01-01T01:00:00Z", input: null },
  { title: "a time with a zone", until: "2026-01-01T02:30+01:30", input: null },
  {
    title: "a time of the context",
    until: "{{input.at}}",
    input: { at: "2026-01-01T01:00:00.000Z" },
  },
  { title: "ms since the epoch", until: "{{input.at}}", input: { at: Date.UTC(2026, 0, 1, 1) } },
])("wait until $title [STP-1]", async ({ until, input }) => {
  const clock = createManualClock();
  const started = await startStepsInMemory(wait({ until }), { clock, input });
  await started.event("step-started");
  await clock.advance(HOUR_MS);
  expect(dataIn(await started.over())).toEqual({ pause: { waitedMs: HOUR_MS } });
});

test("a time that has passed does not wait [STP-1]", async () => {
  const run = await runStepsInMemory(wait({ until: "2020-01-01T00:00:00Z" }));
  expect(dataIn(run)).toEqual({ pause: { waitedMs: 0 } });
});

test("a wait counts calendar time, also while nobody runs it [STP-1, ENG-5]", async () => {
  const clock = createManualClock();
  const store = createMemoryStore();
  const started = await startStepsInMemory(wait({ duration_ms: 10 * HOUR_MS }), { clock, store });
  await started.event("step-started");
  await clock.advance(HOUR_MS);
  await started.run.suspend();
  await started.over();
  await clock.advance(9 * HOUR_MS);
  const resumed = await resumeInMemory(started.run.id, { clock, store });
  await clock.advance(0);
  const run = await resumed.over();
  expect(run.outcome).toBe("completed");
});

test.each<Json>([
  "soon",
  "2026-02-30T00:00:00Z",
  "2026-99-01T00:00:00Z",
  "",
  "2026-01-01",
  "2026-01-01T01:00:00",
  "9999-01-01T00:00:00Z",
])(
  "a text that is no time, or none that is near enough, fails the step: %j [STP-1]",
  async (at) => {
    const run = await runStepsInMemory(wait({ until: "{{input.at}}" }), { input: { at } });
    expect(messagesIn(run)).toEqual({
      pause: `step "pause" waits until ${JSON.stringify(at)}, which is no time`,
    });
  },
);

test("what a wait cannot mean is found at load [STP-1]", () => {
  const type: StepType = waitStep;
  const problemsOf = (settings: Json) =>
    type
      .check?.(type.settings.parse(settings), {
        nestedCount: 0,
        routes: [],
      })
      .map(({ problem }) => problem);
  expect(problemsOf({ duration_ms: 0 })).toEqual([]);
  expect(problemsOf({ until: "{{context.plan.at}}" })).toEqual([]);
  expect(problemsOf({})).toEqual(["does not say how long"]);
  expect(problemsOf({ duration_ms: 1, until: "2026-01-01T00:00:00Z" })).toEqual([
    "stands beside duration_ms",
  ]);
  expect(problemsOf({ until: "context.plan.at" })).toEqual(['"context.plan.at" is no time']);
});
