import { expect, test } from "vitest";
import { requestId } from "../../src/fold/request-id.ts";
import { emptyRunState } from "../../src/fold/state/run-state.ts";
import { freeShortId } from "../../src/foundation/ids.ts";

/** A generator of two bits: of any twenty ids made with it most are the same. */
function fewBits(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * 4) / 4;
  };
}

test("ids that are drawn are free, however few there are to draw", () => {
  const taken = new Set<string>();
  const random = fewBits();
  for (let count = 0; count < 300; count += 1) {
    const id = freeShortId("run", random, (drawn) => taken.has(drawn));
    expect(taken.has(id)).toBe(false);
    taken.add(id);
  }
});

test("one short id is never two requests: each asker gets its own, and the same one whenever it asks again", () => {
  const state = emptyRunState("run_a");
  const ids = new Map<string, string>();
  // One seed for all is the worst that can happen to 30 bits.
  const ask = (asker: string) => requestId(state, { prefix: "prm", asker, seed: "same" });
  for (let index = 0; index < 50; index += 1) {
    const id = ask(`turn#${index}`);
    expect([...ids.values()]).not.toContain(id);
    ids.set(`turn#${index}`, id);
    state.askers.set(id, `turn#${index}`);
  }
  for (const [asker, id] of ids) expect(ask(asker)).toBe(id);
});

test("an id of a journal that does not say who asked is its first asker's, as it was", () => {
  const state = emptyRunState("run_a");
  const name = { prefix: "prm", asker: "turn#1", seed: "same" } as const;
  const id = requestId(state, name);
  state.askers.set(id, undefined);
  expect(requestId(state, name)).toBe(id);
});
