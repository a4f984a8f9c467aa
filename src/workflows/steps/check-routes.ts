import { unknownStep } from "../checks/errors.ts";
import { MAX_NEAR_NAMES } from "../checks/file-view.ts";
import { findCycles } from "../checks/find-cycles.ts";
import { entryOf } from "../source/source-node.ts";
import { endlessCycle, routeIntoStep, stepUnreachable } from "./errors.ts";
import { reachedFrom, routesOf, type Ways, waysOf } from "./step-routes.ts";
import { type StepsView, type StepView, stepLabel, topOf } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Checks where steps go on: that it exists, that every step is come to, and that a way leads out of every cycle. */
export function checkRoutes(check: StepsCheck): void {
  checkTargets(check);
  const { view } = check;
  const ways = waysOf(view);
  const reached = reachedFrom(startsOf(view, ways), ways);
  checkReached(check, reached);
  checkCycles(check, ways, reached);
}

/** Whether steps that nothing leads to begin paths of their own. */
export function isParallel({ root }: StepsView): boolean {
  const node = entryOf(root, "parallel")?.node;
  return node?.kind === "scalar" && node.value === true;
}

function checkTargets({ view, report }: StepsCheck): void {
  const top = new Set(view.top.flatMap(({ id }) => id ?? []));
  const nested = new Map(
    view.all.flatMap((step) => (step.parent === undefined ? [] : [[step.id, step] as const])),
  );
  const known = [...top].slice(0, MAX_NEAR_NAMES);
  for (const step of view.top) {
    for (const { key, target } of routesOf(step)) {
      if (top.has(target.text)) continue;
      const who = `${key} of step "${stepLabel(step)}" leads to`;
      const inside = nested.get(target.text);
      const error =
        inside === undefined
          ? unknownStep({ who, step: target.text, known })
          : routeIntoStep({ who, step: target.text, around: stepLabel(topOf(inside)) });
      report(error, target.node);
    }
  }
}

function startsOf(view: StepsView, ways: Ways): readonly string[] {
  const [first] = ways.keys();
  const begin = first === undefined ? [] : [first];
  if (!isParallel(view)) return begin;
  const targets = new Set([...ways.values()].flat());
  const free = [...ways.keys()].filter((id) => !targets.has(id));
  return free.length === 0 ? begin : free;
}

function checkReached({ view, report }: StepsCheck, reached: ReadonlySet<string>): void {
  for (const { id, idRange } of view.top)
    if (id !== undefined && !reached.has(id))
      report(stepUnreachable({ step: id }), idRange, { severity: "warning" });
}

/** A way leads out of a step when it can be the last one: it goes nowhere, at least in one of the cases of its type. */
function checkCycles(check: StepsCheck, ways: Ways, reached: ReadonlySet<string>): void {
  const steps = new Map(check.view.top.map((step) => [step.id, step]));
  const back = new Map([...ways.keys()].map((id): [string, string[]] => [id, []]));
  for (const [id, targets] of ways) for (const target of targets) back.get(target)?.push(id);
  const last = [...ways.keys()].filter((id) => mayBeLast(steps.get(id)));
  const leadsOut = reachedFrom(last, back);
  const trapped = [...ways].filter(([id]) => reached.has(id) && !leadsOut.has(id));
  for (const cycle of findCycles(new Map(trapped))) {
    const [first = ""] = cycle;
    const range = steps.get(first)?.idRange ?? check.view.root;
    check.report(endlessCycle({ path: [...cycle, first] }), range, { severity: "warning" });
  }
}

function mayBeLast(step: StepView | undefined): boolean {
  if (step?.kind === undefined) return true;
  const { type } = step.kind;
  const written = new Set(routesOf(step).map(({ key }) => key));
  if (type.routes.length > 0) return type.routes.some((key) => !written.has(key));
  return !written.has("next");
}
