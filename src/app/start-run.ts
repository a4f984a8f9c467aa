import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { assertBudget, assertStepBudget } from "../agents/budget/check-budget.ts";
import type { Budget } from "../contracts/budget.ts";
import type { WorkflowDefinition } from "../contracts/definition.ts";
import type { RunCreated } from "../contracts/events/run-events.ts";
import type { Program } from "../contracts/program.ts";
import type { Journal } from "../contracts/store.ts";
import { programNotFound } from "../engine/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { readGitHead } from "../host/git-head.ts";
import { type CarryOutOptions, carryOut } from "./carry-out.ts";
import { configOf, withConfiguredBudget } from "./config/effective-config.ts";
import { projectUnwritable } from "./errors.ts";
import type { Machine } from "./machine.ts";
import { type RunRecipe, writeRecipe } from "./run-recipe.ts";
import { programNamed, shapeOf } from "./shapes/registry.ts";
import { VERSION } from "./version.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/** What a new run is started with. */
export interface StartOptions extends CarryOutOptions {
  /** Id of the new run, from `Machine.newId`. */
  readonly id?: string;
  readonly task?: string;
  readonly params?: { readonly [name: string]: Json };
  /** The workflow file, as it was named. */
  readonly file?: string;
  /** SHA-256 of its text. */
  readonly fileHash?: string;
  /** Defaults to `default`. */
  readonly instance?: string;
  readonly cassette?: RunRecipe["cassette"];
  /** Registered name of the program, if it is another one than that of the definition's shape. */
  readonly program?: string;
  /** Running time of the whole run in ms; beats that of the definition. */
  readonly timeoutMs?: number;
  /** Limits that beat those of the definition, each for itself; those beat the configuration. */
  readonly budget?: Budget;
}

/**
 * Starts a run of a definition. Raises what carryOut raises, RUN_DIRECTORY_UNWRITABLE, LIMIT_INVALID and
 * WORKFLOW_UNKNOWN_PATTERN.
 */
export async function startRun(
  machine: Machine,
  given: WorkflowDefinition,
  options: StartOptions = {},
): Promise<WorkflowRun> {
  const { settings } = await configOf(machine);
  const shape = shapeOf(given);
  const definition = withConfiguredBudget(shape.complete(given), settings);
  const program = programOf(definition, options.program);
  const budget = budgetOf(definition, options);
  const recipe = {
    definition,
    ...(options.cassette === undefined ? {} : { cassette: options.cassette }),
  };
  const { text, hash } = writeRecipe(recipe);
  const journal = createJournal(machine, options.id ?? machine.newId("run"));
  const event = toCreated(machine, {
    definition,
    hash,
    program: program.name,
    budget,
    options,
  });
  return carryOut(
    machine,
    {
      journal,
      recipe,
      program,
      budget,
      created: { event, definitionText: text },
    },
    options,
  ).catch((error: unknown) => {
    // Nothing was started, so nothing is left behind.
    machine.store.remove(journal.run);
    throw error;
  });
}

/** Raises ENGINE_PROGRAM_NOT_FOUND. */
function programOf(
  definition: WorkflowDefinition,
  name: string | undefined,
): Program<WorkflowDefinition> {
  if (name === undefined) return shapeOf(definition).program(definition);
  const program = programNamed(name);
  if (program === undefined) throw programNotFound({ run: "the run", program: name });
  return program;
}

function createJournal(machine: Machine, run: string): Journal {
  const { runsDirectory } = machine.project;
  if (machine.keepsFiles) {
    try {
      mkdirSync(runsDirectory, { recursive: true, mode: 0o700 });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw projectUnwritable({ path: runsDirectory, problem }, { cause: error });
    }
  }
  return machine.store.create(run);
}

/** The limits of the run. Raises LIMIT_INVALID for whatever was written in code. */
function budgetOf(definition: WorkflowDefinition, options: StartOptions): Budget {
  const { budget, agents } = definition;
  const steps = shapeOf(definition).steps(definition);
  const limits = { ...budget, ...options.budget };
  assertBudget(limits, "budget");
  for (const agent of agents) assertBudget(agent.budget ?? {}, `agents.${agent.id}.budget`);
  for (const step of steps) assertStepBudget(step.budget ?? {}, `steps.${step.id}.budget`);
  return limits;
}

interface CreatedParts {
  readonly definition: WorkflowDefinition;
  readonly hash: string;
  readonly program: string;
  readonly budget: Budget;
  readonly options: StartOptions;
}

function toCreated(
  machine: Machine,
  { definition, hash, program, budget, options }: CreatedParts,
): RunCreated {
  const { file, fileHash, task, params = {}, instance = "default" } = options;
  // Whoever sets a limit of time for this run wants that one, and not what the definition has.
  const isTimed = options.budget?.wallClockMs !== undefined;
  const timeoutMs = options.timeoutMs ?? (isTimed ? undefined : definition.timeoutMs);
  const repository = machine.keepsFiles ? readGitHead(machine.project.cwd) : undefined;
  return {
    type: "run-created",
    workflow: definition.name,
    instance,
    definitionHash: hash,
    program,
    seed: randomBytes(16).toString("hex"),
    troupe: VERSION,
    cwd: machine.project.cwd,
    ...(file === undefined ? {} : { file }),
    ...(fileHash === undefined ? {} : { fileHash }),
    ...(repository === undefined ? {} : { repository }),
    ...(task === undefined ? {} : { task: task.toWellFormed() }),
    params: paramsOf(params),
    limits: {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(Object.keys(budget).length === 0 ? {} : { budget }),
    },
  };
}

function paramsOf(params: { readonly [name: string]: Json }): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, toJson(value, `param "${name}"`)]),
  );
}
