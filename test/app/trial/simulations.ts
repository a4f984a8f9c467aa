import { join } from "node:path";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { readTestFile } from "../../../src/app/trial/read-test-file.ts";
import { createSimulation, type Simulation } from "../../../src/app/trial/simulate/simulate.ts";

/** A workflow of steps, for the patterns that are nothing but an order. */
export const SIMPLE = {
  name: "simple",
  agents: ["a", "b", "c"].map((id) => ({ id, backend: "claude" })),
};

const STEPS = ["a", "b", "c"].map((id) => ({ id, agent: id, prompt: "{{task}}", maxAttempts: 2 }));
const ORDERS: ReadonlySet<string> = new Set(["dag", "pipeline", "fan-out"]);
const root = join(import.meta.dirname, "../../..");

/** Simulated runs of a pattern: of its example, or of a few steps. */
export function simulationOf(pattern: string): Promise<Simulation> {
  const workflow = ORDERS.has(pattern)
    ? { ...SIMPLE, pattern, steps: STEPS }
    : `${pattern}/${pattern}.yaml`;
  const source = { version: 1, workflow, cases: [{ name: pattern, task: "A discount code" }] };
  const file = join(root, "examples", "simulated.test.yaml");
  const { content } = readTestFile(JSON.stringify(source), file);
  const [given] = content.cases;
  if (given === undefined) throw new Error("no case");
  const machine = createMachineAt({ cwd: root, store: "memory" });
  return createSimulation(machine, { file, workflow: content.workflow, agents: undefined, given });
}
