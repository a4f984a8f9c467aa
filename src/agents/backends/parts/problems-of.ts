import type { BackendProblem } from "../../../contracts/backend.ts";
import { TroupeError } from "../../../foundation/errors.ts";

/** The TroupeError that a check raises, as a problem; none when it raises nothing. */
export async function problemsOf(check: () => unknown): Promise<readonly BackendProblem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const { message, hint } = error;
    return [hint === undefined ? { message } : { message, hint }];
  }
}
