import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { type CompensationSpec, compensationOf, type StepSpec } from "../../contracts/step.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { executePatternStep } from "./execute-pattern-step.ts";
import { agentsOf, type StepResult, type StepResults } from "./step-results.ts";
import type { Team } from "./team.ts";

// Owns how the work of a run that has failed is undone.
// C1: the step that was completed last is undone first, and the next one only then.
// C2: what could not be undone keeps none of the others from it.
// C3: a cancellation of the run leaves it the time that the run has for cleaning up.

/** The steps of a run that are over, and how each is undone. */
export interface Undoing {
  readonly context: Context;
  readonly definition: PatternDefinition;
  readonly team: Team;
  /** In the order in which they were over. */
  readonly results: StepResults;
  /** Told of each step; why it could not be undone. */
  readonly onUndone: (step: string, problem: string | undefined) => void;
}

/** What the agent is told that undoes a step. */
type ConventionOf = (step: StepSpec, facts: ConventionFacts) => string;

/** A completed step that is to be undone. */
export interface UndoneStep {
  readonly step: StepSpec;
  readonly compensate: CompensationSpec;
}

/** The completed steps that say how they are undone, the last one first. */
export function stepsToUndo(
  { steps }: Pick<PatternDefinition, "steps">,
  results: StepResults,
): readonly UndoneStep[] {
  const specs = new Map(steps.map((step) => [step.id, step]));
  return [...results].toReversed().flatMap(([id, { status }]) => {
    const step = specs.get(id);
    if (step?.compensate === undefined || status !== "completed") return [];
    return [{ step, compensate: step.compensate }];
  });
}

/** Undoes steps one after another. Rejects with ENGINE_CANCELLED when the time for cleaning up is over. */
export async function undoSteps(
  undoing: Undoing,
  steps: readonly UndoneStep[],
  convention: ConventionOf,
): Promise<void> {
  const undoAll = async (branch: Context) => {
    for (const [index, undone] of steps.entries()) {
      const scope = branch.scope(undone.step.id, (context) =>
        undo({ ...undoing, context }, undone, convention),
      );
      try {
        undoing.onUndone(undone.step.id, problemOf(await scope.result));
      } catch (error) {
        const { message } = toErrorReport(error);
        for (const { step } of steps.slice(index)) undoing.onUndone(step.id, message);
        throw error;
      }
    }
  };
  await undoing.context.scope("compensate", undoAll, { shielded: true }).result;
}

function undo(
  { context, definition, team, results }: Undoing,
  undone: UndoneStep,
  convention: ConventionOf,
): Promise<StepResult> {
  const { id, instance, maxAttempts, retryDelayMs } = undone.step;
  const sources = { context, definition, results, ...present({ matrix: instance?.matrix }) };
  return executePatternStep(sources, team, {
    step: {
      ...undone.compensate,
      id: compensationOf(id),
      ...{ dependsOn: [], verify: [], fallback: [], maxAttempts, retryDelayMs },
    },
    execution: 1,
    builtOn: agentsOf(results),
    convention: (facts) => convention(undone.step, facts),
  });
}

function problemOf(result: StepResult): string | undefined {
  return result.status === "failed" ? result.error.message : undefined;
}
