import { expect, test } from "vitest";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { castBackend, lasting, type Part, runCast, says } from "./collab-run.ts";

const spawns: Part = async (call) => {
  await call("spawn_agent", { prompt: "work" });
  return "later";
};

test("a child that has finished wakes its idle parent, once [COL-6, COL-12]", async () => {
  const child = lasting("found it");
  const run = runCast({ lead: [spawns], "worker-1": [child.part] });
  await settle();
  child.open();
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBe(2);
  await settle();
  const prompts = run.backend.prompts.filter(({ agent }) => agent === "lead");
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.prompt).toContain("> Agent worker-1: completed\n>\n> found it");
  expect(run.all("message-posted").filter(({ from }) => from === "system")).toHaveLength(1);
  await run.stop();
});

test("what an answer has told wakes nobody, unless its turn is cut off [COL-12]", async () => {
  const asks: Part = async (call) => {
    await call("spawn_agent", { prompt: "work" });
    await call("wait");
    return "done";
  };
  const run = runCast({ lead: [asks], "worker-1": [says("found it")] });
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBe(1);
  await settle();
  expect(run.owned.state.agents.get("lead")?.lastTurn).toBe(1);
  await run.stop();
  const failing: Part = async (...given) => {
    await asks(...given);
    throw new Error("cut off");
  };
  const cut = runCast({ lead: [failing], "worker-1": [says("found it")] });
  await expect
    .poll(() => cut.backend.prompts.filter(({ agent }) => agent === "lead").length)
    .toBe(2);
  expect(cut.backend.prompts.at(-1)?.prompt).toContain("> found it");
  await cut.stop();
});

test("after a crash the same call gives the first answer, and every ending is told once [COL-12, COL-13, PAT-cut.once]", async () => {
  const answers: unknown[] = [];
  const part: Part = async (call) => {
    answers.push(await call("spawn_agent", { prompt: "work" }));
    answers.push(await call("spawn_agent", { prompt: "work" }));
    answers.push((await call("wait"))["statuses"]);
    return "done";
  };
  const cast = { lead: [part], "worker-1": [says("one")], "worker-2": [says("two")] };
  const store = createCuttableStore();
  const whole = runCast(cast, { store });
  await expect.poll(() => answers.length).toBe(3);
  await expect.poll(() => whole.owned.state.agents.get("lead")?.turnsEnded).toBe(1);
  await whole.stop();
  const [first] = [answers.splice(0)];
  for (const seq of store.commits("run_agents")) {
    const cut = await store.cutAfter("run_agents", seq);
    const after = runCast(cast, { store: cut });
    await expect
      .poll(() => after.owned.state.agents.get("lead")?.turnsEnded ?? 0)
      .toBeGreaterThan(0);
    await settle();
    if (answers.length > 0) expect(answers.splice(0)).toEqual(first);
    const { agents, messages } = after.owned.state;
    expect([...agents.keys()]).toEqual(["lead", "worker-1", "worker-2"]);
    expect(messages.recent.filter(({ from }) => from === "system")).toHaveLength(2);
    expect(agents.get("lead")?.lastTurn).toBe(1);
    await after.stop();
  }
});

test("after a crash input, closing and coming back are not done twice, and the same calls give the same answers [COL-4, COL-13, COL-14]", async () => {
  const answers: unknown[] = [];
  const part: Part = async (call) => {
    const tell = async (tool: string, input: Parameters<typeof call>[1]) => {
      answers.push([tool, await call(tool, input)]);
      answers.push((await call("wait", { ids: ["ann"], timeout_ms: 60_000 }))["statuses"]);
    };
    await tell("spawn_agent", { prompt: "one", name: "ann" });
    await tell("send_input", { id: "ann", prompt: "two" });
    await tell("send_input", { id: "ann", prompt: "two" });
    await call("close_agent", { id: "ann" });
    await tell("resume_agent", { id: "ann", prompt: "three" });
    return "done";
  };
  const cast = { lead: [part], ann: ["a", "b", "c", "d"].map(says) };
  const store = createCuttableStore();
  const whole = runCast(cast, { store });
  await expect.poll(() => whole.owned.state.agents.get("lead")?.turnsEnded).toBe(1);
  await whole.stop();
  const told = (run: typeof whole) =>
    run.owned.state.messages.recent.flatMap(({ from, text }) => (from === "lead" ? [text] : []));
  expect(told(whole)).toEqual(["one", "two", "two", "three"]);
  for (const seq of store.commits("run_agents")) {
    const after = runCast(cast, { store: await store.cutAfter("run_agents", seq) });
    await expect
      .poll(() => after.owned.state.agents.get("lead")?.turnsEnded ?? 0)
      .toBeGreaterThan(0);
    await settle();
    expect([seq, told(after)]).toEqual([seq, told(whole)]);
    expect([seq, after.owned.state.agents.get("ann")?.turnsEnded]).toEqual([seq, 4]);
    await after.stop();
  }
});

