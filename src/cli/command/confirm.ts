import { askLine } from "../terminal/ask-line.ts";
import type { Invocation } from "./command.ts";
import { usageInvalid } from "./errors.ts";

/** What is asked, and what to do where nobody can be asked. */
export interface Confirmation {
  /** Ends with a question mark. */
  readonly question: string;
  readonly withoutTerminal: string;
}

/** Whether the person agrees; `--yes` agrees for her. Raises USAGE_INVALID where nobody can be asked. */
export async function confirm(
  { question, withoutTerminal }: Confirmation,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): Promise<boolean> {
  if (settings.saysYes) return true;
  if (!settings.mayAsk)
    throw usageInvalid({
      problem: "this needs a confirmation, and nobody can be asked here",
      hint: withoutTerminal,
    });
  const line = await askLine(io, `${question} [y/N] `);
  return /^(y|yes)$/i.test(line?.trim() ?? "");
}
