import { MAX_NEAR_NAMES, textAt } from "../checks/file-view.ts";
import { entryOf } from "../source/source-node.ts";
import { isParallel } from "./check-routes.ts";
import { type Ways, waysOf } from "./step-routes.ts";
import { type StepsView, type StepView, topOf } from "./step-view.ts";

/** What the texts of a file may refer to. */
export interface StepNames {
  /** Whether data can be found under this name in the context. */
  isKnown(name: string): boolean;
  isStep(id: string): boolean;
  /** Names of the context for hints. */
  known(): readonly string[];
  /** Whether it is certain that nothing has this name yet when the step begins. */
  isNeverBefore(name: string, step: StepView): boolean;
}

// Only a warning depends on it: what takes longer to find out is not said.
const MAX_VISITS = 1_000_000;

/** The names of a file. */
export function createStepNames(view: StepsView): StepNames {
  const initial = entryOf(view.root, "initial_context")?.node;
  const fixed = new Set(initial?.kind === "map" ? initial.entries.keys() : []);
  const ids = new Set<string>();
  const owners = new Map<string, StepView[]>();
  const add = (name: string | undefined, step: StepView) => {
    if (name === undefined) return;
    const steps = owners.get(name);
    if (steps === undefined) owners.set(name, [step]);
    else steps.push(step);
  };
  for (const step of view.all) {
    if (step.id !== undefined) ids.add(step.id);
    add(step.id, step);
    add(textAt(step.node, "output")?.text, step);
  }
  const order = createOrder(view);
  return {
    isKnown: (name) => owners.has(name) || fixed.has(name),
    isStep: (id) => ids.has(id),
    known: () => [...owners.keys(), ...fixed].slice(0, MAX_NEAR_NAMES),
    isNeverBefore: (name, step) => {
      if (fixed.has(name)) return false;
      return (owners.get(name) ?? []).every((owner) => !order.mayBeBefore(owner, step));
    },
  };
}

/** Which steps may have run before another one begins. */
function createOrder(view: StepsView): {
  mayBeBefore(earlier: StepView, later: StepView): boolean;
} {
  // Paths that run side by side wait for each other's data.
  if (isParallel(view)) return { mayBeBefore: () => true };
  const ways = waysOf(view);
  let visits = 0;
  return {
    mayBeBefore: (earlier, later) => {
      const [from, to] = [topOf(earlier).id, topOf(later).id];
      const isWithinOne = from === to && (earlier.parent ?? later.parent) !== undefined;
      if (from === undefined || to === undefined || isWithinOne || visits > MAX_VISITS) return true;
      const search = leadsTo(from, to, ways);
      visits += search.visits;
      return search.isFound;
    },
  };
}

/** Whether a way of at least one step leads from one step to another. */
function leadsTo(
  from: string,
  to: string,
  ways: Ways,
): { readonly isFound: boolean; readonly visits: number } {
  const seen = new Set(ways.get(from));
  for (const id of seen) {
    if (id === to) return { isFound: true, visits: seen.size };
    for (const target of ways.get(id) ?? []) seen.add(target);
  }
  return { isFound: false, visits: seen.size + 1 };
}
