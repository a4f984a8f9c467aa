import type { PatternDefinition } from "../../contracts/definition.ts";

/** Which execution of which step a note is about. */
interface StepPlace {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
}

/** The place of a pattern's step in the run: below the step that carries out the pattern, where there is one. */
export function placeOf(
  { within }: Pick<PatternDefinition, "within">,
  step: string,
  execution: number,
): StepPlace {
  if (within === undefined) return { step, path: step, execution };
  return { step, path: `${within.path}/${step}`, execution: within.execution - 1 + execution };
}
