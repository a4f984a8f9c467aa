import { join } from "node:path";
import type { Journal } from "../contracts/store.ts";
import { type CommandTaker, type ControlServer, startControlServer } from "../control/server.ts";
import { takeOwnership } from "../engine/embedded/ownership.ts";
import type { Ownership } from "../engine/ports.ts";
import type { ProcessHost } from "../host/host.ts";
import { type HostSlots, openHostSlots } from "../host/host-slots.ts";
import type { Machine } from "./machine.ts";
import { controlSocketPath, stateDirectory } from "./project.ts";

/**
 * What this process holds of a run beside its program: the lease, the socket, shared places, processes, the
 * open journal. Ends them in the order in which others may rely on them: the socket is gone before the lease
 * is free, because whoever takes the run next listens at the same path.
 */
export class RunHold {
  readonly #machine: Machine;
  readonly #journal: Journal;
  readonly #host: ProcessHost;
  #lease: Ownership | undefined;
  #server: ControlServer | undefined;
  #slots: HostSlots | undefined;
  #releasing: Promise<void> | undefined;

  constructor(machine: Machine, journal: Journal, host: ProcessHost) {
    this.#machine = machine;
    this.#journal = journal;
    this.#host = host;
  }

  /** Takes the lease. Raises ENGINE_RUN_OWNED and STORE_* errors. */
  async take(): Promise<Ownership> {
    const { clock, table, identity, command } = this.#machine;
    const { pid, startedAt, bootId } = identity;
    const claim = { pid, pidStartedAt: startedAt, bootId, socketPath: this.#socketPath(), command };
    const lease = await takeOwnership({ journal: this.#journal, claim, timers: clock, table });
    this.#lease = lease;
    return {
      epoch: lease.epoch,
      onLost: (listener) => lease.onLost(listener),
      release: () => void this.#release(), // awaited by `close`
    };
  }

  /** Listens for commands. Raises RUN_SOCKET_UNUSABLE. */
  async listen(take: CommandTaker): Promise<void> {
    if (this.#machine.keepsFiles && this.#releasing === undefined) {
      this.#server = await startControlServer(this.#socketPath(), take);
    }
  }

  /** The places that all runs of this machine share; undefined when their number is not limited. */
  shareSlots(places: number | undefined): HostSlots | undefined {
    if (places === undefined) return undefined;
    const { env, identity, table, clock } = this.#machine;
    const path = join(stateDirectory(env), "host.db");
    this.#slots = openHostSlots({ path, places, identity, table, clock });
    return this.#slots;
  }

  /** Ends everything. Idempotent. */
  async close(): Promise<void> {
    await this.#release();
    this.#slots?.close();
    this.#slots = undefined;
    await this.#host.close();
    this.#journal.close();
  }

  #release(): Promise<void> {
    this.#releasing ??= (async () => {
      await this.#server?.close();
      this.#lease?.release();
    })();
    return this.#releasing;
  }

  #socketPath(): string {
    return controlSocketPath(this.#machine.project, this.#journal.run, this.#machine.env);
  }
}
