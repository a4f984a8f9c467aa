import type { Context } from "../../contracts/ports/context.ts";
import type { RouteTest } from "../../contracts/ports/pattern.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { routeBroken } from "../errors.ts";
import type { Route } from "../primitives/handoffs.ts";

// Asks the functions of routes where a task goes on. Every answer is an operation, so that a resume does not decide anew.

/** Where a task goes on: to the first route whose function wants the text; undefined when none does. */
export async function routeOf(
  context: Context,
  routes: readonly Route[],
  { tests, text }: { readonly tests: readonly RouteTest[]; readonly text: string },
): Promise<Route | undefined> {
  for (const route of routes) {
    const { test: name } = route;
    if (name === undefined) continue;
    if (await context.step(`route-${name}`, () => answerOf(name, tests, text))) return route;
  }
  return undefined;
}

async function answerOf(name: string, tests: readonly RouteTest[], text: string): Promise<boolean> {
  const known = tests.find((candidate) => candidate.name === name);
  if (known === undefined) throw routeBroken({ route: name, problem: "it is not here" });
  const answer = await asked(known, text);
  if (typeof answer === "boolean") return answer;
  throw routeBroken({ route: name, problem: "what it returned is neither true nor false" });
}

async function asked(known: RouteTest, text: string): Promise<unknown> {
  try {
    return await known.test(text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw routeBroken({ route: known.name, problem }, { cause });
  }
}

/** Whether an error is that of a function of a route: it ends the run, and not the turn alone. */
export function isOfRoute(error: unknown): error is TroupeError {
  return error instanceof TroupeError && error.code === routeBroken.code;
}
