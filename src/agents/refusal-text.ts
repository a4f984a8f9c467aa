import { toErrorReport } from "../foundation/errors.ts";

/** What an agent is told when a tool refuses: the code, what happened, and what to do. */
export function refusalText(error: unknown): string {
  const { code, message, hint } = toErrorReport(error);
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}
