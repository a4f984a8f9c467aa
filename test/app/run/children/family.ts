import { createMachineAt, type Machine } from "../../../../src/app/machine/machine.ts";
import { carryOut } from "../../../../src/app/run/carry-out.ts";
import type { CarryOutOptions } from "../../../../src/app/run/owner/carry-out-options.ts";
import { newRun } from "../../../../src/app/run/owner/new-run.ts";
import { recordedRun } from "../../../../src/app/run/owner/recorded-run.ts";
import { readState } from "../../../../src/app/runs/run-lookup.ts";
import type { AgentFunction } from "../../../../src/contracts/agent-function.ts";
import type { Budget } from "../../../../src/contracts/budget.ts";
import type { WorkflowDefinition } from "../../../../src/contracts/definition.ts";
import type { Context } from "../../../../src/contracts/ports/context.ts";
import type { RunStore } from "../../../../src/contracts/ports/store.ts";
import type { RunLimits } from "../../../../src/contracts/run.ts";
import type { RunBirth } from "../../../../src/engine/run-journal.ts";
import type { RunState } from "../../../../src/fold/state/run-state.ts";
import { isRecord, type Json, toJson } from "../../../../src/foundation/json.ts";
import { defineStepWorkflow } from "../../../../src/testing/run-workflow-in-memory.ts";
import { type TestedRun, watchRun } from "../../../../src/testing/tested-run.ts";

/** What a program of a test gives back becomes the `output` of the run's result. */
export type ParentProgram = (context: Context) => Promise<Json>;

/** A run of a test that may have children. */
export interface FamilyOptions extends Omit<CarryOutOptions, "functions"> {
  readonly workflows: { readonly [name: string]: WorkflowDefinition };
  readonly program: ParentProgram;
  readonly functions?: { readonly [agent: string]: AgentFunction };
  readonly turns?: Json;
  readonly budget?: Budget;
  readonly store?: RunStore;
  /** The directory of a project that keeps files. Absent: everything is in memory. */
  readonly cwd?: string;
}

/** The run of a program that starts children. */
export interface Family {
  readonly machine: Machine;
  readonly root: TestedRun;
  /** The children in the order of their starting, as they are now. */
  children(): readonly RunState[];
}

/** Starts a run. */
export async function startFamily(options: FamilyOptions): Promise<Family> {
  const machine = machineOf(options);
  const { turns, budget } = options;
  const definition = definitionOf(options);
  const run = await newRun(machine, definition, {
    id: "run_parent",
    ...(budget === undefined ? {} : { budget }),
    ...(turns === undefined ? {} : { cassette: cassetteOf(turns) }),
  });
  const program = programOf(options);
  const event = { ...created(run).event, program: program.name };
  const beginning = { ...run.beginning, created: { ...created(run), event } };
  const begun = { ...run, program, beginning };
  return toFamily(machine, await carryOut(machine, begun, processOf(options)));
}

/** Goes on with that run in another process. */
export async function resumeFamily(
  options: FamilyOptions & { readonly store: RunStore; readonly limits?: RunLimits },
): Promise<Family> {
  const machine = machineOf(options);
  const journal = options.store.open("run_parent", "write");
  const { limits } = options;
  const run = await recordedRun(journal, readState(options.store, "run_parent"), {
    program: programOf(options),
    limits,
  });
  const recipe = { ...run.recipe, definition: definitionOf(options) };
  return toFamily(machine, await carryOut(machine, { ...run, recipe }, processOf(options)));
}

function created({ beginning }: Awaited<ReturnType<typeof newRun>>): RunBirth {
  if (beginning.created === undefined) throw new Error("a new run has been created");
  return beginning.created;
}

function toFamily(machine: Machine, run: Parameters<typeof watchRun>[1]): Family {
  return {
    machine,
    root: watchRun(machine, run),
    children: () =>
      [...run.state.children.values()].map(({ child }) => readState(machine.store, child)),
  };
}

function machineOf({ store, cwd }: FamilyOptions): Machine {
  const machine = createMachineAt({
    ...(cwd === undefined ? { store: "memory" } : { cwd }),
    env: { PATH: process.env["PATH"] ?? "", ...(cwd === undefined ? {} : { TROUPE_HOME: cwd }) },
  });
  return store === undefined ? machine : { ...machine, store };
}

/** Where a child is looked up: any definition that has workflows. */
function definitionOf({ workflows }: FamilyOptions): WorkflowDefinition {
  return defineStepWorkflow({ name: "parent", steps: [{ id: "unused", type: "wait" }], workflows });
}

function programOf({ program }: FamilyOptions) {
  return {
    name: "test/parent",
    run: async (context: Context) => {
      const value = await program(context);
      return { outcome: "completed", reason: "done", metadata: {}, output: value } as const;
    },
  };
}

function processOf(options: FamilyOptions): CarryOutOptions {
  const { workflows: _w, program: _p, functions, turns: _t, budget: _b, ...rest } = options;
  const { store: _s, cwd: _c, ...told } = rest;
  return { ...told, functions: new Map(Object.entries(functions ?? {})) };
}

function cassetteOf(turns: Json): { readonly file: string; readonly source: string } {
  return { file: "test.json", source: JSON.stringify({ version: 1, agents: turns }) };
}

/** What the program of the run gave back; undefined while it has not. */
export function outputOf({ phase }: RunState): Json | undefined {
  return phase.status === "ended" && isRecord(phase.result)
    ? toJson(phase.result["output"] ?? null, "the output")
    : undefined;
}
