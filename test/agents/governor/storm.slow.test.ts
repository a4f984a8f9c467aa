import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AccountGate,
  createRateGovernor,
} from "../../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../../src/app/run/owner/run-hold.ts";
import type { AccountLedger } from "../../../src/contracts/accounts.ts";
import { delay } from "../../../src/foundation/abort.ts";
import { seededRandom } from "../../../src/foundation/random.ts";
import { createManualClock, type ManualClock } from "../../../src/testing/manual-clock.ts";

interface Storm {
  readonly seed: number;
  readonly agents: number;
  /** How long the provider refuses everybody. */
  readonly stormMs: number;
  /** How many requests at the same time the provider takes afterwards. */
  readonly capacity: number;
  readonly retryAfterMs: number | undefined;
  readonly processes: number;
}

/** A provider, and agents of several processes that work until each has had its answer. */
async function weather(storm: Storm) {
  const clock = createManualClock();
  const ledger = createMemoryLedger();
  const requests: number[] = [];
  let running = 0;
  let most = 0;
  const provider = async (): Promise<boolean> => {
    requests.push(clock.monotonic());
    running += 1;
    const isRefused = clock.monotonic() < storm.stormMs || running > storm.capacity;
    if (clock.monotonic() > storm.stormMs) most = Math.max(most, running);
    await delay(clock, isRefused ? 50 : 5000, new AbortController().signal);
    running -= 1;
    return !isRefused;
  };
  const work = async (gate: AccountGate): Promise<void> => {
    const { signal } = new AbortController();
    for (;;) {
      const entry = gate.tryEnter();
      if (entry.status !== "entered") await gate.whenRoom(signal);
      else {
        const isAnswered = await provider();
        if (isAnswered) entry.turn.speedUp();
        else entry.turn.slowDown(storm.retryAfterMs);
        entry.turn.leave();
        if (isAnswered) return;
      }
    }
  };
  const gates = Array.from({ length: storm.processes }, (_, index) =>
    gateOf(clock, ledger, `${storm.seed}-${index}`),
  );
  const all = Array.from({ length: storm.agents }, (_, index) => {
    const gate = gates[index % gates.length];
    return gate === undefined ? Promise.resolve() : work(gate);
  });
  let left = storm.agents;
  for (const one of all)
    one.then(() => {
      left -= 1;
    }, expect.unreachable);
  for (let steps = 0; left > 0 && steps < 3000; steps += 1) await clock.advanceToNext();
  const isOver = left === 0;
  return { isOver, requests, most, endedMs: clock.monotonic(), timers: clock.timerCount };
}

let ids = 0;
function gateOf(clock: ManualClock, ledger: AccountLedger, seed: string): AccountGate {
  return createRateGovernor({
    ledger: () => ledger,
    clock,
    random: seededRandom(seed),
    places: Infinity,
    newId: () => {
      ids += 1;
      return `${ids}`;
    },
  }).account("lab");
}

test("twenty agents in a storm of refusals: each is refused once, then one at a time asks until the storm is over, and all end [LOOP-5, P16]", async () => {
  const { isOver, requests, timers } = await weather({
    ...{
      seed: 1,
      agents: 20,
      stormMs: 60_000,
      capacity: 20,
      retryAfterMs: undefined,
      processes: 1,
    },
  });
  expect([isOver, timers]).toEqual([true, 0]);
  const during = requests.filter((timeMs) => timeMs > 0 && timeMs < 60_000);
  expect(requests.filter((timeMs) => timeMs === 0)).toHaveLength(20);
  expect(during.length).toBeLessThan(12);
  expect(new Set(during).size).toBe(during.length);
  expect(requests.length).toBeLessThanOrEqual(20 + during.length + 20);
});

test("whatever the storm, nobody comes back before the time that was named, nobody comes back in a herd, and all end after a bounded number of requests [LOOP-5, P16]", async () => {
  const storms = fc.record({
    seed: fc.nat(),
    agents: fc.integer({ min: 1, max: 20 }),
    stormMs: fc.integer({ min: 1, max: 120_000 }),
    capacity: fc.integer({ min: 4, max: 20 }),
    retryAfterMs: fc.option(fc.integer({ min: -1000, max: 30_000 }), { nil: undefined }),
    processes: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(storms, async (storm) => {
      const { isOver, requests, timers } = await weather(storm);
      expect([isOver, timers]).toEqual([true, 0]);
      const namedMs = Math.max(1000, storm.retryAfterMs ?? 0);
      const early = requests.filter((timeMs) => timeMs > 0 && timeMs < namedMs + 50);
      expect(early).toEqual([]);
      const waves = storm.stormMs / 1000 + 10;
      expect(requests.length).toBeLessThanOrEqual(storm.agents * 3 + waves);
      const second = requests.filter((timeMs) => timeMs > 0);
      const [first] = second;
      expect(second.filter((timeMs) => timeMs === first).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 25 },
  );
});
