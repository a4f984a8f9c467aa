import type { PatternFunctionName, PatternFunctions } from "../../contracts/pattern-functions.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Json } from "../../foundation/json.ts";
import { functionBroken } from "../errors.ts";

/** One question to a function that was given in code. */
interface Question<Name extends PatternFunctionName, Answer extends Json> {
  readonly name: Name;
  /** Calls it. */
  readonly ask: (given: NonNullable<PatternFunctions[Name]>) => unknown;
  /** What it returned, as it is journaled; undefined when that is no answer. */
  readonly read: (answer: unknown) => Answer | undefined;
  /** What an answer is, in words. */
  readonly expected: string;
}

/** Asks a function that decides in a pattern, as an operation: a resume does not decide anew. Raises PATTERN_FUNCTION_BROKEN. */
export function askFunction<Name extends PatternFunctionName, Answer extends Json>(
  context: Context,
  { name, ask, read, expected }: Question<Name, Answer>,
): Promise<Answer> {
  return context.step(name, async ({ functions }) => {
    const given = functions[name];
    if (given === undefined) throw functionBroken({ name, problem: "it is not here" });
    const said = await calledWith(name, () => ask(given));
    const answer = read(said);
    if (answer !== undefined) return answer;
    throw functionBroken({ name, problem: `what it returned is not ${expected}` });
  });
}

async function calledWith(name: string, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw functionBroken({ name, problem }, { cause });
  }
}
