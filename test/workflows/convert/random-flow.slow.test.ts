import { tmpdir } from "node:os";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { casesOf } from "../../cases.ts";
import { randomFlow } from "./random-flow.ts";
import { FORMATS, hashOf, there } from "./there-and-back.ts";

test("any step workflow says the same after every way there and back [WF-7]", async () => {
  const machine = createMachineAt({ cwd: tmpdir(), store: "memory" });
  await fc.assert(
    fc.asyncProperty(randomFlow, async (content) => {
      const source = { file: "random.json", text: JSON.stringify(content) };
      const wanted = await hashOf(machine, source.file, source.text);
      expect(wanted).toMatch(/^[0-9a-f]{64}$/);
      for (const format of FORMATS) {
        const converted = await there(machine, source, format);
        const hash = await hashOf(machine, converted.file, converted.text);
        expect([format, hash]).toEqual([format, wanted]);
        // A second time nothing is left to change.
        const again = await there(machine, converted, format);
        expect(JSON.stringify(again.text)).toBe(JSON.stringify(converted.text));
      }
    }),
    { numRuns: casesOf(120) },
  );
});
