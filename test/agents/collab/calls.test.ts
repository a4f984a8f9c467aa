import { expect, test } from "vitest";
import { createRateGovernor } from "../../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../../src/app/run/owner/run-hold.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { playedBackend } from "../agents-run.ts";
import { type Cast, castBackend, type Part, runCast, says } from "./collab-run.ts";

test("every call is told by an event when it begins and one when it ends, with what it came to [COL-6, COL-8]", async () => {
  const seen: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "look", name: "ann" });
        await call("wait", { thread_ids: ["ann"], timeout: 5 });
        await call("send_input", { thread_id: "ann", prompt: "again" });
        await call("close_agent", { id: "ann" });
        await call("resume_agent", { id: "ann", prompt: "once more" });
        seen.push(await call("send_input", { id: "ann", prompt: "x", more: true }));
        return "done";
      },
    ],
  });
  await expect.poll(() => seen).toEqual([{ error: "AGENT_TOOL_INPUT_INVALID" }]);
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBeGreaterThan(0);
  await run.stop();
  const began = run.all("collab-began");
  expect(began.map(({ operation, agents, prompt }) => [operation, agents, prompt])).toEqual([
    ["spawn", ["ann"], "look"],
    ["wait", ["ann"], undefined],
    ["send", ["ann"], "again"],
    ["close", ["ann"], undefined],
    ["resume", ["ann"], "once more"],
  ]);
  const ended = run.all("collab-ended");
  expect(ended.map(({ call }) => call)).toEqual(began.map(({ call }) => call));
  expect(ended.map(({ operation, statuses, timedOut }) => [operation, statuses, timedOut])).toEqual(
    [
      ["spawn", { ann: "pending_init" }, false],
      ["wait", { ann: "completed" }, false],
      ["send", { ann: "running" }, false],
      ["close", { ann: expect.stringMatching(/running|completed/) }, false],
      ["resume", { ann: "pending_init" }, false],
    ],
  );
});

test("an agent takes no more turns than whoever spawned it has said, and no more than its budget says [COL-10]", async () => {
  const seen: unknown[] = [];
  const lead: Part = async (call) => {
    await call("spawn_agent", { prompt: "a", name: "short", max_turns: 1 });
    await call("spawn_agent", { prompt: "b", name: "poor", budget: { turns: 1 } });
    for (const id of ["short", "poor"]) {
      await call("wait", { ids: [id] });
      await call("send_input", { id, prompt: "more" });
      seen.push((await call("wait", { ids: [id] }))["statuses"]);
    }
    seen.push(await call("spawn_agent", { prompt: "c", max_turns: 0 }));
    return "done";
  };
  const run = runCast({ lead: [lead], short: [says("one")], poor: [says("one")] });
  await expect.poll(() => seen.length).toBe(3);
  expect(seen).toEqual([
    { short: expect.objectContaining({ status: "errored" }) },
    { poor: expect.objectContaining({ status: "errored" }) },
    { error: "AGENT_TOOL_INPUT_INVALID" },
  ]);
  await run.stop();
  expect(run.all("budget-exceeded").map(({ of, agent, limit }) => [of, agent, limit])).toEqual([
    ["agent", "short", 1],
    ["agent", "poor", 1],
  ]);
});

test("nobody closes itself or whoever is above it [COL-14]", async () => {
  const seen: unknown[] = [];
  const child: Part = async (call) => {
    for (const id of ["lead", "child"]) seen.push(await call("close_agent", { id }));
    return "ok";
  };
  const lead: Part = async (call) => {
    await call("spawn_agent", { prompt: "a", name: "child" });
    await call("wait");
    return "done";
  };
  const run = runCast({ lead: [lead], child: [child] }, { spawnLimits: { maxDepth: 2 } });
  await expect.poll(() => seen.length).toBe(2);
  expect(seen).toEqual([{ error: "COLLAB_NOT_FOUND" }, { error: "COLLAB_NOT_FOUND" }]);
  await run.stop();
});

test("an agent that has failed is resumed, and one that was cut off takes new input [COL-11, COL-14]", async () => {
  const seen: unknown[] = [];
  const lead: Part = async (call) => {
    await call("spawn_agent", { prompt: "a", name: "failing" });
    seen.push((await call("wait"))["statuses"]);
    await call("resume_agent", { id: "failing" });
    seen.push((await call("wait"))["statuses"]);
    await call("spawn_agent", { prompt: "b", name: "cut" });
    seen.push((await call("wait", { ids: ["cut"] }))["statuses"]);
    await call("send_input", { id: "cut", prompt: "go on" });
    seen.push((await call("wait", { ids: ["cut"] }))["statuses"]);
    return "done";
  };
  const cast = castBackend({
    lead: [lead],
    failing: [says("FAILED: no key"), says("found the key")],
    cut: [says(""), says("went on")],
  });
  const backend = playedBackend(async function* (request, session) {
    const isCut = request.agent === "cut" && request.turn === 1;
    if (isCut) yield { type: "stop", reason: "cancelled" };
    else yield* (await cast.open(session)).prompt(request);
  });
  const run = runCast({}, { backend });
  await expect.poll(() => seen.length).toBe(4);
  expect(seen).toEqual([
    { failing: { status: "errored", text: "no key" } },
    { failing: { status: "completed", text: "found the key" } },
    { cut: { status: "interrupted" } },
    { cut: { status: "completed", text: "went on" } },
  ]);
  await run.stop();
});

const ASKED: { readonly [tool: string]: string } = {
  wait: "collab-ended",
  approval_request: "approval-requested",
};

test.each(Object.keys(ASKED))(
  "with one place on an account a turn that calls %s leaves it to others [COL-9]",
  async (tool) => {
    const clock = createManualClock();
    const governor = createRateGovernor({
      ...{ ledger: createLedger(), clock, random: () => 0, places: 1 },
      newId: createIds(),
    });
    const lead: Part = async (call) => {
      await call("spawn_agent", { prompt: "a" });
      await call(tool, tool === "wait" ? {} : { message: "Delete it" });
      return "done";
    };
    const cast: Cast = { lead: [lead], "worker-1": [says("found it")] };
    const backend = { ...castBackend(cast), account: () => "lab key 1a2b" };
    const run = runCast(cast, { backend, clock, governor });
    await settle();
    await expect.poll(() => run.owned.state.agents.get("worker-1")?.turnsEnded).toBe(1);
    expect(run.events.some(({ type }) => type === ASKED[tool])).toBe(true);
    await run.stop();
  },
);

function createLedger() {
  const ledger = createMemoryLedger();
  return () => ledger;
}

function createIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${count}`;
  };
}
