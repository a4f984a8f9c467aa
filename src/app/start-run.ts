import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { PatternDefinition } from "../contracts/definition.ts";
import type { RunCreated } from "../contracts/events/run-events.ts";
import type { Journal } from "../contracts/store.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { withImpliedSteps } from "../programs/primitives/implied-steps.ts";
import { type CarryOutOptions, carryOut } from "./carry-out.ts";
import { projectUnwritable } from "./errors.ts";
import type { Machine } from "./machine.ts";
import { patternProgram } from "./pattern-program.ts";
import { type RunRecipe, writeRecipe } from "./run-recipe.ts";
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
  /** Defaults to `default`. */
  readonly instance?: string;
  readonly cassette?: RunRecipe["cassette"];
  /** Running time of the whole run in ms; beats that of the definition. */
  readonly timeoutMs?: number;
}

/**
 * Starts a run of a definition. Raises what carryOut raises, RUN_DIRECTORY_UNWRITABLE and
 * WORKFLOW_UNKNOWN_PATTERN.
 */
export async function startRun(
  machine: Machine,
  given: PatternDefinition,
  options: StartOptions = {},
): Promise<WorkflowRun> {
  const definition = withImpliedSteps(given);
  const program = patternProgram(definition.pattern);
  const recipe = {
    definition,
    ...(options.cassette === undefined ? {} : { cassette: options.cassette }),
  };
  const { text, hash } = writeRecipe(recipe);
  const journal = createJournal(machine, options.id ?? machine.newId("run"));
  const event = toCreated(machine, { definition, hash, program: program.name, options });
  return carryOut(
    machine,
    { journal, recipe, program, created: { event, definitionText: text } },
    options,
  ).catch((error: unknown) => {
    // Nothing was started, so nothing is left behind.
    machine.store.remove(journal.run);
    throw error;
  });
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

interface CreatedParts {
  readonly definition: PatternDefinition;
  readonly hash: string;
  readonly program: string;
  readonly options: StartOptions;
}

function toCreated(
  machine: Machine,
  { definition, hash, program, options }: CreatedParts,
): RunCreated {
  const { file, task, params = {}, instance = "default" } = options;
  const timeoutMs = options.timeoutMs ?? definition.timeoutMs;
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
    ...(task === undefined ? {} : { task: task.toWellFormed() }),
    params: paramsOf(params),
    limits: timeoutMs === undefined ? {} : { timeoutMs },
  };
}

function paramsOf(params: { readonly [name: string]: Json }): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, toJson(value, `param "${name}"`)]),
  );
}
