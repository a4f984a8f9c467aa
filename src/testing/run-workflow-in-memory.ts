import { join } from "node:path";
import type { z } from "zod";
import { createMachineAt, type Machine } from "../app/machine/machine.ts";
import type { CarryOutOptions } from "../app/run/owner/carry-out-options.ts";
import { resumeOnMachine } from "../app/run/resume-run.ts";
import { startRun } from "../app/run/start-run.ts";
import { readTestFile } from "../app/trial/read-test-file.ts";
import { runCase } from "../app/trial/run-case.ts";
import type { RunEvidence } from "../app/trial/run-evidence.ts";
import type { testFileSchema } from "../app/trial/test-file-schema.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import { codeOf, ownCode } from "../app/workflow/plugins/code-of.ts";
import { loadPattern } from "../app/workflow/shapes/pattern-program.ts";
import { shapeOf } from "../app/workflow/shapes/registry.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import type { Budget } from "../contracts/budget.ts";
import type {
  PatternDefinition,
  StepsDefinition,
  WorkflowDefinition,
} from "../contracts/definition.ts";
import { stampFormat } from "../contracts/definition-format.ts";
import type { FlowStep } from "../contracts/flow-step.ts";
import type { Pattern } from "../contracts/ports/pattern.ts";
import type { RunStore } from "../contracts/ports/store.ts";
import type { RunLimits } from "../contracts/run.ts";
import type { Clock } from "../foundation/clock.ts";
import { isRecord, type Json, toJson } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { workflowInvalid } from "../workflows/errors.ts";
import {
  defineTestWorkflow,
  type TestAgent,
  type TestWorkflow,
  toTestAgent,
} from "./define-test-workflow.ts";
import { type FinishedRun, type TestedRun, watchRun } from "./tested-run.ts";

/** The process of a test that carries a run out. */
export interface TestProcess extends OwnCode, Omit<CarryOutOptions, "functions" | "code"> {
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
  /** Of a step workflow. */
  readonly input?: Json;
  readonly params?: { readonly [name: string]: Json };
  /** Turns of scripted agents, as the `agents` block of a cassette. */
  readonly turns?: Json;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
}

/**
 * Starts a workflow whose journal lives in memory: the program that a file would run, with the defaults of its pattern. Raises
 * WORKFLOW_UNKNOWN_PATTERN, WORKFLOW_INVALID for what a file would be refused for, and what keeps a run from starting.
 */
export async function startInMemory(
  workflow: TestWorkflow,
  start: TestStart = {},
): Promise<TestedRun> {
  const code = await codeOf(machineOf(start), ownCode(start));
  const pattern = await loadPattern(workflow.pattern ?? "dag", code);
  const definition = defineTestWorkflow(
    { ...workflow, options: blockFor(pattern, workflow) },
    pattern,
  );
  const shape = await shapeOf(definition, code);
  const problems = (await shape.check?.(definition)) ?? [];
  if (problems.length > 0) throw workflowInvalid({ file: definition.name, problems, isCode: true });
  return startDefinition(definition, start);
}

/** The block with the defaults that its schema gives a file; one that is wrong stays as it is, to be refused by the check. */
function blockFor(
  { name, block }: Pattern,
  { options = {} }: TestWorkflow,
): PatternDefinition["options"] {
  const read = block?.safeParse(options);
  if (read?.success !== true) return options;
  const parsed = toJson(read.data, `the block of ${name}`);
  return isJsonObject(parsed) ? parsed : options;
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}

/** Starts a step workflow whose journal lives in memory. */
export function startStepsInMemory(
  workflow: TestStepWorkflow,
  start: TestStart = {},
): Promise<TestedRun> {
  return startDefinition(defineStepWorkflow(workflow), start);
}

/** Runs a step workflow in memory until it is over or let go. */
export async function runStepsInMemory(
  workflow: TestStepWorkflow,
  start: TestStart = {},
): Promise<FinishedRun> {
  const run = await startStepsInMemory(workflow, start);
  return run.over();
}

