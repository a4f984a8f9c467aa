import type { SpawnLimits } from "../../src/agents/agent-roster.ts";
import type { DayBudget } from "../../src/agents/budget/day-budget.ts";
import type { StepBudgets } from "../../src/agents/budget/turn-budgets.ts";
import type { ChildKinds } from "../../src/agents/collab/collab-options.ts";
import type { WaitBounds } from "../../src/agents/collab/wait-until.ts";
import type { RateGovernor } from "../../src/agents/governor/rate-governor.ts";
import { NO_RULES } from "../../src/agents/permission-rules.ts";
import type { PermissionTimeout } from "../../src/agents/permission-timeout.ts";
import type { Surroundings } from "../../src/agents/places/surroundings.ts";
import { type OwnedRun, ownRun } from "../../src/app/run/owner/run-owner.ts";
import { keyedSemaphores } from "../../src/app/run/owner/run-tree.ts";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type {
  AgentBackend,
  AgentSession,
  BackendShelf,
  SessionRequest,
  TurnRequest,
  TurnUpdate,
} from "../../src/contracts/backend.ts";
import type { ContextDoor } from "../../src/contracts/context-access.ts";
import type { EventOf, JournalEvent } from "../../src/contracts/events/event.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { ProgramResult } from "../../src/contracts/ports/program.ts";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { type PriceTable, priceOf } from "../../src/contracts/price.ts";
import type { ApprovalMode, RunLimits } from "../../src/contracts/run.ts";
import type { SharedParts } from "../../src/contracts/tool.ts";
import type { Clock } from "../../src/foundation/clock.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import type { Json } from "../../src/foundation/json.ts";
import { bothOf, createSemaphore } from "../../src/foundation/semaphore.ts";
import { createHost } from "../../src/host/host.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { loadTools } from "../../src/tools/registry.ts";

// What a call of a tool loads: a manual clock, which lets only what is ready run, does not wait for files.
await Promise.all([
  loadTools(),
  import("../../src/tools/parts/parse-input.ts"),
  import("../../src/agents/agent-planning.ts"),
  import("../../src/agents/collab/turn-collab.ts"),
]);

/** A turn as a test plays it: yields updates; the stream ends with the generator. */
export type PlayedTurn = (
  request: TurnRequest,
  session: SessionRequest,
) => AsyncIterable<TurnUpdate>;

/** What a test's backend saw, in order. */
export interface BackendRecord {
  readonly opened: SessionRequest[];
  readonly closed: string[];
  readonly prompts: TurnRequest[];
}

/** A backend whose turns a test plays. */
export function playedBackend(
  play: PlayedTurn,
  changes: Partial<AgentBackend> = {},
): AgentBackend & BackendRecord {
  const opened: SessionRequest[] = [];
  const closed: string[] = [];
  const prompts: TurnRequest[] = [];
  return {
    name: "played",
    conventions: "text",
    demandsSignal: false,
    takesMessages: true,
    check: async () => [],
    open: async (request): Promise<AgentSession> => {
      opened.push(request);
      return {
        resume: `token of ${request.session} ${opened.length}`,
        prompt: (turn) => {
          prompts.push({ ...turn });
          return play(turn, request);
        },
        close: async () => void closed.push(request.session),
      };
    },
    ...changes,
    opened,
    closed,
    prompts,
  };
}

/** The end of a turn that says something. */
export function said(text: string): TurnUpdate {
  return { type: "stop", reason: "end_turn", text };
}

/** A promise that the test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** An agent of the played backend. */
export function agent(id: string, changes: Partial<AgentSpec> = {}): AgentSpec {
  return { id, backend: "played", ...changes };
}

export interface AgentsRunOptions {
  readonly backend: AgentBackend;
  readonly clock?: Clock;
  readonly store?: RunStore;
  readonly spawnLimits?: SpawnLimits;
  /** Of a new run; of a run that goes on, what replaces the recorded ones. */
  readonly limits?: RunLimits;
  readonly stepBudgets?: StepBudgets;
  readonly prices?: PriceTable;
  readonly day?: DayBudget;
  readonly maxTurnsPerBackend?: number;
  readonly approvals?: ApprovalMode;
  readonly markers?: readonly string[];
  readonly suspendsWhenWaiting?: boolean;
  readonly shares?: SharedParts;
  readonly contextDoor?: ContextDoor;
  readonly permissionTimeout?: PermissionTimeout;
  readonly governor?: RateGovernor;
  readonly isMessageDriven?: boolean;
  /** Turns at the same time of all backends. */
  readonly hostConcurrency?: number;
  readonly childKinds?: ChildKinds;
  readonly waits?: WaitBounds;
  readonly announces?: "text";
  readonly surroundings?: Surroundings;
}

