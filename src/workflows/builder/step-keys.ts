import type { StepType } from "../../contracts/ports/step-type.ts";
import { isRecord } from "../../foundation/json.ts";
import { stepKeysOf } from "../schema/step-keys.ts";
import { memberSchemasOf, spellMembers } from "./spell-keys.ts";
import type { Written } from "./workflow-sketch.ts";

/** Step types by name. */
export type StepTypes = ReadonlyMap<unknown, StepType>;

/** Steps as a file lists them, from steps by their ids. */
export function listSteps(steps: Written, types: StepTypes): readonly Written[] {
  return Object.entries(steps).map(([id, step]) => ({
    id,
    ...fileStep(isRecord(step) ? step : {}, types),
  }));
}

/** Steps by their ids, from those that a file lists. */
export function keySteps(steps: readonly unknown[], types: StepTypes): { [id: string]: Written } {
  return Object.fromEntries(
    steps.filter(isRecord).map(({ id, ...step }) => [String(id), codeStep(step, types)]),
  );
}

function fileStep(step: Written, types: StepTypes): Written {
  const { type, members, nesting } = partsOf(step, types);
  const spelt = spellMembers(step, members, "file");
  if (type === undefined) return spelt;
  return mapNested(spelt, nesting, (key, nested) => {
    if (key === "steps") return isRecord(nested) ? listSteps(nested, types) : nested;
    return isRecord(nested) ? fileStep(nested, types) : nested;
  });
}

function codeStep(step: Written, types: StepTypes): Written {
  const { type, members, nesting } = partsOf(step, types);
  const spelt = spellMembers(step, members, "code");
  if (type === undefined) return spelt;
  return mapNested(spelt, nesting, (key, nested) => {
    if (key === "steps") return Array.isArray(nested) ? keySteps(nested, types) : nested;
    return isRecord(nested) ? codeStep(nested, types) : nested;
  });
}

interface StepParts {
  readonly type: StepType | undefined;
  /** Keys of all steps and of its type, but those for steps inside of it. */
  readonly members: { readonly [key: string]: unknown };
  readonly nesting: readonly string[];
}

function partsOf(step: Written, types: StepTypes): StepParts {
  const type = types.get(step["type"]);
  if (type === undefined) return { type, members: {}, nesting: [] };
  const { top, nesting } = stepKeysOf(type);
  const left: readonly string[] = nesting;
  const common = Object.entries(memberSchemasOf(top)).filter(([key]) => !left.includes(key));
  const members = { ...Object.fromEntries(common), ...memberSchemasOf(type.settings) };
  return { type, members, nesting };
}

function mapNested(
  step: Written,
  nesting: readonly string[],
  change: (key: string, nested: unknown) => unknown,
): Written {
  return Object.fromEntries(
    Object.entries(step).map(([key, value]) => [
      key,
      nesting.includes(key) ? change(key, value) : value,
    ]),
  );
}
