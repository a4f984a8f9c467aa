import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { loadFile } from "../../../src/app/workflow/load-file.ts";
import { writeRecipe } from "../../../src/app/workflow/shapes/run-recipe.ts";
import { FORMATS, hashOf, there } from "./there-and-back.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
const examples = globSync("**/*.yaml", { cwd: EXAMPLES }).filter(
  (file) => !/answers|cassette|\.test\./.test(file),
);

test.each(examples)("%s says the same as YAML, JSON and TypeScript [WF-7]", async (name) => {
  const file = join(EXAMPLES, name);
  const on = createMachineAt({ cwd: dirname(file), store: "memory" });
  const loaded = await loadFile(on, { file, backend: "script" });
  const { definition } = loaded;
  if (definition === undefined) throw new Error(JSON.stringify(loaded.problems));
  const wanted = writeRecipe({ definition }).hash;
  for (const format of FORMATS) {
    const converted = await there(on, { file }, format);
    expect([format, await hashOf(on, converted.file, converted.text)]).toEqual([format, wanted]);
  }
});
