import fc from "fast-check";
import { expect, test } from "vitest";
import { didYouMean, hintNames, listNames, nearestName } from "../../src/foundation/near-names.ts";

test("the nearest known name is found within two letters or a third of the length", () => {
  expect(nearestName("reviewr", ["coder", "reviewer", "viewer"])).toBe("reviewer");
  expect(nearestName("REVIEWER", ["reviewer"])).toBe("reviewer");
  expect(nearestName("xyz", ["reviewer", "coder"])).toBeUndefined();
  expect(nearestName("ab", ["abcd"])).toBe("abcd");
  expect(nearestName("a", ["abcd"])).toBeUndefined();
});

test("a name that lacks what stands before its dot is found", () => {
  const known = ["input", "context.plan", "context.all", "steps.plan.output"];
  expect(nearestName("all", known)).toBe("context.all");
  expect(nearestName("plan.files", known)).toBe("context.plan");
  expect(nearestName("plan.output", known)).toBe("steps.plan.output");
  expect(nearestName("nothing", known)).toBeUndefined();
  expect(nearestName("", known)).toBeUndefined();
});

test("cutting the search short changes no answer", () => {
  const names = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 }),
      names,
      (given, known) => {
        expect(nearestName(given, known)).toBe(nearestPlainly(given, known));
      },
    ),
    { numRuns: 500 },
  );
});

test("a hint names the nearest and lists what is known, at most twenty-four", () => {
  expect(didYouMean("b", ["a1", "a2"])).toBe('did you mean "a1"?  known: a1, a2');
  expect(
    didYouMean(
      "zzzzzz",
      Array.from({ length: 26 }, (_, index) => `name${index}`),
      "agents",
    ),
  ).toMatch(/^agents: name0, .*name23, … 2 more$/);
  expect(didYouMean("x", [])).toBeUndefined();
});

test("of equally near names the first is meant, and the nearest before all", () => {
  expect(nearestName("cat", ["bat", "hat"])).toBe("bat");
  expect(nearestName("cat", ["bats", "cats"])).toBe("cats");
  expect(nearestName("reviewers", ["reviewxyz", "reviewxyzz"])).toBe("reviewxyz");
  expect(nearestName("", ["ab", "abc"])).toBe("ab");
});

test("a list of up to twenty-four names is whole", () => {
  const names = Array.from({ length: 24 }, (_, index) => `n${index}`);
  expect(listNames(names)).toBe(`known: ${names.join(", ")}`);
  expect(listNames([...names, "x"], "steps")).toBe(`steps: ${names.join(", ")}, … 1 more`);
});

test("a hint that is stored has at most fifty names, the nearest among them", () => {
  const names = Array.from({ length: 50 }, (_, index) => `name-${index}`);
  expect(hintNames("x", names)).toBe(names);
  const more = [...names, "reviewer"];
  expect(hintNames("reviewr", more)).toEqual(["reviewer", ...names.slice(0, 49)]);
  expect(hintNames("name-7", more)).toEqual(names.slice(0, 49));
  expect(hintNames("zzzzzzzzz", more)).toEqual(names.slice(0, 49));
  const huge = [...Array.from({ length: 2000 }, (_, index) => `name-${index}`), "reviewer"];
  expect(hintNames("reviewr", huge)).toEqual(huge.slice(0, 49));
  expect(hintNames("name-1999", huge)[0]).toBe("name-1999");
});

function nearestPlainly(given: string, known: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(given.length / 3));
  const far = known
    .filter((name) => Math.abs(name.length - given.length) <= limit)
    .map((name) => ({ name, distance: distance(given, name) }))
    .filter((candidate) => candidate.distance <= limit);
  return far.find((candidate) => candidate.distance === Math.min(...far.map((one) => one.distance)))
    ?.name;
}

function distance(left: string, right: string): number {
  if (left === "" || right === "") return left.length + right.length;
  const rest = distance(left.slice(1), right.slice(1));
  if (left[0] === right[0]) return rest;
  return 1 + Math.min(rest, distance(left.slice(1), right), distance(left, right.slice(1)));
}
