import type { Invocation } from "../command.ts";
import { controlByAgent } from "../errors.ts";

/**
 * Agents of a run start nothing that outlives it and end nothing of others. Raises USAGE_CONTROL_BY_AGENT.
 */
export function assertNoAgent(command: string, { io }: Pick<Invocation, "io">): void {
  const run = io.env["TROUPE_RUN"];
  if (run !== undefined && run !== "") throw controlByAgent({ command, run });
}
