import { isPlaceOf } from "../../runs/step-place.ts";
import type { OrderedStep } from "../../workflow/shapes/shape.ts";

/** Which successful steps of the earlier run a rerun may take over. */
export type RerunChoice =
  /** None: all is carried out again. */
  | { readonly kind: "all" }
  /** All. */
  | { readonly kind: "failed" }
  /** All but this one and what depends on it. */
  | { readonly kind: "from"; readonly step: string }
  /** All but this one. */
  | { readonly kind: "only"; readonly step: string }
  /** All iterations before this one, counted from 0, whatever they came to. */
  | { readonly kind: "iteration"; readonly from: number };

/** The iteration that a place in a run is; undefined for any other place. */
export function iterationAt(path: string): number | undefined {
  const [, index] = /^iteration\[(\d+)\]$/.exec(path) ?? [];
  return index === undefined ? undefined : Number(index);
}

/** Why a step is carried out again whatever it came to; undefined when it may be taken over. */
export function whyAgain(
  ordered: readonly OrderedStep[],
  choice: RerunChoice,
): (path: string) => string | undefined {
  if (choice.kind === "failed") return () => undefined;
  if (choice.kind === "all") return () => "all steps are carried out again";
  if (choice.kind === "iteration") {
    const { from } = choice;
    return (path) => ((iterationAt(path) ?? from) < from ? undefined : `--from ${from}`);
  }
  const { kind, step } = choice;
  const after = kind === "from" ? dependentsOf(ordered, step) : [];
  return (path) => {
    if (isPlaceOf(path, step)) return `--${kind} ${step}`;
    return after.some((id) => isPlaceOf(path, id)) ? `depends on ${step}` : undefined;
  };
}

/** Ids of the steps that a step comes before, directly or through others. */
export function dependentsOf(ordered: readonly OrderedStep[], step: string): readonly string[] {
  const found = new Set([step]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { id, dependsOn } of ordered)
      if (dependsOn.some((each) => found.has(each))) found.add(id);
  }
  found.delete(step);
  return [...found];
}
