import { LOOKS, type Look } from "./look.ts";
import type { OutlineView } from "./run-outline.ts";

/** Which steps of a list are shown, and in what order. */
export interface StepChoice {
  /** A text that the name, the agent, the output or the error holds. */
  readonly find: string | undefined;
  /** The state that they are in. */
  readonly look: Look | undefined;
  readonly order: ListOrder | undefined;
}

/** Other orders than that of the workflow. */
export type ListOrder = "failed-first";

/** The steps that are chosen, in their order; those in the same state stay in that of the workflow. */
export function chooseSteps(
  steps: readonly OutlineView[],
  { find = "", look, order }: StepChoice,
): readonly OutlineView[] {
  const wanted = find.trim().toLowerCase();
  const found = steps.filter(
    (step) => (look === undefined || step.look === look) && (wanted === "" || holds(step, wanted)),
  );
  if (order === undefined) return found;
  return found.toSorted((left, right) => rankOf(left.look) - rankOf(right.look));
}

/** How many steps are in each state, of those that are in any; failed ones first. */
export function countLooks(steps: readonly OutlineView[]): readonly (readonly [Look, number])[] {
  const counts = Map.groupBy(steps, ({ look }) => look);
  return [...counts]
    .map(([look, each]) => [look, each.length] as const)
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right));
}

/** Output or error of a step, or why it was not carried out; empty without any. */
export function saysOf({ state }: OutlineView): string {
  switch (state?.status) {
    case "completed":
      return state.output;
    case "failed":
    case "retrying":
      return state.error.message;
    case "skipped":
    case "cancelled":
      return state.reason;
    case "blocked":
      return `waits for ${state.by.join(", ")}`;
    default:
      return "";
  }
}

function holds(step: OutlineView, wanted: string): boolean {
  return [step.path, step.agent ?? "", saysOf(step)].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function rankOf(look: Look): number {
  return LOOKS.indexOf(look);
}
