import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { PROGRAM_OUTCOMES } from "../run.ts";
import type { Context } from "./context.ts";

/** How a program sees its own end. The engine adds the ends that it causes itself. */
export interface ProgramResult {
  readonly outcome: (typeof PROGRAM_OUTCOMES)[number];
  /** One line for people: `4 of 4 steps done`, `step "test" failed: exit 1`. */
  readonly reason: string;
  /** What the program itself learned; becomes `metadata` of the run's result. */
  readonly metadata: { readonly [key: string]: Json };
  /** What kept it from completing, where that is one error. */
  readonly error?: ErrorReport;
  /** What it was done for, where the program says so. */
  readonly output?: Json;
}

/** What a run executes: an async function over a context, found by its name after a crash. */
export interface Program<Definition = unknown> {
  /** `pattern/dag`; stored in the journal. */
  readonly name: string;
  run(context: Context, definition: Definition): Promise<ProgramResult>;
}
