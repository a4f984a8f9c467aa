import type { RunEnded } from "../contracts/events/run-events.ts";
import { withoutFailure } from "../contracts/failure.ts";
import type { ProgramResult } from "../contracts/ports/program.ts";
import { OUTCOME_EXIT_CODES, type Outcome } from "../contracts/run.ts";
import type { RunState } from "../fold/state/run-state.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";

/** How a program came to its end: it returned, or it threw. */
export type ProgramEnd =
  | { readonly status: "returned"; readonly result: ProgramResult }
  | { readonly status: "threw"; readonly error: ErrorReport };

/** What every last event says of its run. */
interface EndParts {
  readonly durationMs: number;
  readonly result: Json;
}

/** Makes them, for a program that returned this, or was cut short. */
export type ToEndParts = (result: ProgramResult | undefined) => EndParts;

/** The last event of a run whose program has ended; a requested cancellation decides whatever it returned. */
export function endOfProgram(state: RunState, end: ProgramEnd, toEndParts: ToEndParts): RunEnded {
  const parts = toEndParts(end.status === "returned" ? end.result : undefined);
  const { cancellation } = state;
  if (cancellation !== undefined) {
    return endWith("cancelled", cancellation.reason, { ...parts, resumable: false });
  }
  if (end.status === "returned") {
    const { outcome, reason, error } = end.result;
    return {
      ...endWith(outcome, reason, { ...parts, resumable: false }),
      ...present({ error: error === undefined ? undefined : withoutFailure(error) }),
    };
  }
  return {
    ...endWith("failed", end.error.message, { ...parts, resumable: false }),
    error: withoutFailure(end.error),
  };
}

/** The last event of a run that reached its own deadline: its operations stay open for a longer one. */
export function endOfTime(timeoutMs: number, parts: EndParts): RunEnded {
  return endWith("timed-out", `not done within ${timeoutMs} ms of running time`, {
    ...parts,
    resumable: true,
  });
}

/** The last event of a run that reached one of its limits: its operations stay open for a higher one. */
export function endAtLimit(error: ErrorReport, parts: EndParts): RunEnded {
  return { ...endWith("limit-reached", error.message, { ...parts, resumable: true }), error };
}

function endWith(
  outcome: Outcome,
  reason: string,
  parts: EndParts & { readonly resumable: boolean },
): RunEnded {
  return { type: "run-ended", outcome, reason, exitCode: OUTCOME_EXIT_CODES[outcome], ...parts };
}
