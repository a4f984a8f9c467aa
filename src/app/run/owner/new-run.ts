import { randomBytes } from "node:crypto";
import { assertBudget } from "../../../agents/budget/budget-schema.ts";
import { type Budget, DEFAULT_MAX_FAILURES } from "../../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { RunConfiguration, RunCreated } from "../../../contracts/events/run-events.ts";
import type { PatternFunctions } from "../../../contracts/pattern-functions.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { StepSpec } from "../../../contracts/step.ts";
import { workflowProgramNotFound } from "../../../engine/errors.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { readGitHead } from "../../../host/git/git-head.ts";
import { startedBelow } from "../../machine/agent-above.ts";
import type { Machine } from "../../machine/machine.ts";
import { makeRunsDirectory } from "../../machine/place/believed-places.ts";
import { VERSION } from "../../machine/place/version.ts";
import { NO_CODE, type WorkflowCode } from "../../workflow/code/workflow-code.ts";
import { assertCode, ownBackendsIn } from "../../workflow/plugins/assert-code.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { type RunRecipe, readRecipe, writeRecipe } from "../../workflow/shapes/run-recipe.ts";
import type { RunToCarryOut } from "./carry-out-options.ts";
import { configurationFor } from "./run-configuration.ts";

/** What a new run begins with. */
export interface NewRunOptions {
  /** Id of the new run, from `Machine.newId`. */
  readonly id?: string | undefined;
  readonly task?: string;
  readonly params?: { readonly [name: string]: Json } | undefined;
  /** The input of a step workflow. */
  readonly input?: Json;
  /** The workflow file, as it was named. */
  readonly file?: string | undefined;
  /** SHA-256 of its text. */
  readonly fileHash?: string | undefined;
  /** Defaults to `default`. */
  readonly instance?: string | undefined;
  readonly cassette?: RunRecipe["cassette"] | undefined;
  /** Registered name of the program, if it is another one than that of the definition's shape. */
  readonly program?: string | undefined;
  /** Running time of the whole run in ms; beats that of the definition. */
  readonly timeoutMs?: number | undefined;
  /** Limits that beat those of the definition, each for itself; those beat the configuration. */
  readonly budget?: Budget | undefined;
  /** The run and the operation that it is a child of. */
  readonly parent?: NonNullable<RunCreated["parent"]> | undefined;
  /** The schedule that starts it. */
  readonly schedule?: RunCreated["schedule"] | undefined;
  /** Where its agents start. Defaults to the current directory. */
  readonly cwd?: string | undefined;
  /** Source of random numbers and ids. Defaults to a new one. */
  readonly seed?: string | undefined;
  /** Step types and guards of one's own that the workflow may use. Defaults to none. */
  readonly code?: WorkflowCode | undefined;
  /** As in `CarryOutOptions`. */
  readonly patternFunctions?: PatternFunctions | undefined;
  /** That of its parent, for a child. Defaults to what takes effect now. */
  readonly configuration?: RunConfiguration | undefined;
}

/**
 * A run of a complete definition, in a new journal that holds nothing yet. `open` makes that journal in place of
 * the store. Raises RUN_DIRECTORY_UNWRITABLE, LIMIT_INVALID, WORKFLOW_UNKNOWN_PATTERN, ENGINE_PROGRAM_NOT_FOUND.
 */
export async function newRun(
  machine: Machine,
  definition: WorkflowDefinition,
  options: NewRunOptions & { readonly open?: (id: string) => Journal },
): Promise<RunToCarryOut> {
  const { code = NO_CODE } = options;
  const shape = await shapeOf(definition, code);
  const program =
    options.program === undefined
      ? await shape.program(definition, code)
      : await shape.programNamed(options.program, code);
  if (program === undefined)
    throw workflowProgramNotFound({ run: "the run", program: options.program ?? "" });
  const budget = budgetOf(definition, shape.steps(definition), options);
  const { cassette, open = (id: string) => createJournal(machine, id) } = options;
  const guards = code.guards.map(({ name }) => name);
  const backends = await ownBackendsIn(definition, code);
  const recipe = {
    definition,
    ...present({ cassette, guards: listed(guards), backends: listed(backends) }),
  };
  await assertCode("the run", recipe, { ...code, functions: options.patternFunctions });
  const { text, hash } = writeRecipe(recipe);
  // What a later process reads: keys of the live one may have another order, which prompts would show.
  const stored = await readRecipe("the run", text);
  const configuration = await configurationOf(machine, definition, options);
  const parts = { definition, hash, program: program.name, budget, options, configuration };
  const event = toCreated(machine, parts);
  const journal = open(options.id ?? machine.newRunId());
  const { workflow, instance } = event;
  return {
    journal,
    recipe: stored,
    program,
    identity: { id: journal.run, workflow, instance },
    beginning: { created: { event, definitionText: text }, limits: undefined },
    budget,
    childLimits: undefined,
  };
}

/** A run in memory is never resumed by another process. */
async function configurationOf(
  machine: Machine,
  definition: WorkflowDefinition,
  { configuration, parent, cwd = machine.project.cwd }: NewRunOptions,
): Promise<RunConfiguration | undefined> {
  if (!machine.keepsFiles || parent !== undefined) return configuration;
  return configurationFor(machine, definition, cwd);
}

/** Recipes are as they were for runs without such code. */
function listed(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}

function createJournal(machine: Machine, run: string): Journal {
  if (machine.keepsFiles) makeRunsDirectory(machine.project);
  return machine.store.create(run);
}

/** The limits of the run. Raises LIMIT_INVALID for whatever was written in code. */
function budgetOf(
  { budget, agents }: WorkflowDefinition,
  steps: readonly StepSpec[],
  options: NewRunOptions,
): Budget {
  const limits = { ...budget, ...options.budget };
  assertBudget(limits, "budget");
  for (const agent of agents) assertBudget(agent.budget ?? {}, `agents.${agent.id}.budget`);
  for (const step of steps) assertBudget(step.budget ?? {}, `steps.${step.id}.budget`);
  return limits;
}

interface CreatedParts {
  readonly definition: WorkflowDefinition;
  readonly hash: string;
  readonly program: string;
  readonly budget: Budget;
  readonly options: NewRunOptions;
  readonly configuration: RunConfiguration | undefined;
}

function toCreated(
  machine: Machine,
  { definition, hash, program, budget, options, configuration }: CreatedParts,
): RunCreated {
  const { file, fileHash, task, params = {}, input, instance = "default" } = options;
  const { parent, schedule } = options;
  const { cwd = machine.project.cwd } = options;
  // Whoever sets a limit of time for this run wants that one, and not what the definition has.
  const isTimed = options.budget?.wallClockMs !== undefined;
  const { failures = DEFAULT_MAX_FAILURES, ...metered } = budget;
  const timeoutMs = options.timeoutMs ?? (isTimed ? undefined : definition.timeoutMs);
  const repository = machine.keepsFiles ? readGitHead(cwd) : undefined;
  return {
    type: "run-created",
    workflow: definition.name,
    instance,
    definitionHash: hash,
    program,
    seed: options.seed ?? randomBytes(16).toString("hex"),
    troupe: VERSION,
    cwd,
    ...present({ file, fileHash, repository, task: task?.toWellFormed() }),
    params: paramsOf(params),
    ...present({ input }),
    limits: present({
      timeoutMs,
      budget: Object.keys(metered).length === 0 ? undefined : metered,
      failures,
    }),
    ...present({ parent, schedule, configuration }),
    ...startedBelow(machine),
  };
}

function paramsOf(params: { readonly [name: string]: Json }): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, toJson(value, `param "${name}"`)]),
  );
}
