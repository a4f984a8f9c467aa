import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decideEntry,
  rememberedPace,
  slowDown,
  speedUp,
} from "../../../src/agents/governor/account-pace.ts";
import type { AccountPace } from "../../../src/contracts/accounts.ts";

const NOW = 1_000_000;
const at = { enteredMs: NOW - 5000, nowMs: NOW, retryAfterMs: undefined, random: () => 0.5 };

test("nothing begins before the provider's time is over; then one turn probes alone, and each that works lets twice as many in [LOOP-5, P16]", () => {
  const pace = slowDown(undefined, { ...at, retryAfterMs: 30_000 });
  expect(pace).toEqual({ untilMs: NOW + 31_500, sinceMs: NOW, strikes: 1, window: 1 });
  const enter = (nowMs: number, given: AccountPace | undefined, probes: number) => {
    const turns = Array.from({ length: probes }, (_, index) => ({
      id: `${index}`,
      enteredMs: nowMs,
    }));
    const old = { id: "old", enteredMs: NOW };
    return decideEntry({ pace: given, turns: [old, ...turns] }, { nowMs, places: 100 }).status;
  };
  expect(enter(NOW + 31_499, pace, 0)).toBe("cooling");
  const after = NOW + 31_500;
  expect([enter(after, pace, 0), enter(after, pace, 1)]).toEqual(["entered", "full"]);
  const wider = speedUp(pace, after);
  expect([enter(after, wider, 1), enter(after, wider, 2)]).toEqual(["entered", "full"]);
  let open: AccountPace | undefined = pace;
  for (let proofs = 0; proofs < 5; proofs += 1) open = speedUp(open, after);
  expect(open).toBeUndefined();
});

test("what the turns that ran already say is one reason to wait, and proves nothing afterwards [LOOP-5]", () => {
  const first = slowDown(undefined, at);
  const again = slowDown(first, { ...at, nowMs: NOW + 100 });
  expect(again).toEqual(first);
  const longer = slowDown(first, { ...at, nowMs: NOW + 100, retryAfterMs: 60_000 });
  expect(longer).toEqual({ ...first, untilMs: NOW + 100 + 62_500 });
  const sameMoment = slowDown(first, { ...at, enteredMs: NOW, nowMs: NOW + 100 });
  expect(sameMoment).toEqual(first);
  for (const enteredMs of [at.enteredMs, NOW]) expect(speedUp(first, enteredMs)).toEqual(first);
  const probe = slowDown(first, { ...at, enteredMs: first.untilMs, nowMs: first.untilMs + 5 });
  expect(probe.strikes).toBe(2);
});

test("a provider that names no time is left alone for twice as long each time, up to ten minutes [LOOP-5, P16]", () => {
  const waitsFor = (retryAfterMs: number | undefined) => {
    const waits: number[] = [];
    let pace: AccountPace | undefined;
    for (let strikes = 0; strikes < 10; strikes += 1) {
      pace = slowDown(pace, {
        enteredMs: NOW + strikes,
        nowMs: NOW + strikes,
        retryAfterMs,
        random: () => 1,
      });
      waits.push((pace.untilMs - pace.sinceMs) / 1000);
    }
    return waits;
  };
  for (const unnamed of [undefined, 0, -5000, Number.NaN])
    expect(waitsFor(unnamed)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600]);
});

test("no more turns of an account run than it has places, whatever its pace [LOOP-5, ENG-9]", () => {
  const turns = [{ id: "1", enteredMs: 0 }];
  expect(decideEntry({ pace: undefined, turns }, { nowMs: NOW, places: 1 }).status).toBe("full");
  expect(decideEntry({ pace: undefined, turns }, { nowMs: NOW, places: 2 }).status).toBe("entered");
});

test("what was said long ago is forgotten, and a clock that was set back keeps nobody waiting [LOOP-5]", () => {
  const pace = { untilMs: NOW, sinceMs: NOW - 1000, strikes: 3, window: 1 };
  expect(rememberedPace(pace, NOW + 600_000)).toEqual(pace);
  expect(rememberedPace(pace, NOW + 600_001)).toBeUndefined();
  const entry = decideEntry({ pace, turns: [] }, { nowMs: 0, places: 1 });
  expect(entry).toEqual({ status: "cooling", untilMs: 600_000 });
});

test("whatever a provider says, the wait is between a second and ten minutes, never shorter than what it named below that, and grows with each strike [P16]", () => {
  const odd = fc.constantFrom(undefined, -1, 0, Number.NaN, Infinity, -Infinity, 1e9, 1e300, 0.1);
  const retryAfter = fc.oneof(odd, fc.double());
  fc.assert(
    fc.property(
      retryAfter,
      fc.nat(40),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (retryAfterMs, strikes, share) => {
        const before =
          strikes === 0
            ? undefined
            : { untilMs: NOW - 1, sinceMs: NOW - 10_000, strikes, window: 1 };
        const pace = slowDown(before, {
          enteredMs: NOW,
          nowMs: NOW,
          retryAfterMs,
          random: () => share,
        });
        const waitMs = pace.untilMs - NOW;
        expect(waitMs).toBeGreaterThanOrEqual(1000);
        expect(waitMs).toBeLessThanOrEqual(600_000);
        const isNamed = retryAfterMs !== undefined && retryAfterMs > 0;
        if (isNamed) expect(waitMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, 600_000));
        else expect(waitMs).toBeLessThanOrEqual(Math.max(1000, 2000 * 2 ** strikes));
      },
    ),
  );
});
