import { expect, test } from "vitest";
import { builtInPatterns, loadPatterns } from "../../../src/programs/patterns/registry.ts";

test("what is known of each pattern before it is loaded is what the pattern says", async () => {
  const told = builtInPatterns.map(({ load: _, ...known }) => known);
  const patterns = await loadPatterns();
  expect(
    patterns.map(({ name, blockKey, onFailure, order, defaultMode }) => ({
      name,
      ...(blockKey === undefined ? {} : { blockKey }),
      onFailure,
      order,
      ...(defaultMode === undefined ? {} : { defaultMode }),
    })),
  ).toEqual(told);
});

test("only the patterns that are named are loaded, in the order of the list", async () => {
  const patterns = await loadPatterns(["dag", "fan-out", "nonsense"]);
  expect(patterns.map(({ name }) => name)).toEqual(["fan-out", "dag"]);
});
