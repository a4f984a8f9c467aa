import { isRecord } from "../../../foundation/json.ts";
import type { SchemaObject } from "../parts/schema-parts.ts";
import { arrayRules } from "./array-rules.ts";
import type {
  Application,
  AppliedSchema,
  Evaluation,
  NamedRules,
  Seen,
  Standing,
} from "./evaluation.ts";
import { logicRules, referenceRules, unevaluatedRules } from "./logic-rules.ts";
import { foundText } from "./mismatch.ts";
import { objectRules } from "./object-rules.ts";
import { type DataPlace, pathOf } from "./place.ts";
import { textRules } from "./text-rules.ts";
import { numberRules, valueRules } from "./value-rules.ts";
import { EvaluationExceeded } from "./work-limit.ts";

/** In the order in which they are evaluated: what is told first helps most, and some need what others have seen. */
const RULES: NamedRules = [
  ...[valueRules, numberRules, textRules, arrayRules, objectRules].flat(),
  ...[referenceRules, logicRules, unevaluatedRules].flat(),
];
// A schema that goes on into itself at every level of the data takes three.
const MAX_DEPTH = 600;
// Nobody adds to it: what is seen is noted only where a schema asks for it.
const NEVER_SEEN: Seen = { names: new Set(), items: new Set() };

/** One schema at one place, and how the way led there. */
export interface SchemaAtPlace {
  readonly evaluation: Evaluation;
  readonly schema: unknown;
  readonly place: DataPlace;
  readonly standing: Standing;
}

/** Whether a value fits a schema. Raises EvaluationExceeded. */
export function evaluateSchema(at: SchemaAtPlace): boolean {
  return evaluate({ ...at, seen: noneSeen(at.evaluation) });
}

interface Step extends SchemaAtPlace {
  readonly seen: Seen;
}

function evaluate({ evaluation, schema, place, standing, seen }: Step): boolean {
  evaluation.limit.spend(1);
  if (standing.depth > MAX_DEPTH) throw new EvaluationExceeded("it is nested too deeply to check");
  const { mismatches } = standing;
  if (!isRecord(schema)) {
    if (schema === true) return true;
    mismatches?.add({
      path: pathOf(place),
      problem: `is not allowed, found ${foundText(place.value)}`,
    });
    return false;
  }
  const entered = enter(evaluation, schema, standing);
  const application: Application = {
    ...{ evaluation, schema, place, seen, standing: entered },
    apply: (inner, request = {}) => applyInner(application, inner, request),
    fail: (problem) => {
      if (mismatches !== undefined && !mismatches.isFull)
        mismatches.add({
          path: pathOf(place),
          problem: typeof problem === "string" ? problem : problem(),
        });
      return false;
    },
  };
  return holdsAll(application);
}

function holdsAll(application: Application): boolean {
  const { schema, standing, evaluation } = application;
  let fits = true;
  for (const [keyword, rule] of rulesFor(evaluation, schema)) {
    evaluation.limit.spend(1);
    if (!rule(application, schema[keyword])) fits = false;
    // Further ones would change nothing that anybody is told.
    if (!fits && (standing.mismatches?.isFull ?? true)) return false;
  }
  return fits;
}

function rulesFor({ rules }: Evaluation, schema: SchemaObject): NamedRules {
  const known = rules.get(schema);
  if (known !== undefined) return known;
  const found = RULES.filter(([keyword]) => Object.hasOwn(schema, keyword));
  rules.set(schema, found);
  return found;
}

function applyInner(
  { evaluation, place, standing, seen }: Application,
  schema: unknown,
  request: AppliedSchema,
): boolean {
  const isBelow = request.place !== undefined;
  const inner = noneSeen(evaluation);
  const fits = evaluate({
    ...{ evaluation, schema, seen: inner },
    place: request.place ?? place,
    standing: {
      depth: standing.depth + 1,
      bases: withBase(standing.bases, request.base),
      mismatches: "mismatches" in request ? request.mismatches : standing.mismatches,
    },
  });
  if (fits && !isBelow && evaluation.notesSeen) {
    evaluation.limit.spend(inner.names.size + inner.items.size);
    for (const name of inner.names) seen.names.add(name);
    for (const item of inner.items) seen.items.add(item);
  }
  return fits;
}

function enter(evaluation: Evaluation, schema: SchemaObject, standing: Standing): Standing {
  const bases = withBase(standing.bases, evaluation.resources.baseOf(schema));
  return { ...standing, bases };
}

function withBase(bases: readonly string[], base: string | undefined): readonly string[] {
  return base === undefined || bases.at(-1) === base ? bases : [...bases, base];
}

function noneSeen({ notesSeen }: Evaluation): Seen {
  return notesSeen ? { names: new Set(), items: new Set() } : NEVER_SEEN;
}
