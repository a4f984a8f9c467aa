import { expect, test } from "vitest";
import { createRateGovernor } from "../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../src/app/run/owner/run-hold.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, gate, playedBackend, runAgents, said } from "./agents-run.ts";
import { castBackend, type Part, runCast, says } from "./collab/collab-run.ts";

const LAB = { account: () => "lab" };

function governorOf(clock: ReturnType<typeof createManualClock>, places: number) {
  let count = 0;
  const newId = () => {
    count += 1;
    return `${count}`;
  };
  const ledger = createMemoryLedger();
  const governor = createRateGovernor({
    ledger: () => ledger,
    clock,
    random: () => 0,
    places,
    newId,
  });
  const turnsOf = () => ledger.update("lab", (record) => ({ record, result: record.turns.length }));
  const windowOf = () =>
    ledger.update("lab", (record) => ({ record, result: record.pace?.window }));
  return { governor, turnsOf, windowOf };
}

test("whoever waits for agents of its own leaves its account to them, takes a place again before it goes on, and none is left taken [COL-9, LOOP-5]", async () => {
  const clock = createManualClock();
  const { governor, turnsOf } = governorOf(clock, 1);
  const seen: unknown[] = [];
  const lead: Part = async (call) => {
    for (const name of ["ann", "ben"]) await call("spawn_agent", { prompt: "x", name });
    const waits = ["ann", "ben"].map((id) => call("wait", { ids: [id] }));
    await Promise.all(waits);
    seen.push(turnsOf());
    return "done";
  };
  const backend = { ...castBackend({ lead: [lead], ann: [says("a")], ben: [says("b")] }), ...LAB };
  const run = runCast({}, { clock, backend, governor });
  await clock.advance(5000);
  expect(seen).toEqual([1]);
  await run.stop();
  expect([
    turnsOf(),
    run
      .all("turn-completed")
      .map((turn) => turn.agent)
      .toSorted(),
  ]).toEqual([0, ["ann", "ben", "lead"]]);
});

test("a turn that waits for a person takes nobody's place, and one that is a person's neither [ENG-9, COL-9]", async () => {
  const person = gate();
  const backend = playedBackend(
    async function* ({ agent: id }) {
      if (id === "person") await person.opened;
      yield said(id);
    },
    { isPerson: true },
  );
  const run = runAgents(
    async (context) => {
      for (const id of ["person", "other"]) await context.spawn(agent(id));
      const slow = context.turn("person", "go");
      const { text } = await context.turn("other", "go");
      person.open();
      return [text, (await slow).text];
    },
    { backend, hostConcurrency: 1 },
  );
  expect(await run.over()).toEqual(["other", "person"]);
});

test("a turn that is cut off while it waits takes no place again [COL-9, ENG-9]", async () => {
  const asks: Part = async (_call, { client }) => client.ask("which?");
  const backend = castBackend({ lead: [asks] });
  const clock = createManualClock();
  const { governor, turnsOf } = governorOf(clock, 1);
  const run = runCast({}, { clock, backend: { ...backend, ...LAB }, governor });
  await settle();
  expect(turnsOf()).toBe(0);
  await run.owned.command({ kind: "interrupt", agent: "lead" }, "ann");
  await clock.advance(1000);
  expect(run.all("turn-interrupted")).toHaveLength(1);
  expect(turnsOf()).toBe(0);
  await run.stop();
});

test.each([
  { update: { type: "text-delta", text: "a" }, proves: true },
  { update: { type: "thinking", text: "a" }, proves: true },
  { update: { type: "tool-call", call: "1", tool: "Bash", input: {} }, proves: true },
  { update: { type: "usage", usage: { inputTokens: 1 } }, proves: false },
  { update: { type: "activity" }, proves: false },
  { update: { type: "retrying", reason: "connection" }, proves: false },
] as const)(
  "that a provider answers again is proven by $update.type: $proves [LOOP-5, P16]",
  async ({ update, proves }) => {
    const clock = createManualClock();
    const { governor, windowOf } = governorOf(clock, 9);
    const backend = playedBackend(async function* ({ attempt, signal }) {
      const error = {
        code: "BACKEND_OVERLOADED",
        message: "too much",
        details: { retryAfterMs: 1000 },
      };
      if (attempt === 1) return yield { type: "error", error };
      yield update;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "stop", reason: "cancelled" };
    }, LAB);
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("a"));
        return (await context.turn("a", "go", { timeoutMs: 600_000 })).text;
      },
      { backend, clock, governor },
    );
    await clock.advance(2000);
    expect(backend.prompts).toHaveLength(2);
    expect(windowOf()).toBe(proves ? 2 : 1);
    run.owned.interrupt(130);
    await run.owned.parted;
  },
);
