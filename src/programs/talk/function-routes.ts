import type { Context } from "../../contracts/ports/context.ts";
import type { RouteTest } from "../../contracts/ports/pattern.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { routeBroken } from "../errors.ts";
import type { Route } from "../primitives/handoffs.ts";

// Asks the functions of routes where a task goes on. Every answer is an operation, so that a resume does not decide anew.

/** The functions of a pattern's routes, asked once for each turn. */
export class FunctionRoutes {
  readonly #tests: readonly RouteTest[];
  #isAsked = false;
  #route: Route | undefined;
  #fault: TroupeError | undefined;

  constructor(tests: readonly RouteTest[]) {
    this.#tests = tests;
  }

  /** A turn begins: nobody has been asked. */
  begin(): void {
    this.#isAsked = false;
    this.#route = undefined;
  }

  /** Asks them in order what they say of a text; whether one has sent the task on, or has gone wrong. */
  async ask(context: Context, routes: readonly Route[], text: string): Promise<boolean> {
    if (!this.#isAsked) {
      this.#isAsked = true;
      try {
        this.#route = await this.#routeOf(context, routes, text);
      } catch (error) {
        if (!(error instanceof TroupeError) || error.code !== routeBroken.code) throw error;
        this.#fault = error;
      }
    }
    return this.#route !== undefined || this.#fault !== undefined;
  }

  /** Where the task goes on; undefined: nowhere. Throws HANDOFF_ROUTE_BROKEN: that ends the run, and not the turn alone. */
  chosen(): Route | undefined {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#route;
  }

  async #routeOf(
    context: Context,
    routes: readonly Route[],
    text: string,
  ): Promise<Route | undefined> {
    for (const route of routes) {
      const { test: name } = route;
      if (name === undefined) continue;
      const answer = () => answerOf(name, this.#tests, text);
      if (await context.step(`route-${name}`, answer)) return route;
    }
    return undefined;
  }
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
