import { type ConventionTemplate, inOneLine } from "./convention.ts";

/** Where a stage stands in a pipeline. */
export interface PipelineParams {
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
