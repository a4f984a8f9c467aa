import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { foldAll } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { isOver } from "../../fold/waiting.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { isJsonArray, type Json, toJson } from "../../foundation/json.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "../runs/assert-own-run.ts";
import { runsBelow } from "../runs/families/run-families.ts";
import { openEnvironments } from "../workflow/sealed-environment.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";

/** What a person has to know before she makes somebody else's run her own. */
export interface ForeignRun {
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  /** Where its agents would work. */
  readonly cwd: string;
  /** Why it is foreign; null when it is this user's already. */
  readonly reason: string | null;
  readonly isOver: boolean;
  /** Agents with their backends, as they were made so far or are written down. */
  readonly agents: readonly { readonly id: string; readonly backend: string }[];
  /** All that its definition has run: commands, scripts, modules, as they are written there; each once. */
  readonly programs: readonly string[];
  /** Variables for which it would get secrets that the one who looks has sealed in another run of hers. */
  readonly ownSecrets: readonly string[];
  /** Decisions and messages that stand in it and would take effect. */
  readonly commands: readonly string[];
}

/** Keys of a definition below which something to be run is named, in any shape of workflow. */
const PROGRAM_KEYS: ReadonlySet<string> = new Set([
  "args",
  "command",
  "env",
  "module",
  "plugins",
  "setup",
  "shell",
  "verify",
]);

/**
 * A run and those below it, as somebody has to see them who adopts them; the run itself first. Raises RUN_NOT_FOUND,
 * STORE_* errors and WORKFLOW_DEFINITION_INVALID.
 */
export function examineForeign(machine: Machine, run: string): Promise<readonly ForeignRun[]> {
  const runs = [run, ...runsBelow(machine.store, run)];
  return Promise.all(runs.map((id) => examineOne(machine, id)));
}

/** Seals a run and all below it. Raises RUN_FOREIGN where that is impossible, RUN_OWNED and RUN_KEY_UNUSABLE. */
export function adoptRun(machine: Machine, run: string): readonly string[] {
  // The one at the top comes last: what is cut off can be repeated, and nothing goes on before all of it is sealed.
  const runs = [...runsBelow(machine.store, run), run];
  const foreign = runs.filter((id) => foreignReasonOf(machine.store, id) !== undefined);
  for (const id of foreign) machine.store.adopt(id);
  return foreign.toReversed();
}

async function examineOne({ store, secrets }: Machine, run: string): Promise<ForeignRun> {
  const journal = store.open(run, "read");
  try {
    const state = foldAll(run, journal.read());
    const recipe = await readRecipe(run, journal.blob(state.run.definitionHash));
    const definition = toJson(recipe.definition, "a definition");
    const { workflow, instance, cwd } = state.run;
    return {
      ...{ run, workflow, instance, cwd },
      reason: journal.foreign() ?? null,
      isOver: isOver(state),
      agents: agentsOf(state, definition),
      ownSecrets: await ownSecretsIn(run, recipe.definition, secrets),
      programs: [...new Set(programsIn(definition))],
      commands: isOver(state)
        ? []
        : state.commands.map(({ command, by }) => `${command.kind} by ${by}`),
    };
  } finally {
    journal.close();
  }
}

/** Whoever got hold of a token could have written it into a run of his own. */
async function ownSecretsIn(
  run: string,
  definition: WorkflowDefinition,
  secrets: Machine["secrets"],
): Promise<readonly string[]> {
  try {
    return [...(await openEnvironments(run, definition, secrets)).keys()];
  } catch (error) {
    if (error instanceof TroupeError && error.code === "RUN_SECRET_UNREADABLE") return [];
    throw error;
  }
}

function agentsOf(state: RunState, definition: Json): ForeignRun["agents"] {
  const made = [...state.agents.values()].map(({ id, backend }) => ({ id, backend }));
  const known = new Set(made.map(({ id }) => id));
  return [...made, ...writtenAgents(definition).filter(({ id }) => !known.has(id))];
}

function writtenAgents(value: Json): ForeignRun["agents"] {
  if (value === null || typeof value !== "object") return [];
  if (isJsonArray(value)) return value.flatMap(writtenAgents);
  const { id, backend } = value;
  const own = typeof id === "string" && typeof backend === "string" ? [{ id, backend }] : [];
  return [...own, ...Object.values(value).flatMap(writtenAgents)];
}

function programsIn(value: Json): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  if (isJsonArray(value)) return value.flatMap(programsIn);
  return Object.entries(value).flatMap(([key, member]) =>
    PROGRAM_KEYS.has(key) ? [`${key}: ${written(member)}`] : programsIn(member),
  );
}

function written(value: Json): string {
  if (typeof value === "string") return value;
  const isArgv = isJsonArray(value) && value.every((each) => typeof each === "string");
  return isArgv ? value.join(" ") : JSON.stringify(value);
}