/** Children that are like their parents. */
export const plainKinds: ChildKinds = {
  find: async () => ({}),
  isReserved: () => false,
  backends: () => [],
};

function shelfOf(backend: AgentBackend): BackendShelf {
  return { find: () => backend, load: async () => backend };
}

function toSlots({ maxTurnsPerBackend = 64, hostConcurrency }: AgentsRunOptions) {
  const host = hostConcurrency === undefined ? undefined : createSemaphore(hostConcurrency);
  return keyedSemaphores(() => {
    const own = createSemaphore(maxTurnsPerBackend);
    return host === undefined ? own : bothOf(own, host);
  });
}

/** A program with agents that goes on in this process. */
export interface AgentsRun {
  readonly owned: OwnedRun;
  /** Durable events of this process. */
  readonly events: JournalEvent[];
  all<Type extends JournalEvent["type"]>(type: Type): readonly EventOf<Type>[];
  /** What the program returned. */
  over(): Promise<Json>;
}

/** Starts a program with real engine, supervisor and messaging, or goes on with the run of the store. */
export function runAgents(
  program: (context: Context) => Promise<Json>,
  options: AgentsRunOptions,
): AgentsRun {
  const { backend, clock = createManualClock(), store = createCuttableStore() } = options;
  const isNew = !store.list().includes("run_agents");
  const journal = isNew ? store.create("run_agents") : store.open("run_agents", "write");
  const holder = { pid: 1, pidStartedAt: "0", bootId: "b", socketPath: "", command: "test" };
  const lease = journal.takeLease({ ...holder, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("the run has an owner");
  const events: JournalEvent[] = [];
  const owned = ownRun({
    journal,
    mask: undefined,
    ownership: {
      epoch: lease.epoch,
      onLost: () => {},
      release: () => journal.releaseLease(lease.epoch),
    },
    timers: clock,
    work: {
      call: {
        program: {
          name: "test",
          run: async (context): Promise<ProgramResult> => ({
            outcome: "completed",
            reason: "done",
            metadata: { value: await program(context) },
          }),
        },
        definition: null,
        host: createHost({ run: "run_agents", clock, env: {} }),
        runPattern: async () => null,
      },
      toResult: (_state, result) => result?.metadata["value"] ?? null,
      setup: {
        mainChannel: "main",
        markers: options.markers ?? [],
        announces: options.announces ?? "none",
        stepTotal: 0,
        stepBudgets: options.stepBudgets ?? new Map(),
        isMessageDriven: options.isMessageDriven ?? false,
        isExclusive: false,
        shares: options.shares ?? { channel: true, document: true },
      },
      isStanding: false,
      mirror: undefined,
    },
    beginning: {
      created: isNew
        ? {
            event: {
              type: "run-created",
              workflow: "test",
              instance: "default",
              definitionHash: sha256("null"),
              program: "test",
              seed: "seed",
              troupe: "0",
              cwd: process.cwd(),
              limits: options.limits ?? {},
            },
            definitionText: "null",
          }
        : undefined,
      limits: isNew ? undefined : options.limits,
    },
    agents: {
      means: {
        slots: toSlots(options),
        governor: options.governor,
        contextDoor: options.contextDoor,
        permissions: { rules: NO_RULES, timeout: options.permissionTimeout },
        trustsProject: () => false,
        onUpdate: undefined,
      },
      spawning: { backends: shelfOf(backend), limits: options.spawnLimits ?? {}, others: () => [] },
      spending: {
        pricing: ({ model }) => priceOf(options.prices ?? {}, model),
        above: undefined,
        day: options.day,
      },
      spawnable: {
        kinds: options.childKinds ?? plainKinds,
        waits: options.waits ?? { defaultMs: 300_000, maxMs: 3_600_000 },
      },
      surroundings: options.surroundings,
      directory: undefined,
    },
    people: {
      approvals: options.approvals ?? "ask",
      retriesPaused: true,
      suspendsWhenWaiting: options.suspendsWhenWaiting ?? false,
    },
    prepare: () => {},
    onCommitted: (committed) => events.push(...committed),
  });
  return {
    owned,
    events,
    all: (type) => events.filter((event): event is EventOf<typeof type> => event.type === type),
    over: async () => {
      const parting = await owned.parted;
      if (parting.status === "suspended") throw new Error(`let go: ${parting.event.reason}`);
      if (parting.event.error !== undefined) throw new Error(parting.event.error.message);
      return parting.event.result;
    },
  };
}
