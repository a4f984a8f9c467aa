import type { JournalEvent } from "../../../contracts/events/event.ts";
import { startControlServer } from "../../../control/server.ts";
import { takeOwnership } from "../../../engine/embedded/ownership.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { controlSocketPath } from "../../machine/place/project.ts";

/** A run that nobody else can carry out or command. */
export interface KeptRun {
  events(): Iterable<JournalEvent>;
  /** Idempotent. */
  letGo(): Promise<void>;
}

/**
 * Takes the lease of a run without carrying it out; whoever commands it meanwhile gets the `refusal`. Raises
 * ENGINE_RUN_OWNED, RUN_SOCKET_UNUSABLE and STORE_* errors.
 */
export async function keepRun(
  machine: Machine,
  run: string,
  refusal: () => TroupeError,
): Promise<KeptRun> {
  const { clock, command, table, project, env } = machine;
  const { pid, startedAt: pidStartedAt, bootId } = machine.identity;
  const socketPath = controlSocketPath(project, run, env);
  const journal = machine.store.open(run, "write");
  const endings: (() => void | Promise<void>)[] = [() => journal.close()];
  let ending: Promise<void> | undefined;
  const letGo = () => {
    ending ??= (async () => {
      for (const end of endings.toReversed()) await end();
    })();
    return ending;
  };
  try {
    const claim = { pid, pidStartedAt, bootId, socketPath, command };
    const lease = await takeOwnership({ journal, claim, timers: clock, table });
    endings.push(() => lease.release());
    const server = await startControlServer({ path: socketPath, run }, async () => {
      throw refusal();
    });
    endings.push(() => server.close());
    return { events: () => journal.read(), letGo };
  } catch (error) {
    await letGo();
    throw error;
  }
}