async function startDefinition(
  definition: WorkflowDefinition,
  start: TestStart,
): Promise<TestedRun> {
  const { turns, task, input, params, timeoutMs, budget } = start;
  const machine = machineOf(start);
  const run = await startRun(machine, definition, {
    ...processOf(start),
    ...present({ task, input }),
    ...{ params, timeoutMs, budget },
    cassette: turns === undefined ? undefined : cassetteOf(turns),
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
  const resumption = await resumeOnMachine(machine, id, { ...processOf(given), limits });
  if (resumption.status === "over") throw new Error(`${id} is over, nothing can go on`);
  return watchRun(machine, resumption.run);
}

function machineOf({ cwd, env, clock, store }: TestProcess): Machine {
  const machine = createMachineAt({ ...present({ cwd, env, clock }), store: "memory" });
  return store === undefined ? machine : { ...machine, store };
}

function processOf(given: TestProcess): OwnCode & Omit<CarryOutOptions, "code"> {
  const { cwd: _cwd, env: _env, clock: _clock, store: _store, functions, ...options } = given;
  return { ...options, functions: new Map(Object.entries(functions ?? {})) };
}

function cassetteOf(turns: Json): { readonly file: string; readonly source: string } {
  return { file: "test.json", source: JSON.stringify({ version: 1, agents: turns }) };
}

/** A step of a test: what is left out is what a file would leave out. */
export type TestFlowStep = Pick<FlowStep, "id" | "type"> &
  Partial<Omit<FlowStep, "steps">> & { readonly steps?: readonly TestFlowStep[] };

/** A step workflow of a test. */
export type TestStepWorkflow = Partial<Omit<StepsDefinition, "steps" | "agents">> & {
  readonly agents?: readonly TestAgent[];
  readonly steps: readonly TestFlowStep[];
};

/** A whole definition from what a test says of it. */
export function defineStepWorkflow(given: TestStepWorkflow): StepsDefinition {
  const { agents = [], steps, ...others } = given;
  return {
    ...stampFormat({ shape: "steps" } as const),
    name: "test",
    params: {},
    prompts: {},
    parallel: false,
    initialContext: {},
    maxIterations: 100,
    maxDurationMs: 300_000,
    maxErrors: 10,
    channel: "main",
    workflows: {},
    ...others,
    agents: agents.map(toTestAgent),
    steps: steps.map(toStep),
  };
}

function toStep({ steps = [], ...given }: TestFlowStep): FlowStep {
  return {
    routes: {},
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    settings: {},
    ...given,
    steps: steps.map(toStep),
  };
}

type TestSource = z.input<typeof testFileSchema>;

/**
 * What a workflow is played with: a case as a test file has it, code of one's own, and where the path of the workflow
 * begins.
 */
export interface PlayedCase
  extends Partial<Omit<TestSource["cases"][number], "expect" | "name">>,
    OwnCode {
  /** Defaults to the current directory. */
  readonly cwd?: string;
  /** Functions in place of agents, by agent id; the others are scripted. */
  readonly functions?: { readonly [agent: string]: AgentFunction };
}

/** A workflow that can be played: a path, the content of its file, or what a builder made. */
export type PlayableWorkflow =
  | string
  | { readonly [key: string]: Json | undefined }
  | { toFile(): Promise<{ readonly [key: string]: Json }> };

/**
 * Plays a workflow as `troupe test` does: in memory, in an empty directory, with scripted agents, on a clock that moves on
 * by itself. Raises TEST_FILE_INVALID, TEST_SETUP_FAILED, TEST_RUN_ENDLESS, VALUE_NOT_JSON, FILE_* and WORKFLOW_* errors.
 *
 * @example
 * ```ts
 * const run = await playWorkflow("review.yaml", {
 *   task: "the login page",
 *   agents: { coder: [{ after: "3h", say: "DONE: fixed" }] },
 * });
 * expectRun(run).toHaveEnded("completed");
 *
 * const race = { name: "race", pattern: "relay-race", agents: [{ id: "a" }, { id: "b" }] };
 * await playWorkflow(race, { patterns: [relay], agents: { "*": [{ say: "DONE: run" }] } });
 * ```
 */
export async function playWorkflow(
  workflow: PlayableWorkflow,
  { cwd = process.cwd(), functions, ...rest }: PlayedCase = {},
): Promise<RunEvidence> {
  const { stepTypes, guards, patterns, backends, routes, ...given } = rest;
  const code = present({ stepTypes, guards, patterns, backends, routes, functions });
  const content = isBuilt(workflow) ? await workflow.toFile() : workflow;
  const source = { version: 1, workflow: content, cases: [{ name: "played", ...given }] };
  const file = join(cwd, "played.json");
  const { content: test } = readTestFile(JSON.stringify(toJson(source, "a played case")), file);
  const [first] = test.cases;
  if (first === undefined) throw new Error("a played workflow has one case");
  const request = { file, workflow: test.workflow, agents: test.agents, given: first };
  return (await runCase(createMachineAt({ cwd }), request, code)).run;
}

function isBuilt(
  workflow: PlayableWorkflow,
): workflow is Extract<PlayableWorkflow, { toFile(): unknown }> {
  return typeof workflow === "object" && typeof workflow["toFile"] === "function";
}
