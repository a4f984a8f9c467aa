import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { present } from "../../foundation/present.ts";
import { stepsToUndo, undoSteps } from "../primitives/compensations.ts";
import { Moves } from "../primitives/moves.ts";
import { type FailedSteps, runSteps } from "../primitives/run-steps.ts";
import { dependenciesIn, stepOrder } from "../primitives/step-order.ts";
import { outputOfStep } from "../primitives/step-results.ts";
import { renderConvention } from "./conventions/convention.ts";
import { compensationConvention, sagaConvention } from "./conventions/saga-convention.ts";

const ORDER = { order: "mode", defaultMode: "sequential" } as const;

/** Steps that say how they are undone: when one fails, those that are done are undone, the last one first. */
export const sagaPattern = definePattern({
  name: "saga",
  summary: "Steps that are undone, the last one first, when a later one fails",
  onFailure: "abort",
  ...ORDER,
  compensates: true,
  check,
  turns: () => ({ least: 0, most: 0, basis: "those of its steps" }),
  metadata: (_definition, advances) => reportOf(advances),
  run: async (context, definition) => {
    const moves = new Moves(context, definition);
    const result = await runSteps(context, definition, {
      dependsOn: dependenciesIn(stepOrder(ORDER, definition.mode), definition.steps),
      convention: (step, facts) => renderConvention(sagaConvention, { ...facts, step: step.id }),
      metadata: () => ({}),
      onFailed: (failed) => undo(definition, failed, moves),
    });
    return { ...result, metadata: reportOf(moves.noted) };
  },
});

async function undo(
  definition: PatternDefinition,
  { context, team, results, reason }: FailedSteps,
  moves: Moves,
): Promise<void> {
  const steps = stepsToUndo(definition, results);
  if (steps.length === 0) return;
  moves.note("undoing", { undoing: steps.map(({ step }) => step.id), reason });
  const undoing = {
    ...{ context, definition, team, results },
    onUndone: (step: string, problem: string | undefined) =>
      moves.note("undone", { step, undone: problem === undefined, ...present({ problem }) }),
  };
  await undoSteps(undoing, steps, ({ id }, facts) =>
    renderConvention(compensationConvention, {
      ...{ ...facts, step: id, output: outputOfStep(results.get(id)), reason },
    }),
  );
}

/** Without steps there is nothing that could be undone. */
function check({ steps }: PatternDefinition): readonly PatternFault[] {
  if (steps.length === 0)
    return [{ problem: "a saga is made of steps, and has none", hint: "add steps" }];
  if (steps.some(({ compensate }) => compensate !== undefined)) return [];
  return [
    {
      problem: "no step of this saga says how it is undone",
      hint: 'add to a step: compensate: { command: "..." }, or use pattern: pipeline',
    },
  ];
}

const undoing = z.object({ undoing: z.array(z.string()) });
const undone = z.object({ step: z.string(), undone: z.boolean() });

/** What was undone, and what of it was not, also in a run that was cut short meanwhile. */
function reportOf(advances: readonly PatternAdvance[]) {
  const wanted = advances.flatMap(({ kind, data }) =>
    kind === "undoing" ? undoing.parse(data).undoing : [],
  );
  const done = new Set(
    advances.flatMap(({ kind, data }) => {
      if (kind !== "undone") return [];
      const move = undone.parse(data);
      return move.undone ? [move.step] : [];
    }),
  );
  return {
    undone: wanted.filter((step) => done.has(step)),
    notUndone: wanted.filter((step) => !done.has(step)),
  };
}
