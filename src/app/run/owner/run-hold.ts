import { join } from "node:path";
import type { AccountLedger, AccountRecord } from "../../../contracts/accounts.ts";
import type { ContextDoor } from "../../../contracts/context-access.ts";
import type { NameClaim } from "../../../contracts/ports/pattern.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import {
  type CommandTaker,
  type ControlServer,
  startControlServer,
} from "../../../control/server.ts";
import type { Ownership } from "../../../engine/ports.ts";
import { delay } from "../../../foundation/abort.ts";
import { cleanUpAll } from "../../../foundation/clean-up-all.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { type Claim, type ClaimRequest, takeClaim } from "../../../host/exclusive-claim.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { openHostAccounts } from "../../../host/host-accounts.ts";
import { type HostSlots, openHostSlots } from "../../../host/host-slots.ts";
import { OWNER_TTL_MS } from "../../../host/owner-beats.ts";
import type { ContextServer } from "../../../mcp/context-server.ts";
import type { Machine } from "../../machine/machine.ts";
import { ownJournal } from "../../machine/own-journal.ts";
import { stateUnwritable } from "../../machine/place/errors.ts";
import {
  contextSocketPath,
  controlSocketPath,
  stateDirectory,
} from "../../machine/place/project.ts";
import { VERSION } from "../../machine/place/version.ts";
import type { RunIdentity } from "../../workflow/shapes/shape.ts";
import { instanceRunning, nameTaken } from "./errors.ts";
import { createRefusalCount } from "./refusal-count.ts";

const CLAIM_LOOK_MS = 250;

/** The run that has what another one wants. */
interface OtherClaim {
  readonly run: string;
  readonly pid: number;
  /** Where its process is, if not here. */
  readonly where: string | undefined;
}

/**
 * What this process holds of a run beside its program: the lease, the sockets, shared places, processes, the
 * open journal. Ends them in the order in which others may rely on them: the sockets are gone before the lease
 * is free, because whoever takes the run next listens at the same paths.
 */
export class RunHold {
  /** What came to the doors of the run and was turned away. */
  readonly refusals = createRefusalCount();
  readonly #machine: Machine;
  readonly #journal: Journal;
  readonly #host: ProcessHost;
  #lease: Ownership | undefined;
  #server: ControlServer | undefined;
  #contextServer: Promise<ContextServer> | undefined;
  #slots: HostSlots | undefined;
  #accounts: AccountLedger | undefined;
  readonly #claims: Extract<Claim, { status: "taken" }>[] = [];
  #releasing: Promise<void> | undefined;

  constructor(machine: Machine, journal: Journal, host: ProcessHost) {
    this.#machine = machine;
    this.#journal = journal;
    this.#host = host;
  }

  /** Takes the lease. Raises ENGINE_RUN_OWNED and STORE_* errors. */
  async take(): Promise<Ownership> {
    const { clock, keepsFiles } = this.#machine;
    // What lives in this process is taken by nobody else: there is nothing to renew.
    const timers = keepsFiles ? clock : { ...clock, startTimer: () => ({ cancel: () => {} }) };
    const lease = await ownJournal(this.#machine, this.#journal, timers);
    this.#lease = lease;
    return {
      epoch: lease.epoch,
      onLost: (listener) => lease.onLost(listener),
      // Awaited by `close`, which reports what failed.
      release: () => void this.#release().catch(() => {}),
    };
  }

  /** Keeps other runs of the same workflow and instance out. Raises WORKFLOW_INSTANCE_RUNNING, RUN_STATE_UNWRITABLE. */
  async claimInstance({
    workflow,
    instance,
  }: Pick<RunIdentity, "workflow" | "instance">): Promise<void> {
    const other = await this.#claim([workflow, instance]);
    if (other !== undefined) throw instanceRunning({ workflow, instance, ...other });
  }

  /** Keeps other runs of the project out that would have a name of this one. Raises WORKFLOW_NAME_TAKEN, RUN_STATE_UNWRITABLE. */
  async claimName({ what, name }: NameClaim): Promise<void> {
    const other = await this.#claim(["name", what, name]);
    if (other !== undefined) throw nameTaken({ what, name, ...other });
  }

  /** The other run that has it; undefined once this one has. Waits for a process elsewhere to show whether it lives. */
  async #claim(of: readonly string[]): Promise<OtherClaim | undefined> {
    const { clock } = this.#machine;
    const startMs = clock.monotonic();
    for (;;) {
      const other = this.#tryClaim(of);
      const isOver = clock.monotonic() - startMs > OWNER_TTL_MS + CLAIM_LOOK_MS;
      if (other?.where === undefined || isOver) return other;
      await delay(clock, CLAIM_LOOK_MS, new AbortController().signal);
    }
  }

