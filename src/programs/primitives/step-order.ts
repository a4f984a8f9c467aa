import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { StepSpec } from "../../contracts/step.ts";

/** What orders the steps of a workflow: their list, `dependsOn`, or `dependsOn` of those that have one (none). */
export type StepOrder = Exclude<Pattern["order"], "mode">;

/** Which order is that of a mode. */
const ORDER_OF_MODE = { sequential: "list", dag: "graph", parallel: "none" } as const;

/** What orders steps: the pattern, or, where it leaves that to the file, the file's mode. Defaults to `graph` there. */
export function stepOrder(
  { order, defaultMode = "dag" }: Pick<Pattern, "order" | "defaultMode">,
  mode: PatternDefinition["mode"] = defaultMode,
): StepOrder {
  return order === "mode" ? ORDER_OF_MODE[mode] : order;
}

/** Ids of steps and barriers that each step waits for, in an order. */
export function dependenciesIn(
  order: StepOrder,
  steps: readonly StepSpec[],
): (step: StepSpec) => readonly string[] {
  if (order !== "list") return ({ dependsOn }) => dependsOn;
  const before = new Map(steps.map((step, index) => [step.id, steps[index - 1]?.id]));
  return ({ id, dependsOn }) => {
    const previous = before.get(id);
    return previous === undefined ? dependsOn : [...dependsOn, previous];
  };
}
