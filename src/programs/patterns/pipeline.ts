import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern } from "../../contracts/ports/pattern.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { outputOfStep, type StepResults } from "../primitives/step-results.ts";
import { type ConventionTemplate, inOneLine, renderConvention } from "./conventions/convention.ts";

/** Stages in the order of the list; each gets what the one before handed over. A failed stage halts the rest. */
export const pipelinePattern = definePattern({
  name: "pipeline",
  summary: "Stages one after another, each with the result of the one before",
  onFailure: "abort",
  order: "list",
  results,
  run: (context, definition) => {
    const { steps } = definition;
    const places = new Map(steps.map((step, index) => [step.id, index]));
    const before = (step: StepSpec) => steps[(places.get(step.id) ?? 0) - 1];
    const after = (step: StepSpec) => steps[(places.get(step.id) ?? 0) + 1];
    return runSteps(context, definition, {
      results,
      dependsOn: (step) => [...step.dependsOn, ...idOf(before(step))],
      // Going on after a failure is what the file asked for, so a failed stage does not block the next.
      ...(definition.onFailure === "continue" ? { goesOnAfter: () => true } : {}),
      convention: (step, facts, results) => {
        const next = after(step)?.id;
        return renderConvention(pipelineConvention, {
          ...facts,
          position: (places.get(step.id) ?? 0) + 1,
          total: steps.length,
          stage: step.id,
          ...previousOf(step, before(step), results),
          ...(next === undefined ? {} : { next }),
        });
      },
      metadata: (results) => ({
        stages: steps.map((step) => ({
          name: step.id,
          summary: outputOfStep(results.get(step.id)),
        })),
      }),
    });
  },
});

/** The last stage has what all were for. */
function results({ steps }: PatternDefinition): readonly string[] {
  return steps.slice(-1).map(({ id }) => id);
}

function idOf(step: StepSpec | undefined): readonly string[] {
  return step === undefined ? [] : [step.id];
}

function previousOf(step: StepSpec, previous: StepSpec | undefined, results: StepResults) {
  if (previous === undefined || step.receivesPreviousOutput === false) return {};
  return { previous: { stage: previous.id, output: outputOfStep(results.get(previous.id)) } };
}

/** Where a stage stands in a pipeline. */
interface PipelineParams {
  /** From 1. */
  readonly position: number;
  readonly total: number;
  /** Id of this stage. */
  readonly stage: string;
  /** The stage before, unless this is the first or wants no output. */
  readonly previous?: { readonly stage: string; readonly output: string };
  /** Id of the stage that comes next, unless this is the last. */
  readonly next?: string;
}

/** The convention of a pipeline's stage. */
export const pipelineConvention: ConventionTemplate<PipelineParams> = {
  name: "pipeline/stage",
  place: ({ position, total, stage }) =>
    `This is a pipeline: its stages work one after another. You are stage ${position} of ${total}, "${inOneLine(stage)}".`,
  result: ({ next }) =>
    next === undefined
      ? "the result of the whole pipeline"
      : "everything that the next stage must know: results, decisions, paths of files",
  rules: ({ previous, next }) => [
    ...(previous === undefined
      ? []
      : [`Build on the result of stage "${inOneLine(previous.stage)}" below.`]),
    ...(next === undefined
      ? []
      : [`Stage "${inOneLine(next)}" comes after you and gets only what you hand over.`]),
  ],
  data: ({ previous }) =>
    previous === undefined
      ? []
      : [{ label: `output of stage "${previous.stage}"`, text: previous.output }],
};