  #tryClaim(of: readonly string[]): OtherClaim | undefined {
    const { env, identity, table, project, keepsFiles, beats } = this.#machine;
    if (!keepsFiles) return undefined;
    const path = join(stateDirectory(env), "host.db");
    const name = JSON.stringify([project.runsDirectory, ...of]);
    const claim = this.#claimAt(path, { name, holder: this.#journal.run, identity, table, beats });
    if (claim.status === "held") return { run: claim.holder, pid: claim.pid, where: claim.where };
    this.#claims.push(claim);
    return undefined;
  }

  #claimAt(path: string, request: Omit<ClaimRequest, "path">): Claim {
    try {
      return takeClaim({ path, ...request });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw stateUnwritable({ path, problem }, { cause: error });
    }
  }

  /** Listens for commands. Raises RUN_SOCKET_UNUSABLE. */
  async listen(take: CommandTaker): Promise<void> {
    if (this.#machine.keepsFiles && this.#releasing === undefined) {
      this.#server = await startControlServer(
        {
          path: this.#socketPath(),
          run: this.#journal.run,
          onInvalid: (error) =>
            this.refusals.add({ door: "commands", code: toErrorReport(error).code }),
          onRefusedCall: ({ family, ...call }) => {
            // Who does not know its run asks all that this process may carry out.
            if (family === undefined || this.#host.hasStarted(family))
              this.refusals.add({ door: "calls", ...call });
          },
        },
        take,
      );
    }
  }

  /**
   * The way in for processes of agents, which calls back before the first token exists; undefined in runs that
   * leave no files. Its `open` raises MCP_SOCKET_UNUSABLE.
   */
  contextDoor(onFirstToken: () => void): ContextDoor | undefined {
    if (!this.#machine.keepsFiles) return undefined;
    const { project, env } = this.#machine;
    const socketPath = contextSocketPath(project, this.#journal.run, env);
    return {
      open: async (visitor) => {
        // Loaded for the first agent that has use for it: most runs have none.
        this.#contextServer ??= import("../../../mcp/context-server.ts").then(
          ({ createContextServer }) =>
            createContextServer({
              socketPath,
              version: VERSION,
              onRefused: (refused) => this.refusals.add(refused),
            }),
        );
        onFirstToken();
        return (await this.#contextServer).open(visitor);
      },
    };
  }

  /** The places that all runs of this machine share; undefined when their number is not limited. */
  shareSlots(places: number | undefined): HostSlots | undefined {
    if (places === undefined) return undefined;
    const { env, identity, table, clock, beats } = this.#machine;
    const path = join(stateDirectory(env), "host.db");
    this.#slots = openHostSlots({ path, places, identity, table, clock, beats });
    return this.#slots;
  }

  /** The accounts that all runs of this user share; runs that leave no files have theirs for themselves. */
  accounts(): AccountLedger {
    const { env, identity, table, keepsFiles, beats } = this.#machine;
    const path = join(stateDirectory(env), "host.db");
    this.#accounts ??= keepsFiles
      ? openHostAccounts({ path, identity, table, beats })
      : createMemoryLedger();
    return this.#accounts;
  }

  /** Ends everything, each part also when another one fails. Idempotent. Rejects with an AggregateError. */
  async close(): Promise<void> {
    await cleanUpAll([
      () => this.#release(),
      ...this.#claims.splice(0).map((claim) => () => claim.release()),
      () => this.#closeShared(),
      () => this.#host.close(),
      () => this.#journal.close(),
    ]);
  }

  #closeShared(): Promise<void> {
    const [slots, accounts] = [this.#slots, this.#accounts];
    this.#slots = undefined;
    // What ends later than everything else has nobody left to tell.
    this.#accounts = createMemoryLedger();
    return cleanUpAll([() => slots?.close(), () => accounts?.close()]);
  }

  #release(): Promise<void> {
    this.#releasing ??= cleanUpAll([
      () => this.#server?.close(),
      async () => (await this.#contextServer)?.close(),
      () => this.#lease?.release(),
    ]);
    return this.#releasing;
  }

  #socketPath(): string {
    return controlSocketPath(this.#machine.project, this.#journal.run, this.#machine.env);
  }
}

/** A ledger for whoever holds it: runs that leave no files share their accounts with nobody. */
export function createMemoryLedger(): AccountLedger {
  const records = new Map<string, AccountRecord>();
  return {
    update: (account, change) => {
      const { record, result } = change(records.get(account) ?? { pace: undefined, turns: [] });
      records.set(account, record);
      return result;
    },
    close: () => records.clear(),
  };
}
