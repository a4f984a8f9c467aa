import type { Machine } from "../../../src/app/machine/machine.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { inspectRun } from "../../../src/app/runs/run-lookup.ts";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import type { RunState } from "../../../src/fold/state/run-state.ts";

const STEP = { maxAttempts: 1, retryDelayMs: 0, verify: [], fallback: [] };

/** Two chains that meet: a, b after a, c after a, d after b and c, e after d, f beside all. */
export const sixSteps: PatternDefinition = {
  format: 1,
  shape: "pattern",
  name: "six",
  pattern: "dag",
  params: { target: { type: "string", default: "src", required: false } },
  agents: [{ id: "worker", backend: "function" }],
  steps: [
    { ...STEP, id: "a", agent: "worker", dependsOn: [], prompt: "begin {{task}}" },
    { ...STEP, id: "b", agent: "worker", dependsOn: ["a"], prompt: "{{steps.a.output}} b" },
    { ...STEP, id: "c", agent: "worker", dependsOn: ["a"], prompt: "{{steps.a.output}} c" },
    {
      ...STEP,
      id: "d",
      agent: "worker",
      dependsOn: ["b", "c"],
      prompt: "{{steps.b.output}} {{steps.c.output}}",
    },
    {
      ...STEP,
      id: "e",
      agent: "worker",
      dependsOn: ["d"],
      prompt: "{{steps.d.output}} in {{params.target}}",
    },
    { ...STEP, id: "f", agent: "worker", dependsOn: [], prompt: "alone" },
  ],
  barriers: [],
  onFailure: "continue",
  channel: "main",
  options: {},
};

/** What an agent does that writes down which steps it was called for. */
export class Worker {
  /** Steps in the order in which they were carried out. */
  readonly calls: string[] = [];
  /** Steps that fail. */
  readonly failing = new Set<string>();
  readonly functions: ReadonlyMap<string, AgentFunction> = new Map([
    [
      "worker",
      ({ step = "", task }: { readonly step?: string; readonly task: string }) => {
        this.calls.push(step);
        if (this.failing.has(step)) throw new Error(`${step} cannot`);
        return `<${task}>`;
      },
    ],
  ]);
}

/** Runs a definition to its end; resolves with its id. */
export async function runToEnd(
  machine: Machine,
  worker: Worker,
  definition: PatternDefinition = sixSteps,
): Promise<string> {
  const run = await startRun(machine, definition, {
    task: "now",
    params: { target: "src" },
    functions: worker.functions,
  });
  await run.parted;
  return run.id;
}

/** Goes on with a run until it is over. */
export async function goOnToEnd(machine: Machine, worker: Worker, run: string): Promise<RunState> {
  const resumption = await resumeOnMachine(machine, run, { functions: worker.functions });
  if (resumption.status === "resumed") await resumption.run.parted;
  return inspectRun(machine, run);
}

/** How a run ended and what its steps came to. */
export function endOf({ phase, steps }: RunState): object {
  const outputs = [...steps.byPath.values()]
    .map((step) => [step.path, step.status, step.status === "completed" ? step.output : ""])
    .sort();
  return {
    outcome: phase.status === "ended" ? phase.outcome : phase.status,
    result: phase.status === "ended" && { ...Object(phase.result), durationMs: 0, agents: [] },
    outputs,
  };
}
