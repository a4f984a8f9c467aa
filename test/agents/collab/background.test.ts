import { expect, test } from "vitest";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { TroupeError } from "../../../src/foundation/errors.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { type AgentsRunOptions, agent, runAgents } from "../agents-run.ts";
import { type Call, castBackend, lasting, says } from "./collab-run.ts";

const inBackground = { description: "look", prompt: "Where?", name: "a", run_in_background: true };

/** A run whose program ends with the one turn of a lead, which has given a task in the background. */
function shortRun(more: Partial<AgentsRunOptions> & { readonly end?: () => never } = {}) {
  const work = lasting("found it");
  const lead = async (call: Call) => {
    await call("Task", inBackground);
    return "done";
  };
  const { end = () => "over", ...options } = more;
  const clock = createManualClock();
  const program = async (context: Context) => {
    await context.spawn(agent("lead", { spawns: true }));
    await context.turn("lead", "go");
    return end();
  };
  const backend = castBackend({ lead: [lead], a: [work.part] });
  return { run: runAgents(program, { backend, clock, ...options }), work, clock };
}

test("a run is not over while a subagent works in the background, although its program is [SUB-9]", async () => {
  const { run, work } = shortRun();
  let isOver = false;
  void run.owned.parted.then(() => {
    isOver = true;
  });
  await settle();
  expect(run.all("turn-completed").map((event) => event.agent)).toEqual(["lead"]);
  expect(isOver).toBe(false);
  work.open();
  expect(await run.over()).toBe("over");
  expect(run.all("turn-completed").map(({ agent: by, text }) => [by, text])).toEqual([
    ["lead", "done"],
    ["a", "found it"],
  ]);
  expect(run.all("turn-interrupted")).toEqual([]);
});

test.each([
  {
    what: "somebody cancels it",
    more: {},
    bound: (started: ReturnType<typeof shortRun>) =>
      started.run.owned.command({ kind: "cancel", reason: "enough" }, "user"),
    outcome: "cancelled",
  },
  {
    what: "its time is over",
    more: { limits: { timeoutMs: 60_000 } },
    bound: ({ clock }: ReturnType<typeof shortRun>) => clock.advance(60_000),
    outcome: "timed-out",
  },
])("such a run ends all the same when $what [SUB-9]", async ({ more, bound, outcome }) => {
  const started = shortRun(more);
  await settle();
  await bound(started);
  const parting = await started.run.owned.parted;
  expect(parting).toMatchObject({ status: "ended", event: { outcome } });
  expect(started.run.all("turn-interrupted").map((event) => event.agent)).toEqual(["a"]);
});

test("a program that fails waits for nobody [SUB-9]", async () => {
  const { run } = shortRun({
    end: () => {
      throw new TroupeError({ code: "X_Y", message: "no", retryable: false, details: undefined });
    },
  });
  const parting = await run.owned.parted;
  expect(parting).toMatchObject({ status: "ended", event: { outcome: "failed" } });
});

test("when the owner dies while its run is held open, the next one waits for the subagent too [SUB-9]", async () => {
  const store = createCuttableStore();
  const first = shortRun({ store });
  await settle();
  const begun = first.run.events.at(-1)?.seq ?? 0;
  const cut = await store.cutAfter("run_agents", begun);
  first.work.open();
  await first.run.over();
  const backend = castBackend({ lead: [says("again?")], a: [says("found it after all")] });
  const next = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { spawns: true }));
      await context.turn("lead", "go");
      return "over";
    },
    { backend, store: cut },
  );
  expect(await next.over()).toBe("over");
  expect(next.all("turn-completed").map(({ agent: by, text }) => [by, text])).toEqual([
    ["a", "found it after all"],
  ]);
});
