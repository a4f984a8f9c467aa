import { type LocatedText, textAt } from "../checks/file-view.ts";
import { type StepsView, type StepView, settingsOf } from "./step-view.ts";

/** A key of a step that says where it goes on. */
export interface LocatedRoute {
  readonly key: string;
  readonly target: LocatedText;
}

/** Where a step says that it goes on. */
export function routesOf(step: StepView): readonly LocatedRoute[] {
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
export function reachedFrom(starts: Iterable<string>, ways: Ways): ReadonlySet<string> {
  const reached = new Set(starts);
  // A set takes in what is added while it is gone through.
  for (const id of reached) for (const target of ways.get(id) ?? []) reached.add(target);
  return reached;
}
