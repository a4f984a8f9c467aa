import { expect, test } from "vitest";
import { settle } from "../../../src/testing/manual-clock.ts";
import { castBackend, lasting, type Part, runCast, says } from "./collab-run.ts";

test("wait returns at the first, at all, or at the timeout, always with every status [COL-3]", async () => {
  const answers: unknown[] = [];
  const [quick, slow] = [lasting("quick"), lasting("slow")];
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "a", name: "quick" });
        await call("spawn_agent", { prompt: "b", name: "slow" });
        answers.push(await call("wait", { mode: "any", timeout_seconds: 40 }));
        answers.push(await call("wait", { timeout: 20 }));
        answers.push(await call("wait", { ids: ["slow", "nobody"], timeout_ms: 500 }));
        return "done";
      },
    ],
    quick: [quick.part],
    slow: [slow.part],
  });
  await settle();
  await run.clock.advance(30_000);
  expect(answers).toEqual([]);
  quick.open();
  await expect.poll(() => answers.length).toBe(1);
  await run.clock.advance(20_000);
  await expect.poll(() => answers.length).toBe(2);
  slow.open();
  await expect.poll(() => answers.length).toBe(3);
  const [completed, running] = [{ status: "completed", text: "quick" }, { status: "running" }];
  expect(answers).toEqual([
    {
      statuses: { quick: completed, slow: running },
      timed_out: false,
      effective_timeout_seconds: 40,
    },
    {
      statuses: { quick: completed, slow: running },
      timed_out: true,
      effective_timeout_seconds: 20,
    },
    {
      statuses: { slow: { status: "completed", text: "slow" }, nobody: { status: "not_found" } },
      timed_out: false,
      effective_timeout_seconds: 1,
    },
  ]);
  await run.stop();
});

test.each([
  { client: undefined, asked: undefined, effective: 50 },
  { client: 600_000, asked: undefined, effective: 300 },
  { client: 600_000, asked: 900, effective: 590 },
  { client: Infinity, asked: 100_000, effective: 3600 },
  { client: Infinity, asked: 0, effective: 1 },
  {
    client: Infinity,
    asked: undefined,
    effective: 20,
    waits: { defaultMs: 20_000, maxMs: 60_000 },
  },
  { client: Infinity, asked: 300, effective: 60, waits: { defaultMs: 20_000, maxMs: 60_000 } },
  {
    client: Infinity,
    asked: undefined,
    effective: 60,
    waits: { defaultMs: 300_000, maxMs: 60_000 },
  },
  { client: undefined, asked: 55, effective: 50, waits: { defaultMs: 20_000, maxMs: 60_000 } },
])(
  "a wait of $asked s by a client that bears $client ms, where $waits is configured, lasts $effective s [COL-3, COL-8, COL-15]",
  async ({ client, asked, effective, waits }) => {
    const answers: unknown[] = [];
    const cast = {
      lead: [
        (async (call) => {
          await call("spawn_agent", { prompt: "a" });
          answers.push(await call("wait", asked === undefined ? {} : { timeout_seconds: asked }));
          return "done";
        }) satisfies Part,
      ],
      "worker-1": [lasting("").part],
    };
    const backend = {
      ...castBackend(cast),
      ...(client === undefined ? {} : { toolCallTimeoutMs: client }),
    };
    const run = runCast(cast, { backend, ...(waits === undefined ? {} : { waits }) });
    await settle();
    await run.clock.advance(effective * 1000 - 1);
    expect(answers).toEqual([]);
    await run.clock.advance(1);
    await expect
      .poll(() => answers)
      .toEqual([
        expect.objectContaining({ timed_out: true, effective_timeout_seconds: effective }),
      ]);
    await run.stop();
  },
);

test("a wait holds up no other call of its turn [COL-3]", async () => {
  const seen: string[] = [];
  const child = lasting("later");
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "a" });
        const waiting = call("wait").then(() => seen.push("waited"));
        await call("channel_send", { message: "meanwhile" });
        await call("list_agents");
        seen.push("called");
        child.open();
        await waiting;
        return "done";
      },
    ],
    "worker-1": [child.part],
  });
  await expect.poll(() => seen).toEqual(["called", "waited"]);
  await run.stop();
});

test("with one place on the machine a turn that waits leaves it, and takes it again before it goes on [COL-9]", async () => {
  const order: string[] = [];
  const note =
    (text: string): Part =>
    async () => {
      order.push(text);
      return text;
    };
  const run = runCast(
    {
      lead: [
        async (call) => {
          await call("spawn_agent", { prompt: "a" });
          await call("spawn_agent", { prompt: "b" });
          order.push("waits");
          await Promise.all([
            call("wait", { ids: ["worker-1"] }),
            call("wait", { ids: ["worker-2"] }),
          ]);
          order.push("goes on");
          return "done";
        },
      ],
      "worker-1": [note("one")],
      "worker-2": [note("two")],
    },
    { hostConcurrency: 1 },
  );
  await expect.poll(() => order).toEqual(["waits", "one", "two", "goes on"]);
  await run.stop();
});

test("a question leaves its place to others too [COL-9]", async () => {
  const run = runCast(
    {
      lead: [
        async (call, { client }) => {
          await call("spawn_agent", { prompt: "a" });
          return client.ask("which?");
        },
      ],
      "worker-1": [says("worked")],
    },
    { hostConcurrency: 1 },
  );
  await expect
    .poll(() => run.owned.state.agents.get("worker-1")?.ending)
    .toMatchObject({ status: "completed", text: "worked" });
  await run.stop();
});

test("the deadline of a turn stands while it waits for its agents [COL-9]", async () => {
  const child = lasting("late");
  const cast = {
    lead: [
      (async (call) => {
        await call("spawn_agent", { prompt: "a" });
        await call("wait");
        return "in time";
      }) satisfies Part,
    ],
    "worker-1": [child.part],
  };
  const run = runCast(cast, { turn: { timeoutMs: 1000 } });
  await settle();
  await run.clock.advance(30_000);
  child.open();
  await expect
    .poll(() => run.all("turn-completed").map(({ agent, text }) => [agent, text]))
    .toContainEqual(["lead", "in time"]);
  await run.stop();
});

test("who waits for nobody is told so, and so is who waits too often at a time [COL-11]", async () => {
  const answers: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        answers.push(await call("wait"));
        await call("spawn_agent", { prompt: "a" });
        const waits = Array.from({ length: 17 }, () => call("wait", { timeout_seconds: 1 }));
        answers.push(await Promise.race(waits));
        answers.push(await call("wait", { ids: Array.from({ length: 65 }, (_, n) => `a${n}`) }));
        return "done";
      },
    ],
    "worker-1": [lasting("").part],
  });
  await expect
    .poll(() => answers)
    .toEqual([
      { error: "COLLAB_NOTHING_TO_WAIT_FOR" },
      { error: "COLLAB_TOO_MANY_CALLS" },
      { error: "AGENT_TOOL_INPUT_INVALID" },
    ]);
  await run.stop();
});
