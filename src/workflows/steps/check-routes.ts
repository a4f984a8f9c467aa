import { findCycles } from "../checks/check-order.ts";
import { unknownStep } from "../checks/errors.ts";
import { type LocatedText, MAX_NEAR_NAMES, textAt } from "../checks/file-view.ts";
import { entryOf } from "../source/source-node.ts";
import { endlessCycle, routeIntoStep, stepUnreachable } from "./errors.ts";
import { type StepsView, type StepView, settingsOf, stepLabel, topOf } from "./step-view.ts";
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

/** A key of a step that says where it goes on. */
interface LocatedRoute {
  readonly key: string;
  readonly target: LocatedText;
}

/** Where a step says that it goes on. */
function routesOf(step: StepView): readonly LocatedRoute[] {
  const keys = [...(step.kind?.keys.routes ?? []), ...Object.keys(routesInSettings(step))];
  return keys.flatMap((key) => {
    const target = textAt(step.node, key);
    return target === undefined ? [] : [{ key, target }];
  });
}

/** Steps to go on with that stand in settings of the type. */
export function routesInSettings(step: StepView): { readonly [key: string]: string } {
  const settings = settingsOf(step);
  return settings === undefined ? {} : (step.kind?.type.routesIn?.(settings) ?? {});
}

/** Where each step of the list at the top may go on, by id; what is named and not there is left out. */
export type Ways = ReadonlyMap<string, readonly string[]>;

/** The ways of a file. Of steps with the same id the first one counts. */
export function waysOf({ top }: StepsView): Ways {
  const ids = new Set(top.flatMap(({ id }) => id ?? []));
  const ways = new Map<string, readonly string[]>();
  for (const step of top) {
    if (step.id === undefined || ways.has(step.id)) continue;
    const targets = routesOf(step).map(({ target }) => target.text);
    ways.set(step.id, [...new Set(targets.filter((target) => ids.has(target)))]);
  }
  return ways;
}

/** Every step that is come to from these, themselves included. */
function reachedFrom(starts: Iterable<string>, ways: Ways): ReadonlySet<string> {
  const reached = new Set(starts);
  // A set takes in what is added while it is gone through.
  for (const id of reached) for (const target of ways.get(id) ?? []) reached.add(target);
  return reached;
}
