import { BudgetKeeper } from "../../../agents/budget/budget-keeper.ts";
import type { StepBudgets } from "../../../agents/budget/turn-budgets.ts";
import type {
  ChildKinds,
  CollabOptions,
  CollabStaff,
} from "../../../agents/collab/collab-options.ts";
import { openCollabRoom } from "../../../agents/collab/collab-room.ts";
import type { CollabDoor } from "../../../agents/collab-door.ts";
import type { RateGovernor } from "../../../agents/governor/rate-governor.ts";
import type { PermissionRules } from "../../../agents/permission-rules.ts";
import type { PermissionTimeout } from "../../../agents/permission-timeout.ts";
import { RunPlaces } from "../../../agents/places/run-places.ts";
import type { Surroundings } from "../../../agents/places/surroundings.ts";
import { createResolutionWatch } from "../../../agents/resolution-watch.ts";
import type { TrustsProject } from "../../../agents/session-ports.ts";
import type { SpawnLimits } from "../../../agents/spawn-limits.ts";
import { Supervisor } from "../../../agents/supervisor.ts";
import type { AgentBackend, TurnUpdate } from "../../../contracts/backend.ts";
import type { ContextDoor } from "../../../contracts/context-access.ts";
import type { ContextFiles } from "../../../contracts/context-files.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunCommand, RunCreated } from "../../../contracts/events/run-events.ts";
import type { Host } from "../../../contracts/host.ts";
import type { Context, TurnOptions } from "../../../contracts/ports/context.ts";
import type { Program, ProgramResult } from "../../../contracts/ports/program.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { Pricing } from "../../../contracts/price.ts";
import type { RunLimits } from "../../../contracts/run.ts";
import { RunDriver } from "../../../engine/driver/run-driver.ts";
import { localDispatcher } from "../../../engine/embedded/dispatcher.ts";
import { createRunLog } from "../../../engine/embedded/run-log.ts";
import type { Ownership, Timers } from "../../../engine/ports.ts";
import type { RunParting } from "../../../engine/run-exit.ts";
import type { JournalMask } from "../../../engine/run-journal.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { Json } from "../../../foundation/json.ts";
import type { Semaphore } from "../../../foundation/semaphore.ts";
import { startMirrors } from "../../../messaging/mirrors/start-mirrors.ts";
import { postHandler } from "../../../messaging/post-operation.ts";
import { builtInTools, callTool, offeredTools } from "../../../tools/registry.ts";
import { agentLogIn } from "../../runs/agent-log.ts";
import { type ApprovalMode, decideApprovals } from "../../workflow/approval-mode.ts";
import { makeAgentDirectory } from "./agent-directory.ts";
import { applyCommand, applyRecordedCommand, type CommandTarget } from "./apply-command.ts";
import type { TreeMember } from "./run-tree.ts";
import { createAgentStopper } from "./stop-agents.ts";

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
  /** Whether a turn that no prompt asked for takes messages, whatever its backend. Defaults to false. */
  readonly isMessageDriven?: boolean;
  /** What the end of a turn that no prompt asked for posts to the main channel as its agent. Defaults to `none`. */
  readonly announces?: NonNullable<TurnOptions["announce"]>;
  /** What agents are offered tools for. Defaults to both. */
  readonly shares?: { readonly channel: boolean; readonly document: boolean };
  /** Where people find channel and document; they are not mirrored without it. */
  readonly contextFiles?: ContextFiles;
  readonly created?: { readonly event: RunCreated; readonly definitionText: string };
  readonly limits?: RunLimits;
  readonly spawnLimits: SpawnLimits;
  /** What agents may spawn. Absent: they spawn none. */
  readonly childKinds?: ChildKinds;
  /** Budgets of steps, by id. Defaults to none. */
  readonly stepBudgets?: StepBudgets;
  /** What models cost, for backends that tell tokens only. Defaults to nothing known. */
  readonly pricing?: Pricing;
  /** Decide what agents ask permission for, before their modes do. Defaults to none. */
  readonly permissionRules?: PermissionRules;
  /** When permission requests that nobody decides decide themselves. Defaults to never. */
  readonly permissionTimeout?: PermissionTimeout;
  /** Whether what the project configures for an agent's own program may take effect. Defaults to never. */
  readonly trustsProject?: TrustsProject;
  /** What surrounds the places of agents. Absent: agents have none but their directories. */
  readonly surroundings?: Surroundings;
  /** Places for turns that run at the same time on a backend. */
  readonly slots: (backend: string) => Semaphore;
  /** Keeps the budget of the run that this one is a child of. */
  readonly budgetAbove?: BudgetKeeper;
  /** Agents that live in other runs of the tree. Defaults to none. */
  readonly agentsBeside?: () => readonly string[];
  /** Takes part in the run before it starts. */
  readonly prepare?: (member: TreeMember) => void;
  readonly approvals: ApprovalMode;
  /** Whether steps that failed and wait for a person are tried again at resume. Defaults to true. */
  readonly retriesPaused?: boolean;
  /** Whether the run goes on until it is stopped. Defaults to false. */
  readonly isStanding?: boolean;
  readonly suspendsWhenWaiting: boolean;
  /** Lets processes of agents in. Absent: they have no way in. */
  readonly contextDoor?: ContextDoor;
  /** Absolute directory of the run: for full logs and what agents' programs keep. Neither is kept without it. */
  readonly directory?: string;
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
  /** Takes secrets out of what is about to be written. */
  readonly mask?: JournalMask;
  /** Keeps accounts to what their providers take. Absent: nobody waits for them. */
  readonly governor?: RateGovernor;
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
  const { supervisor, budget } = superviseAgents(driver, options);
  options.prepare?.({
    runtime: driver,
    budget,
    suspend: (reason, exitCode) => driver.suspend(reason, exitCode),
  });
  driver.register(postHandler(driver, options.mainChannel));
  const target = toTarget(driver, supervisor, options);
  driver.onLive(() => {
    for (const recorded of [...driver.state.commands]) applyRecordedCommand(target, recorded);
  });
  const isResumed = options.created === undefined && options.retriesPaused !== false;
  decideApprovals(driver, options.approvals, isResumed);
  const { contextFiles: files, mainChannel } = options;
  if (files !== undefined) startMirrors({ runtime: driver, files, mainChannel });
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
): { readonly supervisor: Supervisor; readonly budget: BudgetKeeper } {
  const { permissionTimeout, trustsProject, surroundings } = options;
  const { directory, permissionRules, stepBudgets, pricing, onUpdate, contextDoor } = options;
  // Made before the supervisor: what a dead owner reserved is settled before its turns are.
  const budget = new BudgetKeeper(driver, {
    steps: stepBudgets ?? new Map(),
    pricing: pricing ?? (() => undefined),
    ...(options.budgetAbove === undefined ? {} : { above: options.budgetAbove }),
  });
  const { childKinds } = options;
  // Nobody asks for anything before there is a supervisor.
  const staff: CollabStaff = {
    hire: (spec, continues) => supervisor.hire(spec, continues),
    dismiss: (id, reason, patienceMs) => supervisor.dismiss(id, reason, patienceMs),
    isLeaving: (id) => supervisor.isLeaving(id),
  };
  const collab = childKinds && openCollab(driver, options, { kinds: childKinds, budget, staff });
  const supervisor: Supervisor = new Supervisor({
    ports: {
      runtime: driver,
      budget,
      host: options.host,
      mainChannel: options.mainChannel,
      markers: options.markers,
      ...(options.announces === undefined ? {} : { announces: options.announces }),
      isMessageDriven: options.isMessageDriven ?? false,
      callTool,
      offeredTools,
      ...(options.shares === undefined ? {} : { shares: options.shares }),
      resolutions: createResolutionWatch(driver),
      ...(collab === undefined ? {} : { collab }),
      slots: options.slots,
      ...(options.governor === undefined ? {} : { governor: options.governor }),
      logFile: (agent) => (directory === undefined ? undefined : agentLogIn(directory, agent)),
      ...(directory === undefined
        ? {}
        : { directory: (agent) => makeAgentDirectory(directory, agent) }),
      ...(surroundings === undefined
        ? {}
        : { agentPlaces: new RunPlaces({ runtime: driver, surroundings }) }),
      ...(contextDoor === undefined ? {} : { contextDoor }),
      ...(permissionRules === undefined ? {} : { permissionRules }),
      ...(permissionTimeout === undefined ? {} : { permissionTimeout }),
      ...(trustsProject === undefined ? {} : { trustsProject }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    },
    backend: options.backend,
    limits: options.spawnLimits,
    ...(options.agentsBeside === undefined ? {} : { others: options.agentsBeside }),
  });
  return { supervisor, budget };
}

function openCollab<Definition>(
  runtime: RunDriver<Definition>,
  { mainChannel, spawnLimits: limits, backend }: RunOwnerOptions<Definition>,
  parts: Pick<CollabOptions, "kinds" | "budget" | "staff">,
): CollabDoor {
  const tools = builtInTools.filter(({ needs }) => needs === "collab").map(({ name }) => name);
  return openCollabRoom({ runtime, mainChannel, limits, backend, tools, ...parts });
}

function toTarget<Definition>(
  driver: RunDriver<Definition>,
  supervisor: Supervisor,
  { mainChannel, isStanding = false }: RunOwnerOptions<Definition>,
): CommandTarget {
  const cancel = (reason: string, by: string) => driver.cancel(reason, by);
  return {
    runtime: driver,
    mainChannel,
    cancel,
    suspend: (reason, exitCode) => driver.suspend(reason, exitCode),
    stopper: createAgentStopper({ runtime: driver, supervisor, isStanding, cancel }),
  };
}
