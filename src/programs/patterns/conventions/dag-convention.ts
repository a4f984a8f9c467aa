import { type ConventionTemplate, inOneLine } from "./convention.ts";

/** Where a step stands in a graph. */
export interface DagParams {
  /** Id of this step. */
  readonly step: string;
  /** The steps that it depends on, with what they handed over. */
  readonly upstream: readonly { readonly step: string; readonly output: string }[];
  /** Ids of the steps that depend on it. */
  readonly downstream: readonly string[];
}

/** The convention of a graph's step. */
export const dagConvention: ConventionTemplate<DagParams> = {
  name: "dag/step",
  place: ({ step }) =>
    `This is a graph of steps: each starts as soon as those it depends on are done. You work on step "${inOneLine(step)}".`,
  result: ({ downstream }) =>
    downstream.length === 0
      ? "a summary of what came out of it"
      : "everything that the steps after it must know: results, decisions, paths of files",
  rules: ({ upstream, downstream }) => [
    ...(upstream.length === 0
      ? []
      : [`Build on the results below: ${quoted(upstream.map(stepOf))}.`]),
    ...(downstream.length === 0 ? [] : [`What you hand over goes to: ${quoted(downstream)}.`]),
    "Other steps may be running now: leave what is theirs alone.",
  ],
  data: ({ upstream }) =>
    upstream.map(({ step, output }) => ({ label: `output of step "${step}"`, text: output })),
};

function quoted(ids: readonly string[]): string {
  return ids.map((id) => `"${inOneLine(id)}"`).join(", ");
}

function stepOf({ step }: { readonly step: string }): string {
  return step;
}
