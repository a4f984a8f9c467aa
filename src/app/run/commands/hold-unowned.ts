import type { Journal } from "../../../contracts/ports/store.ts";
import { takeOwnership } from "../../../engine/embedded/ownership.ts";
import type { Machine } from "../../machine/machine.ts";
import { controlSocketPath } from "../../machine/place/project.ts";

/** A run that nobody carries out, in the hands of this process for as long as a command takes. */
export interface HeldRun {
  readonly journal: Journal;
  readonly epoch: number;
  /** Lets go of it and closes its journal. */
  release(): void;
}

/** Takes a run that nobody owns. Raises RUN_NOT_FOUND, RUN_FOREIGN, ENGINE_RUN_OWNED. */
export async function holdUnowned(machine: Machine, run: string): Promise<HeldRun> {
  const { clock, identity, project, env, table, command } = machine;
  const { pid, startedAt: pidStartedAt, bootId } = identity;
  const journal = machine.store.open(run, "write");
  try {
    const socketPath = controlSocketPath(project, run, env);
    const claim = { pid, pidStartedAt, bootId, socketPath, command };
    const ownership = await takeOwnership({ journal, claim, timers: clock, table });
    const release = () => {
      ownership.release();
      journal.close();
    };
    return { journal, epoch: ownership.epoch, release };
  } catch (error) {
    journal.close();
    throw error;
  }
}
