import { expect, test } from "vitest";
import { builtInStepTypes, loadStepTypes } from "../../../src/programs/steps/registry.ts";

test("every step type is loaded under the name of its line", async () => {
  const types = await loadStepTypes();
  expect(types.map(({ name }) => name)).toEqual(builtInStepTypes.map(({ name }) => name));
});

test("modes are patterns of a step, and no type of step is called like one [ITR-shape.step]", () => {
  const types = builtInStepTypes.map(({ name }) => name);
  expect(types).toContain("pattern");
  for (const mode of ["iterate", "collab", "team"]) expect(types).not.toContain(mode);
});

test("each type is made once, however many workflows are loaded", async () => {
  const first = await Promise.all(builtInStepTypes.map((type) => type.load()));
  const again = await Promise.all(builtInStepTypes.map((type) => type.load()));
  for (const [index, type] of first.entries()) expect(again[index]).toBe(type);
});