test("closing tells the status before, cuts off what runs, and does nothing the second time [COL-4, COL-14]", async () => {
  const seen: unknown[] = [];
  const child = lasting("never");
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "work" });
        await call("wait", { timeout_ms: 1 });
        seen.push(await call("close_agent", { id: "worker-1" }));
        seen.push(await call("close_agent", { thread_id: "worker-1" }));
        seen.push(await call("send_input", { id: "worker-1", prompt: "more" }));
        return "done";
      },
    ],
    "worker-1": [child.part],
  });
  await settle();
  await run.clock.advance(1000);
  await expect.poll(() => seen.length).toBe(3);
  expect(seen).toEqual([
    { id: "worker-1", previous_status: { status: "running" }, closed: ["worker-1"] },
    { id: "worker-1", previous_status: { status: "shutdown", text: "released" }, closed: [] },
    { error: "COLLAB_OVER" },
  ]);
  await settle();
  // The answer has told it.
  expect(run.owned.state.agents.get("lead")?.lastTurn).toBe(1);
  await run.stop();
});

test("closing an agent whose backend hangs answers within ten seconds [COL-4, COL-14]", async () => {
  const seen: unknown[] = [];
  const cast = {
    lead: [
      (async (call) => {
        await call("spawn_agent", { prompt: "work" });
        await call("wait", { timeout_ms: 1 });
        seen.push(await call("close_agent", { id: "worker-1" }));
        return "done";
      }) satisfies Part,
    ],
    "worker-1": [() => new Promise<string>(() => {})],
  };
  const run = runCast(cast);
  await settle();
  await run.clock.advance(1000);
  await run.clock.advance(9_999);
  expect(seen).toEqual([]);
  await run.clock.advance(1);
  await expect
    .poll(() => seen)
    .toEqual([expect.objectContaining({ previous_status: { status: "running" } })]);
  const stopped = run.stop();
  await run.clock.advance(60_000);
  await stopped;
});

test("an agent that was closed comes back with its session, and goes on with its prompt [COL-14]", async () => {
  const seen: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "one", name: "ann" });
        await call("wait");
        seen.push(await call("resume_agent", { id: "ann" }));
        await call("close_agent", { id: "ann" });
        seen.push(await call("resume_agent", { id: "ann", prompt: "two" }));
        seen.push((await call("wait"))["statuses"]);
        return "done";
      },
    ],
    ann: [says("first"), async (_call, { prompt }) => prompt],
  });
  await expect.poll(() => seen.length).toBe(3);
  expect(seen).toEqual([
    { error: "COLLAB_NOT_OVER" },
    { id: "ann", name: "ann", status: "pending_init" },
    { ann: { status: "completed", text: expect.stringContaining("> two") } },
  ]);
  const opened = run.backend.opened.filter(({ spec }) => spec.id === "ann");
  expect(opened.map(({ resume }) => resume?.startsWith("token of ann/main"))).toEqual([
    undefined,
    true,
  ]);
  await run.stop();
});

test("without a session to go on with, an agent that comes back is told of its earlier life [COL-14]", async () => {
  const cast = {
    lead: [
      (async (call) => {
        await call("spawn_agent", { prompt: "the task", name: "ann" });
        await call("wait");
        await call("close_agent", { id: "ann" });
        await call("resume_agent", { id: "ann" });
        await call("wait");
        return "done";
      }) satisfies Part,
    ],
    ann: [says("first answer")],
  };
  const backend = castBackend(cast);
  const { open } = backend;
  const run = runCast(cast, {
    backend: {
      ...backend,
      open: async (request) => {
        const { resume: _resume, ...session } = await open(request);
        return session;
      },
    },
  });
  await expect
    .poll(() => backend.prompts.filter(({ agent }) => agent === "ann").at(1)?.prompt)
    .toMatch(/the task.*first answer.*Go on with what you were doing/s);
  await run.stop();
});

test("the children of an agent that ends are closed with it [COL-12, SUB-4]", async () => {
  const child = lasting("never");
  const run = runCast({ lead: [spawns], "worker-1": [child.part] });
  await expect.poll(() => run.owned.state.agents.get("lead")?.turnsEnded).toBe(1);
  await run.owned.command({ kind: "release", agent: "lead", force: true }, "user");
  await expect.poll(() => run.owned.state.agents.get("worker-1")?.status).toBe("exited");
  await run.stop();
});

test("a turn that is cut off while it waits says so of its wait, and of nothing else [COL-12, SUB-4]", async () => {
  const child = lasting("never");
  const waits: Part = async (call) => {
    await call("Task", { description: "look", prompt: "Where?", name: "a" });
    return "done";
  };
  const run = runCast({ lead: [waits], a: [child.part] });
  await expect.poll(() => run.owned.state.agents.get("a")?.status).toBe("working");
  await run.owned.command({ kind: "cancel", reason: "enough" }, "user");
  await run.owned.parted;
  const ended = run.all("collab-ended").filter(({ operation }) => operation === "wait");
  expect(ended.map(({ error }) => error)).toEqual([
    {
      code: "AGENT_INTERRUPTED",
      message: 'the turn of agent "lead" was interrupted before it was done',
      details: { agent: "lead" },
    },
  ]);
});

test("what descendants use counts in the budgets of all above [COL-10]", async () => {
  const run = runCast(
    {
      lead: [
        async (call) => {
          await call("spawn_agent", { prompt: "a" });
          await call("wait");
          await call("send_input", { id: "worker-1", prompt: "b" });
          await call("wait");
          return "done";
        },
      ],
    },
    { lead: { budget: { turns: 2 } } },
  );
  await expect
    .poll(() => run.owned.state.agents.get("worker-1")?.ending)
    .toMatchObject({ status: "errored" });
  // The state is ahead of what is durable.
  await run.stop();
  expect(run.all("budget-exceeded")).toEqual([
    expect.objectContaining({ of: "agent", agent: "lead", meter: "turns", limit: 2 }),
  ]);
});
