import fc from "fast-check";
import { expect, test } from "vitest";
import { type Deposit, Trail, type TrailRules } from "../../../src/messaging/trails/trail.ts";

const rulesOf = (rules: Partial<TrailRules>): TrailRules => ({
  decayRate: 0,
  minThreshold: 0.01,
  reinforcement: "additive",
  ...rules,
});
const at = (key: string, value: number, atMs = 0): Deposit => ({ key, value, agent: "a", atMs });
const by = (agent: string, deposit: Deposit): Deposit => ({ ...deposit, agent });
function laid(rules: Partial<TrailRules>, deposits: readonly Deposit[]): Trail {
  const trail = new Trail(rulesOf(rules));
  for (const deposit of deposits) trail.deposit(deposit);
  return trail;
}

const deposits = fc
  .array(
    fc.record({
      key: fc.constantFrom("x", "y", "z"),
      value: fc.double({ min: 0.1, max: 100, noNaN: true }),
      agent: fc.constantFrom("a", "b"),
      wait: fc.nat(5000),
    }),
    { maxLength: 20 },
  )
  .map((all) => {
    let atMs = 0;
    return all.map(({ wait, ...rest }) => {
      atMs += wait;
      return { ...rest, atMs };
    });
  });
const rules = fc.record({
  decayRate: fc.constantFrom(0, 0.1, 0.5, 1),
  minThreshold: fc.constantFrom(0, 0.01, 1),
  reinforcement: fc.constantFrom("additive" as const, "multiplicative" as const, "max" as const),
});

test("a mark loses the same share in every second, whoever looks and however often [PRM-stigmergy.decay]", () => {
  const trail = laid({ decayRate: 0.5 }, [at("x", 8)]);
  expect([0, 1000, 1500, 3000].map((now) => trail.read("x", now))).toEqual([
    8,
    4,
    8 * 0.5 ** 1.5,
    1,
  ]);
  expect(laid({ decayRate: 0 }, [at("x", 8)]).read("x", 1e12)).toBe(8);
  expect(laid({ decayRate: 1 }, [at("x", 8)]).read("x", 1)).toBe(0);
  expect(trail.read("x", -1000)).toBe(8);
  fc.assert(
    fc.property(rules, deposits, fc.nat(10_000), (given, all, later) => {
      const [once, often] = [laid(given, all), laid(given, all)];
      const end = (all.at(-1)?.atMs ?? 0) + later;
      for (let now = 0; now < end; now += 700) often.read("x", now);
      expect(often.readAll(end)).toEqual(once.readAll(end));
    }),
  );
});

test("what lies at a key grows, is multiplied or stays the greater one, as it is by then [PRM-stigmergy.decay]", () => {
  const two = [at("x", 8), by("b", at("x", 3, 1000))];
  expect(laid({ decayRate: 0.5 }, two).read("x", 1000)).toBe(7);
  expect(laid({ decayRate: 0.5, reinforcement: "multiplicative" }, two).read("x", 1000)).toBe(12);
  expect(laid({ decayRate: 0.5, reinforcement: "max" }, two).read("x", 1000)).toBe(4);
  expect(laid({ reinforcement: "multiplicative" }, [at("x", 3)]).read("x", 0)).toBe(3);
  expect(laid({}, [at("x", Number.MAX_VALUE), at("x", Number.MAX_VALUE)]).read("x", 0)).toBe(
    Number.MAX_VALUE,
  );
});

test("marks below the threshold are none [PRM-stigmergy.decay]", () => {
  const trail = laid({ decayRate: 0.5, minThreshold: 1 }, [at("x", 3), at("y", 0.9)]);
  expect([
    trail.read("x", 1000),
    trail.read("x", 2000),
    trail.read("y", 0),
    trail.read("none", 0),
  ]).toEqual([1.5, 0, 0, 0]);
  // What has faded adds nothing to what comes later.
  trail.deposit(at("x", 1, 2000));
  expect(trail.read("x", 2000)).toBe(1);
  trail.deposit(at("y", 0.9, 2000));
  expect(trail.readAll(2000)).toEqual([{ key: "x", value: 1, lastUpdatedBy: "a" }]);
});

test("of deposits at the same moment the order changes no sum and no maximum; all are read strongest first, with who came last [PRM-stigmergy.decay]", () => {
  const three = [at("x", 1, 5), by("b", at("x", 4, 5)), by("c", at("y", 7, 5))];
  for (const reinforcement of ["additive", "max"] as const) {
    const values = (order: readonly Deposit[]) =>
      laid({ reinforcement }, order)
        .readAll(5)
        .map(({ key, value }) => [key, value]);
    expect(values(three.toReversed())).toEqual(values(three));
  }
  expect(laid({}, three).readAll(5)).toEqual([
    { key: "y", value: 7, lastUpdatedBy: "c" },
    { key: "x", value: 5, lastUpdatedBy: "b" },
  ]);
  const equals = ["y", "z", "x", "w"].map((key) => at(key, 1));
  expect(
    laid({}, equals)
      .readAll(0)
      .map(({ key }) => key),
  ).toEqual(["w", "x", "y", "z"]);
});
