import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { StepSpec } from "../../contracts/step.ts";

type OrderRule = Pick<Pattern, "order" | "defaultMode">;

/** What orders the steps of a workflow: their list, `dependsOn`, or `dependsOn` of those that have one (none). */
export type StepOrder = Exclude<Pattern["order"], "mode">;

/** Which order is that of a mode. */
const ORDER_OF_MODE = { sequential: "list", dag: "graph", parallel: "none" } as const;

/** The mode of a pattern that orders its steps itself. */
export const MODE_OF_ORDER = { list: "sequential", graph: "dag" } as const;

/** Whether a pattern leaves it to the file how its steps are ordered. */
export function leavesOrder(order: Pattern["order"]): order is "mode" | "none" {
  return order === "mode" || order === "none";
}

/** What orders steps: the pattern, or, where it leaves that to the file, the file's mode. */
export function stepOrder(
  { order, defaultMode = order === "none" ? "parallel" : "dag" }: OrderRule,
  mode: PatternDefinition["mode"] = defaultMode,
): StepOrder {
  return leavesOrder(order) ? ORDER_OF_MODE[mode] : order;
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
