import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { readTestFile } from "../../../src/app/trial/read-test-file.ts";
import { createSimulation } from "../../../src/app/trial/simulate/simulate.ts";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import { SIMPLE, simulationOf } from "./simulations.ts";

test.each(builtInPatterns.map(({ name }) => name))(
  "simulated runs of %s end within their bounds, whatever their participants do [PAT-ends.bounded, SDK-3]",
  async (pattern) => {
    const simulation = await simulationOf(pattern);
    // many-simulations.slow.test.ts goes on with other seeds.
    expect((await simulation.run(1)).violations).toEqual([]);
  },
  120_000,
);

test("the same seed gives the same run, another one another [SDK-3]", async () => {
  const simulation = await simulationOf("consensus");
  const essence = async (seed: number) => {
    const { outcome, turns, deaths, played } = await simulation.run(seed);
    const events = played?.events.map(({ type }) => type);
    return { outcome, turns, deaths, events };
  };
  const first = await essence(7);
  expect(await essence(7)).toEqual(first);
  expect(await essence(8)).not.toEqual(first);
}, 60_000);

test("a run that nothing bounds is found [SDK-3]", async () => {
  const endless = { ...SIMPLE, pattern: "mesh", options: { timeout: "40d", turnTimeout: "40d" } };
  const source = { version: 1, workflow: endless, cases: [{ name: "x", task: "x" }] };
  const { content } = readTestFile(JSON.stringify(source), "x.test.yaml");
  const [given] = content.cases;
  if (given === undefined) throw new Error("no case");
  const request = { file: "x.test.yaml", workflow: content.workflow, agents: undefined, given };
  const machine = createMachineAt({ store: "memory" });
  const simulation = await createSimulation(machine, request);
  const found: string[] = [];
  for (let seed = 1; seed <= 12; seed += 1) found.push(...(await simulation.run(seed)).violations);
  expect(found.join("\n")).toMatch(/does not end within/);
}, 120_000);

test("every pattern has an example or a workflow here that is simulated [SDK-3]", () => {
  const root = join(import.meta.dirname, "../../..");
  for (const { name } of builtInPatterns) {
    const file = join(root, "examples", name, `${name}.yaml`);
    const isThere = ["dag", "pipeline", "fan-out"].includes(name) || existsSync(file);
    expect(isThere, `examples/${name}/${name}.yaml`).toBe(true);
    if (existsSync(file)) expect(readFileSync(file, "utf8")).toContain("name:");
  }
});
