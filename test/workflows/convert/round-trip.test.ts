import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachineAt, type Machine } from "../../../src/app/machine/machine.ts";
import { rewriteFile } from "../../../src/app/setup/convert/convert-file.ts";
import { evaluate } from "./written.ts";

let directory: string;
let machine: Machine;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-convert-"));
  machine = createMachineAt({ cwd: directory, store: "memory" });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("what TypeScript builds is the same definition as its file [WF-7, SDK-2]", async () => {
  const { text: printed = "" } = await rewriteFile(
    machine,
    {
      file: "x.yaml",
      text: "id: x\nsteps:\n  - { id: a, type: agent, agent: ann, on_error: a, max_retries: 2 }\n",
    },
    "ts",
  );
  expect(printed).toBe(
    `import { workflow } from "troupe";\n\nexport default workflow("x")\n  .foundAgents("ann")\n  .steps({ a: { type: "agent", agent: "ann", onError: "a", maxRetries: 2 } });\n`,
  );
  writeFileSync(join(directory, "x.ts"), printed);
  const { definition } = await evaluate(printed).build({ troupe: machine, backend: "script" });
  expect(definition.steps).toMatchObject([{ id: "a", routes: { on_error: "a" }, maxAttempts: 2 }]);
});

test("comments are lost, which is said, and a text that looks like one is none [WF-7]", async () => {
  const warningsOf = async (source: string) =>
    (await rewriteFile(machine, { file: "x.yaml", text: source }, "json")).warnings.map(
      ({ code }) => code,
    );
  const plain =
    'id: x\ndescription: |\n  # a title\nsteps: [{ id: a, type: transform, transform: "1" }]\n';
  expect(await warningsOf(plain)).toEqual([]);
  expect(await warningsOf(`# yaml-language-server: $schema=x\n${plain}`)).toEqual([]);
  expect(await warningsOf(`${plain}# done\n`)).toEqual(["WORKFLOW_COMMENTS_LOST"]);
});
