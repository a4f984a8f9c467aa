import type { AgentAbove } from "../../host/agent-above.ts";
import type { Machine } from "../machine/machine.ts";
import { readState } from "../runs/run-lookup.ts";

/**
 * Who may use a command or a function of the library (SEC-3).
 *
 * `reads`: anybody. It decides nothing and changes no run; what it writes are files that its caller could write.
 *
 * `own-run`: anybody, for it works in a run that is the caller's: one that it starts and carries out itself, or the
 * one whose token it holds.
 *
 * `person`: nobody who stands below an agent, but for runs that were started below the same agent.
 */
export type Authority = "reads" | "own-run" | "person";

/**
 * Whether a run is the own one of whatever stands above: started below the same program, or kept by this process
 * alone. Raises RUN_NOT_FOUND and STORE_* errors.
 */
export function isStartedBelow(
  { keepsFiles, store }: Pick<Machine, "keepsFiles" | "store">,
  run: string,
  { family, unknownLimit }: AgentAbove,
): boolean {
  if (!keepsFiles) return true;
  // Programs of different runs can lower their limits to the same number.
  return unknownLimit === undefined && readState(store, run).run.startedBelow === family;
}
