import { TroupeError } from "../../../foundation/errors.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { foundText } from "./mismatch.ts";
import { type CountBound, missedBound } from "./value-rules.ts";
import { EvaluationExceeded } from "./work-limit.ts";

// What a unit of work is made of.
const CHARS_PER_UNIT = 16;
const STATES_PER_UNIT = 8;

/** Keywords of texts. */
export const textRules: NamedRules = [
  ["minLength", (application, least) => checkLength(application, { least })],
  ["maxLength", (application, most) => checkLength(application, { most })],
  [
    "pattern",
    (application, pattern) => {
      const { value } = application.place;
      if (typeof value !== "string" || typeof pattern !== "string") return true;
      if (matches(application, pattern, value)) return true;
      return application.fail(
        () => `expected a text that matches ${pattern}, found ${foundText(value)}`,
      );
    },
  ],
];

/** Whether a pattern is found in a text. Raises EvaluationExceeded. */
export function matches({ evaluation }: Application, pattern: string, text: string): boolean {
  const regex = evaluation.pattern(pattern);
  evaluation.limit.spend(1 + (text.length * regex.size) / STATES_PER_UNIT);
  try {
    return regex.isFoundIn(text);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    throw new EvaluationExceeded(error.message, { cause: error });
  }
}

function checkLength(application: Application, bound: CountBound): boolean {
  const { value } = application.place;
  if (typeof value !== "string") return true;
  application.evaluation.limit.spend(value.length / CHARS_PER_UNIT);
  const length = codePoints(value);
  const missed = missedBound(length, bound);
  if (missed === undefined) return true;
  return application.fail(`expected a text of ${missed} characters, found ${length}`);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
