import type { PatternFunctionName, PatternFunctions } from "../../contracts/pattern-functions.ts";
import type { Context, StepCall } from "../../contracts/ports/context.ts";
import { type Json, toJson } from "../../foundation/json.ts";
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

/** The same question about each of some things. */
interface Questions<Name extends PatternFunctionName, Item, Answer extends Json>
  extends Omit<Question<Name, Answer>, "ask"> {
  readonly ask: (given: NonNullable<PatternFunctions[Name]>, item: Item) => unknown;
}

/** Asks a function that decides in a pattern, as an operation: a resume does not decide anew. Raises PATTERN_FUNCTION_BROKEN. */
export function askFunction<Name extends PatternFunctionName, Answer extends Json>(
  context: Context,
  question: Question<Name, Answer>,
): Promise<Answer> {
  return context.step(question.name, ({ functions }) => answerTo(question, functions));
}

/** Asks about one after the other, in one operation; about nothing, nobody is asked. Raises PATTERN_FUNCTION_BROKEN. */
export async function askEach<Name extends PatternFunctionName, Item, Answer extends Json>(
  context: Context,
  items: readonly Item[],
  { ask, ...question }: Questions<Name, Item, Answer>,
): Promise<readonly Answer[]> {
  if (items.length === 0) return [];
  return context.step(
    question.name,
    async ({ functions }) => {
      const answers: Answer[] = [];
      for (const item of items)
        answers.push(await answerTo({ ...question, ask: (given) => ask(given, item) }, functions));
      return answers;
    },
    { given: () => toJson(items, "what a function is asked about") },
  );
}

async function answerTo<Name extends PatternFunctionName, Answer extends Json>(
  { name, ask, read, expected }: Question<Name, Answer>,
  functions: StepCall["functions"],
): Promise<Answer> {
  const given = functions[name];
  if (given === undefined) throw functionBroken({ name, problem: "it is not here" });
  const answer = read(await calledWith(name, () => ask(given)));
  if (answer !== undefined) return answer;
  throw functionBroken({ name, problem: `what it returned is not ${expected}` });
}

async function calledWith(name: string, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw functionBroken({ name, problem }, { cause });
  }
}
