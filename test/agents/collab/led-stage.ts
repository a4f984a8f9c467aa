import type { AgentBackend, TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { CuttableStore } from "../../../src/testing/journal-cuts.ts";
import type { ManualClock } from "../../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  type AgentsRunOptions,
  agent,
  playedBackend,
  runAgents,
} from "../agents-run.ts";

/** A turn that the case ends. */
interface HeldTurn {
  readonly request: TurnRequest;
  end(update: TurnUpdate): void;
}

/** What differs between cases. */
interface StageOptions extends Pick<AgentsRunOptions, "spawnLimits"> {
  readonly backend?: Partial<AgentBackend>;
}

/** The run that a case leads, in one life of its owner: a lead that spawns, and turns that last until the case ends them. */
export class LedStage {
  readonly turns = new Map<string, HeldTurn>();
  readonly run: AgentsRun;
  readonly store: CuttableStore;

  constructor(
    store: CuttableStore,
    clock: ManualClock,
    { backend: changes, ...options }: StageOptions,
  ) {
    this.store = store;
    const { turns } = this;
    const backend = playedBackend(async function* (request) {
      const { promise, resolve } = Promise.withResolvers<TurnUpdate>();
      const turn = { request, end: resolve };
      turns.set(request.agent, turn);
      const cut = () => resolve({ type: "stop", reason: "cancelled" });
      request.signal.addEventListener("abort", cut, { once: true });
      const update = await promise;
      if (turns.get(request.agent) === turn) turns.delete(request.agent);
      yield update;
    }, changes);
    this.run = runAgents(
      async (context) => {
        await context.spawn(agent("lead", { session: "keep", spawns: true }));
        await context.turn("lead", "go");
        await context.approval({ message: "Go on?" });
        return null;
      },
      { backend, clock, store, ...options },
    );
  }

  async stop(): Promise<void> {
    this.run.owned.interrupt(130);
    await this.run.owned.parted;
  }
}
