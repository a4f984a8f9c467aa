import type { AgentFunction } from "../agents/backends/function/agent-function.ts";
import type { CarryOutOptions } from "../app/carry-out.ts";
import { createMachine, type Machine } from "../app/machine.ts";
import { resumeRun } from "../app/resume-run.ts";
import { startRun } from "../app/start-run.ts";
import type { Budget } from "../contracts/budget.ts";
import type { RunLimits } from "../contracts/run.ts";
import type { RunStore } from "../contracts/store.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";
import { defineTestWorkflow, type TestWorkflow } from "./define-test-workflow.ts";
import { type FinishedRun, type TestedRun, watchRun } from "./tested-run.ts";

/** The process of a test that carries a run out. */
export interface TestProcess extends Omit<CarryOutOptions, "functions"> {
  /** Defaults to the current directory. */
  readonly cwd?: string;
  /** Defaults to that of the process. */
  readonly env?: { readonly [name: string]: string };
  /** Defaults to the system's. */
  readonly clock?: Clock;
  /** Where journals are kept. Defaults to a new store in memory. */
  readonly store?: RunStore;
  /** Functions of agents with `backend: function`, by agent id. */
  readonly functions?: { readonly [agent: string]: AgentFunction };
}

/** What a workflow of a test is started with. */
export interface TestStart extends TestProcess {
  readonly task?: string;
  readonly params?: { readonly [name: string]: Json };
  /** Turns of scripted agents, as the `agents` block of a cassette. */
  readonly turns?: Json;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
}

/** Starts a workflow whose journal lives in memory. */
export async function startInMemory(
  workflow: TestWorkflow,
  start: TestStart = {},
): Promise<TestedRun> {
  const { turns, task, params, timeoutMs, budget } = start;
  const machine = machineOf(start);
  const run = await startRun(machine, defineTestWorkflow(workflow), {
    ...processOf(start),
    ...(task === undefined ? {} : { task }),
    ...(params === undefined ? {} : { params }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget === undefined ? {} : { budget }),
    ...(turns === undefined ? {} : { cassette: cassetteOf(turns) }),
  });
  return watchRun(machine, run);
}

/** Runs a workflow in memory until it is over or let go. */
export async function runWorkflowInMemory(
  workflow: TestWorkflow,
  start: TestStart = {},
): Promise<FinishedRun> {
  const run = await startInMemory(workflow, start);
  return run.over();
}

/** Goes on with a run that the store holds and that is not over. */
export async function resumeInMemory(
  id: string,
  given: TestProcess & { readonly store: RunStore; readonly limits?: RunLimits },
): Promise<TestedRun> {
  const machine = machineOf(given);
  const { limits } = given;
  const resumption = await resumeRun(machine, id, {
    ...processOf(given),
    ...(limits === undefined ? {} : { limits }),
  });
  if (resumption.status === "over") throw new Error(`${id} is over, nothing can go on`);
  return watchRun(machine, resumption.run);
}

function machineOf({ cwd, env, clock, store }: TestProcess): Machine {
  const machine = createMachine({
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(clock === undefined ? {} : { clock }),
    store: "memory",
  });
  return store === undefined ? machine : { ...machine, store };
}

function processOf(given: TestProcess): CarryOutOptions {
  const { cwd: _cwd, env: _env, clock: _clock, store: _store, functions, ...options } = given;
  return { ...options, functions: new Map(Object.entries(functions ?? {})) };
}

function cassetteOf(turns: Json): { readonly file: string; readonly source: string } {
  return { file: "test.json", source: JSON.stringify({ version: 1, agents: turns }) };
}
