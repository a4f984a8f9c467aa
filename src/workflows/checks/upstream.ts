import type { CheckContext } from "./check-context.ts";
import type { LocatedItem } from "./file-view.ts";
import { textsAt } from "./file-view.ts";

/** Says which steps are certainly over when a step starts. */
export interface Upstream {
  isBefore(earlier: string, step: LocatedItem): boolean;
}

/** The order that a pattern gives to the steps of a file. Barriers end no step, so nothing is passed through them. */
export function createUpstream({ view, pattern }: CheckContext): Upstream {
  const steps = new Map(view.steps.map((step, index) => [step.id, { step, index }]));
  const positions = new Map(view.steps.map((step, index) => [step, index]));
  const known = new Map<LocatedItem, ReadonlySet<string>>();
  const ancestors = (step: LocatedItem): ReadonlySet<string> => {
    const found = new Set<string>();
    const waiting = [step];
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      for (const { text } of textsAt(item.node, "dependsOn")) {
        const earlier = steps.get(text);
        if (earlier === undefined || found.has(text)) continue;
        found.add(text);
        waiting.push(earlier.step);
      }
    }
    return found;
  };
  return {
    isBefore: (earlier, step) => {
      if (pattern?.order === "none") return false;
      if (pattern?.order === "list")
        return (steps.get(earlier)?.index ?? Infinity) < (positions.get(step) ?? -1);
      const before = known.get(step) ?? ancestors(step);
      known.set(step, before);
      return before.has(earlier);
    },
  };
}
