import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../src/foundation/random.ts";
import { agreedState, drawPeers, newsFor } from "../../../src/programs/primitives/gossip-rounds.ts";

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

/** Rounds until all know the greatest number, when each begins with its own and keeps the greatest that it hears. */
function roundsToAgree(count: number, fanout: number, seed: string): number {
  const peers = idsOf(count);
  const draw = seededRandom(seed);
  let known = new Map(peers.map((peer, index) => [peer, index]));
  for (let round = 1; round <= count + 20; round += 1) {
    const heard = drawPeers(peers, fanout, draw);
    const before = known;
    const numberOf = (peer: string) => before.get(peer) ?? -1;
    known = new Map(
      peers.map((peer) => [
        peer,
        Math.max(numberOf(peer), ...(heard.get(peer) ?? []).map(numberOf)),
      ]),
    );
    if (agreedState(peers, new Map([...known].map(([peer, is]) => [peer, String(is)]))))
      return round;
  }
  return Infinity;
}

test("each hears as many others as the fanout says, or all, never itself and none twice; one seed draws the same [PRM-gossip.rounds]", () => {
  fc.assert(
    fc.property(fc.nat(12), fc.integer({ min: 1, max: 15 }), fc.string(), (count, fanout, seed) => {
      const peers = idsOf(count);
      const heard = drawPeers(peers, fanout, seededRandom(seed));
      expect([...heard.keys()]).toEqual(peers);
      for (const [peer, others] of heard) {
        expect(others).toHaveLength(Math.max(0, Math.min(fanout, count - 1)));
        expect(new Set(others).size).toBe(others.length);
        expect(peers.filter((id) => id !== peer)).toEqual(expect.arrayContaining([...others]));
      }
      expect(drawPeers(peers, fanout, seededRandom(seed))).toEqual(heard);
    }),
  );
});

test("every other is drawn about equally often [PRM-gossip.rounds]", () => {
  const peers = idsOf(5);
  const draw = seededRandom("fair");
  const times = new Map<string, number>();
  for (let round = 0; round < 4000; round += 1)
    for (const other of drawPeers(peers, 2, draw).get("p2") ?? [])
      times.set(other, (times.get(other) ?? 0) + 1);
  expect([...times.keys()].toSorted()).toEqual(["p0", "p1", "p3", "p4"]);
  for (const each of times.values()) expect(Math.abs(each - 2000)).toBeLessThan(150);
});

test.each([10, 100, 1000, 10_000])(
  "%i peers agree after a number of rounds that grows as their logarithm [PRM-gossip.rounds]",
  (count) => {
    const seeds = count > 1000 ? ["a", "b"] : ["a", "b", "c", "d", "e", "f", "g", "h"];
    const most = Math.max(...seeds.map((seed) => roundsToAgree(count, 2, seed)));
    // Each round multiplies those who know by up to three, and ends with a tail of the same kind.
    expect(most).toBeLessThanOrEqual(Math.ceil(1.5 * Math.log2(count)) + 2);
    expect(most).toBeGreaterThanOrEqual(Math.floor(Math.log(count) / Math.log(3)));
  },
);

test("only states that are new to a peer are told it, each once; blanks around a state are none of it [PRM-gossip.rounds]", () => {
  const states = new Map([
    ["a", "one"],
    ["b", " one\n"],
    ["c", "two"],
    ["d", "two"],
  ]);
  expect(newsFor("a", ["b", "c", "d"], states)).toEqual(["c"]);
  expect(newsFor("c", ["d"], states)).toEqual([]);
  expect(agreedState(["a", "b"], states)).toBe("one");
  expect(agreedState(["a", "c"], states)).toBeUndefined();
  expect(agreedState([], states)).toBeUndefined();
});
