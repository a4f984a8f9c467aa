import { ID_PATTERN } from "../../foundation/ids.ts";
import { idDuplicate, idInvalid } from "../checks/errors.ts";
import { type LocatedText, MAX_NEAR_NAMES, textAt } from "../checks/file-view.ts";
import { entryOf } from "../source/source-node.ts";
import { isParallel, type Ways, waysOf } from "./check-routes.ts";
import { stepIdReserved } from "./errors.ts";
import { type StepsView, type StepView, topOf } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

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

/** Names under which a step finds something else than the data of steps (STP-5). */
export const RESERVED_STEP_IDS: ReadonlySet<string> = new Set([
  ...["input", "context", "errors", "item", "index"],
]);

/** Checks the ids of the workflow and its steps: their form, and that each name means one thing. */
export function checkStepIds(check: StepsCheck): void {
  const { view, report } = check;
  const name = textAt(view.root, "id");
  if (name !== undefined && !ID_PATTERN.test(name.text))
    report(idInvalid({ what: "the id of a workflow", id: name.text }), name.node);
  const seen = new Map<string, StepView>();
  for (const step of view.all) {
    const { id, idRange } = step;
    if (id === undefined) continue;
    checkName(check, { text: id, range: idRange, what: "the id of a step" });
    const first = seen.get(id);
    if (first === undefined) seen.set(id, step);
    else
      report(idDuplicate({ what: "steps", id, other: id }), idRange, {
        related: [{ range: first.idRange, label: "the first one" }],
      });
  }
  for (const step of view.all) {
    const output = textAt(step.node, "output");
    if (output !== undefined) checkOutput(check, { step, output, owner: seen.get(output.text) });
  }
}

interface CheckedName {
  readonly text: string;
  readonly range: StepView["idRange"];
  readonly what: string;
}

function checkName({ report }: StepsCheck, { text, range, what }: CheckedName): void {
  if (!ID_PATTERN.test(text)) report(idInvalid({ what, id: text }), range);
  else if (RESERVED_STEP_IDS.has(text)) report(stepIdReserved({ what, id: text }), range);
}

interface CheckedOutput {
  readonly step: StepView;
  readonly output: LocatedText;
  /** The step whose id it is. */
  readonly owner: StepView | undefined;
}

/** Several steps may have one output name: then the last one that ran counts. */
function checkOutput(check: StepsCheck, { step, output, owner }: CheckedOutput): void {
  const { text, node } = output;
  checkName(check, { text, range: node, what: "the output of a step" });
  if (owner === undefined || owner === step) return;
  check.report(idDuplicate({ what: "steps or outputs", id: text, other: text }), node, {
    related: [{ range: owner.idRange, label: "the step" }],
  });
}
