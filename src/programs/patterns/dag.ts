import { definePattern } from "../../contracts/ports/pattern.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { outputOfStep } from "../primitives/step-results.ts";
import { type ConventionTemplate, inOneLine, renderConvention } from "./conventions/convention.ts";

/** A graph of steps: each starts the moment its own dependencies are done; a failure blocks its descendants only. */
export const dagPattern = definePattern({
  name: "dag",
  summary: "A graph of steps, each as soon as what it depends on is done",
  onFailure: "continue",
  order: "graph",
  prunes: true,
  run: (context, definition) => {
    const ids = new Set(definition.steps.map((step) => step.id));
    const downstream = Map.groupBy(
      definition.steps.flatMap((step) =>
        step.dependsOn.map((dependency) => ({ dependency, id: step.id })),
      ),
      ({ dependency }) => dependency,
    );
    return runSteps(context, definition, {
      dependsOn: (step) => step.dependsOn,
      convention: (step, facts, results) =>
        renderConvention(dagConvention, {
          ...facts,
          step: step.id,
          upstream: step.dependsOn
            .filter((id) => ids.has(id))
            .map((id) => ({ step: id, output: outputOfStep(results.get(id)) })),
          downstream: (downstream.get(step.instance?.of ?? step.id) ?? []).map(({ id }) => id),
        }),
      metadata: () => ({}),
    });
  },
});

/** Where a step stands in a graph. */
interface DagParams {
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
