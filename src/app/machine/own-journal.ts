import type { Journal } from "../../contracts/ports/store.ts";
import { takeOwnership } from "../../engine/embedded/ownership.ts";
import type { Ownership, Timers } from "../../engine/ports.ts";
import type { Machine } from "./machine.ts";
import { controlSocketPath } from "./place/project.ts";

/**
 * Takes the lease of a run for this process. Waits for an owner on another host or in another container until its lease has
 * lapsed. Raises ENGINE_RUN_OWNED, ENGINE_OWNER_FROZEN and STORE_* errors.
 */
export function ownJournal(
  machine: Machine,
  journal: Journal,
  timers: Timers = machine.clock,
): Promise<Ownership> {
  const { identity, command, project, env, table, onWait } = machine;
  const { pid, startedAt: pidStartedAt, bootId, host } = identity;
  const socketPath = controlSocketPath(project, journal.run, env);
  const claim = { pid, pidStartedAt, bootId, host, socketPath, command };
  return takeOwnership({ journal, claim, timers, table, onWait });
}
