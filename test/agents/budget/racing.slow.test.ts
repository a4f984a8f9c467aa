import { expect, test } from "vitest";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { delay } from "../../../src/foundation/abort.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { seededRandom } from "../../../src/foundation/random.ts";
import { type CuttableStore, createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { type AgentsRun, agent, playedBackend, runAgents, said } from "../agents-run.ts";

const AGENTS = 20;
const CAP_USD = 2;
const SCHEDULES = 50;

/** Twenty agents that take turns side by side, each of a random length and cost, under one limit: of the run, or of the step around theirs. */
async function race(
  seed: string,
  store: CuttableStore,
  { cost = CAP_USD, of = "run" }: { readonly cost?: number; readonly of?: "run" | "step" } = {},
): Promise<AgentsRun> {
  const clock = createManualClock();
  const random = seededRandom(seed);
  const backend = playedBackend(async function* ({ signal }) {
    for (let part = 0; part < 2; part += 1) {
      await delay(clock, 1 + random() * 100, signal);
      yield { type: "usage", usage: { costUsd: 0.01 + random() * 0.15, outputTokens: 10 } };
      yield { type: "text-delta", text: "." };
    }
    yield said("ok");
  });
  const program = async (context: Context): Promise<Json> => {
    const ids = Array.from({ length: AGENTS }, (_, index) => `w${index}`);
    await Promise.all(ids.map((id) => context.spawn(agent(id))));
    const work = async (id: string) => {
      const step = { id, path: `wave/${id}`, attempt: 1 };
      for (let execution = 1; execution <= 3; execution += 1)
        await context.turn(id, "go", { step: { ...step, execution } });
    };
    await Promise.allSettled(ids.map(work));
    return "all";
  };
  const limits =
    of === "run"
      ? { limits: { budget: { cost } } }
      : { stepBudgets: new Map([["wave", { cost }]]) };
  const run = runAgents(program, { backend, clock, store, ...limits });
  while (await clock.advanceToNext());
  await run.owned.parted;
  return run;
}

/** What each turn that was settled had reserved, and what it was counted with. */
function settledTurns(events: readonly JournalEvent[]) {
  const reserved = new Map<string, number>();
  const settled: { agent: string; id: string; reserved: number; cost: number; assumed: number }[] =
    [];
  for (const event of events) {
    if (event.type === "budget-reserved") reserved.set(event.reservation, event.amounts.cost ?? 0);
    if (event.type !== "budget-settled") continue;
    const { agent: id, reservation, amounts, assumed } = event;
    settled.push({
      agent: id,
      id: reservation,
      reserved: reserved.get(reservation) ?? Number.NaN,
      cost: amounts.cost ?? 0,
      assumed: assumed?.cost ?? 0,
    });
  }
  return { reserved, settled };
}

function toldCost(events: readonly JournalEvent[]): number {
  return events.reduce((sum, event) => {
    const isEnd = event.type === "turn-completed" || event.type === "turn-failed";
    const usage = isEnd || event.type === "turn-interrupted" ? event.usage : undefined;
    return sum + (usage?.costUsd ?? 0);
  }, 0);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

test("parallel agents go beyond a limit by what their last turns take more than they reserved, at most [LIM-1.turns, P17]", async () => {
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const { events, owned } = await race(`race ${seed}`, createCuttableStore());
    const { reserved, settled } = settledTurns(events);
    // Each reservation has one end, and all ends together are what the turns told.
    expect(settled.map(({ id }) => id).toSorted()).toEqual([...reserved.keys()].toSorted());
    const spent = sumOf(settled.map(({ cost }) => cost));
    expect(spent).toBeCloseTo(toldCost(events), 9);
    expect(spent).toBeCloseTo(owned.state.budget.run.cost, 9);
    const last = new Map(settled.map((turn) => [turn.agent, turn]));
    const excess = [...last.values()].map((turn) => Math.max(0, turn.cost - turn.reserved));
    expect([seed, spent <= CAP_USD + sumOf(excess) + 1e-9]).toEqual([seed, true]);
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "limit-reached" });
    expect(owned.state.budget.reservations.size).toBe(0);
  }
});

test("steps side by side go beyond the limit of the step around them by no more, and the run goes on [LIM-1.turns, P17, STP-7]", async () => {
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const { events, owned } = await race(`wave ${seed}`, createCuttableStore(), { of: "step" });
    const { settled } = settledTurns(events);
    const spent = sumOf(settled.map(({ cost }) => cost));
    expect(spent).toBeCloseTo(owned.state.budget.steps.get("wave")?.cost ?? 0, 9);
    const last = new Map(settled.map((turn) => [turn.agent, turn]));
    const excess = [...last.values()].map((turn) => Math.max(0, turn.cost - turn.reserved));
    expect([seed, spent <= CAP_USD + sumOf(excess) + 1e-9]).toEqual([seed, true]);
    expect(spent).toBeGreaterThan(CAP_USD - 0.2);
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
    expect(owned.state.budget.reservations.size).toBe(0);
  }
});

test("a run that was cut off at any commit counts each turn once, and what its owner left open as reserved [LIM-1.turns, P17, ENG-2]", async () => {
  const store = createCuttableStore();
  const first = await race("cut", store);
  const commits = store.commits("run_agents").filter((_, index) => index % 2 === 1);
  expect(commits.length).toBeGreaterThan(8);
  let leftOpen = 0;
  for (const seq of commits) {
    const cut = await store.cutAfter("run_agents", seq);
    const journal = cut.open("run_agents", "read");
    const before = [...journal.read()];
    journal.close();
    // A run that reached its limit before the cut goes on with the higher one all the same.
    const second = await race(`after ${seq}`, cut, { cost: 20 });
    const events = [...before, ...second.events];
    const { reserved, settled } = settledTurns(events);
    expect(settled.map(({ id }) => id).toSorted()).toEqual([...reserved.keys()].toSorted());
    const counted = sumOf(settled.map(({ cost }) => cost));
    expect(counted).toBeCloseTo(second.owned.state.budget.run.cost, 9);
    const assumed = sumOf(settled.map((turn) => turn.assumed));
    expect(counted - assumed).toBeCloseTo(toldCost(events), 9);
    const open = openAt(before);
    leftOpen += open.length;
    expect(assumed).toBeCloseTo(sumOf(open.map((id) => reserved.get(id) ?? 0)), 9);
    expect(second.owned.state.budget.run.turns).toBe(AGENTS * 3);
    expect(second.events.at(-1)).toMatchObject({ outcome: "completed" });
  }
  expect(leftOpen).toBeGreaterThan(20);
  expect(first.events.at(-1)).toMatchObject({ outcome: "limit-reached" });
});

/** Reservations that a journal leaves open. */
function openAt(events: readonly JournalEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "budget-reserved") open.add(event.reservation);
    if (event.type === "budget-settled") open.delete(event.reservation);
  }
  return [...open];
}
