import { join } from "node:path";
import { BudgetKeeper } from "../agents/budget/budget-keeper.ts";
import type { StepBudgets } from "../agents/budget/turn-budgets.ts";
import type { PermissionRules } from "../agents/permission-rules.ts";
import { createResolutionWatch } from "../agents/resolution-watch.ts";
import type { SpawnLimits } from "../agents/spawn-limits.ts";
import { Supervisor } from "../agents/supervisor.ts";
import type { AgentBackend, TurnUpdate } from "../contracts/backend.ts";
import type { Context } from "../contracts/context.ts";
import type { EventData, JournalEvent } from "../contracts/event.ts";
import type { RunCommand, RunCreated } from "../contracts/events/run-events.ts";
import type { Host } from "../contracts/host.ts";
import type { PriceTable } from "../contracts/price.ts";
import type { Program, ProgramResult } from "../contracts/program.ts";
import type { RunLimits } from "../contracts/run.ts";
import type { Journal } from "../contracts/store.ts";
import { localDispatcher } from "../engine/embedded/dispatcher.ts";
import { createRunLog } from "../engine/embedded/run-log.ts";
import type { Ownership, Timers } from "../engine/ports.ts";
import { RunDriver } from "../engine/run-driver.ts";
import type { RunParting } from "../engine/run-exit.ts";
import type { RunState } from "../fold/run-state.ts";
import type { Json } from "../foundation/json.ts";
import { bothOf, createSemaphore, type Semaphore } from "../foundation/semaphore.ts";
import { postHandler } from "../messaging/post-operation.ts";
import { callTool } from "../tools/registry.ts";
import { applyCommand, applyRecordedCommand, type CommandTarget } from "./apply-command.ts";
import { type ApprovalMode, decideApprovals } from "./approval-mode.ts";

/** Everything that one run needs in the process that owns it. */
export interface RunOwnerOptions<Definition> {
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly timers: Timers;
  readonly host: Host;
  readonly backend: (name: string) => AgentBackend;
  readonly program: Program<Definition>;
  readonly definition: Definition;
  readonly toResult: (state: RunState, result: ProgramResult | undefined) => Json;
  readonly mainChannel: string;
  /** Words that count as signals in every turn, beside the standing ones. */
  readonly markers: readonly string[];
  readonly stepTotal: number;
  readonly created?: { readonly event: RunCreated; readonly definitionText: string };
  readonly limits?: RunLimits;
  readonly spawnLimits: SpawnLimits;
  /** Budgets of steps, by id. Defaults to none. */
  readonly stepBudgets?: StepBudgets;
  /** What models cost, for backends that tell tokens only. Defaults to nothing known. */
  readonly prices?: PriceTable;
  /** Decide what agents ask permission for, before their modes do. Defaults to none. */
  readonly permissionRules?: PermissionRules;
  /** Turns at the same time on one backend. */
  readonly maxTurnsPerBackend: number;
  readonly approvals: ApprovalMode;
  readonly suspendsWhenWaiting: boolean;
  /** Directory for full logs; none are kept without it. */
  readonly logsDirectory?: string;
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
  /** Takes secrets out of what is about to be written. */
  readonly mask?: (data: EventData) => EventData;
  /** Places that all runs of this machine share; a turn takes one beside that of its backend. */
  readonly hostSlots?: Semaphore;
  readonly onCommitted: (events: readonly JournalEvent[]) => void;
  readonly onUpdate?: (agent: string, update: TurnUpdate, turn: number) => void;
}

/** A run in the hands of this process. */
export interface OwnedRun {
  /** The fold of the run so far; read only. */
  readonly state: RunState;
  /** See RunDriver.parted. */
  readonly parted: Promise<RunParting>;
  /** Carries a command out; resolves once what it caused is durable. */
  command(command: RunCommand, by: string): Promise<Json>;
  /** Lets go of the run: SIGINT and the like. */
  interrupt(exitCode: number): void;
}

/** Wires engine, agents and messaging for one run and starts it. */
export function ownRun<Definition>(options: RunOwnerOptions<Definition>): OwnedRun {
  const { journal, ownership, program, definition } = options;
  const driver = new RunDriver({
    log: createRunLog(journal, ownership.epoch),
    ownership,
    timers: options.timers,
    dispatcher: localDispatcher,
    host: options.host,
    program,
    definition,
    ...(options.created === undefined ? {} : { created: options.created }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    stepTotal: options.stepTotal,
    suspendsWhenWaiting: options.suspendsWhenWaiting,
    runPattern: options.runPattern,
    toResult: options.toResult,
    ...(options.mask === undefined ? {} : { mask: options.mask }),
    onCommitted: options.onCommitted,
  });
  superviseAgents(driver, options);
  driver.register(postHandler(driver, options.mainChannel));
  const target = toTarget(driver, options.mainChannel);
  driver.onLive(() => {
    for (const recorded of [...driver.state.commands]) applyRecordedCommand(target, recorded);
  });
  decideApprovals(driver, options.approvals, options.created === undefined);
  driver.start();
  return {
    state: driver.state,
    parted: driver.parted,
    command: async (command, by) => {
      const result = applyCommand(target, command, by);
      await driver.flushed();
      return result;
    },
    interrupt: (exitCode) => driver.suspend("interrupted", exitCode),
  };
}

function superviseAgents<Definition>(
  driver: RunDriver<Definition>,
  options: RunOwnerOptions<Definition>,
): Supervisor {
  const slots = new Map<string, Semaphore>();
  const slotsOf = (backend: string) => {
    const known = slots.get(backend) ?? createTurnSlots(options);
    slots.set(backend, known);
    return known;
  };
  const { logsDirectory, permissionRules, stepBudgets, prices, onUpdate } = options;
  // Made before the supervisor: what a dead owner reserved is settled before its turns are.
  const budget = new BudgetKeeper(driver, {
    steps: stepBudgets ?? new Map(),
    prices: prices ?? {},
  });
  return new Supervisor({
    ports: {
      runtime: driver,
      budget,
      host: options.host,
      mainChannel: options.mainChannel,
      markers: options.markers,
      callTool,
      resolutions: createResolutionWatch(driver),
      slots: slotsOf,
      logFile: (agent) =>
        logsDirectory === undefined ? undefined : join(logsDirectory, `${agent}.log`),
      ...(permissionRules === undefined ? {} : { permissionRules }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    },
    backend: options.backend,
    limits: options.spawnLimits,
  });
}

function createTurnSlots({
  maxTurnsPerBackend,
  hostSlots,
}: Pick<RunOwnerOptions<unknown>, "maxTurnsPerBackend" | "hostSlots">): Semaphore {
  const own = createSemaphore(maxTurnsPerBackend);
  return hostSlots === undefined ? own : bothOf(own, hostSlots);
}

function toTarget<Definition>(driver: RunDriver<Definition>, mainChannel: string): CommandTarget {
  return {
    runtime: driver,
    mainChannel,
    cancel: (reason, by) => driver.cancel(reason, by),
    suspend: (reason, exitCode) => driver.suspend(reason, exitCode),
  };
}
