import { expect, test } from "vitest";
import { builtInStepTypes, loadStepTypes } from "../../../src/programs/steps/registry.ts";

test("every step type is loaded under the name of its line", async () => {
  const types = await loadStepTypes();
  expect(types.map(({ name }) => name)).toEqual(builtInStepTypes.map(({ name }) => name));
});
