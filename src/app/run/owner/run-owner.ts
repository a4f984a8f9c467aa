import type { Spawning } from "../../../agents/agent-roster.ts";
import { type BudgetBasis, BudgetKeeper } from "../../../agents/budget/budget-keeper.ts";
import type { CollabOptions, CollabStaff } from "../../../agents/collab/collab-options.ts";
import { openCollabRoom } from "../../../agents/collab/collab-room.ts";
import type { CollabDoor } from "../../../agents/collab-door.ts";
import { RunPlaces } from "../../../agents/places/run-places.ts";
import type { Surroundings } from "../../../agents/places/surroundings.ts";
import { createResolutionWatch } from "../../../agents/resolution-watch.ts";
import type { AgentFiles, AgentMeans, SessionPorts } from "../../../agents/session-ports.ts";
import { Supervisor } from "../../../agents/supervisor.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunCommand } from "../../../contracts/events/run-events.ts";
import type { ProgramResult } from "../../../contracts/ports/program.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { ApprovalMode } from "../../../contracts/run.ts";
import type { ProgramCall } from "../../../engine/driver/program-run.ts";
import { RunDriver } from "../../../engine/driver/run-driver.ts";
import { localDispatcher } from "../../../engine/embedded/dispatcher.ts";
import { createRunLog } from "../../../engine/embedded/run-log.ts";
import type { Ownership, Timers } from "../../../engine/ports.ts";
import type { RunParting } from "../../../engine/run-exit.ts";
import type { JournalMask, RunBeginning } from "../../../engine/run-journal.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { MessageSource } from "../../../fold/state/message-source.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isWaitingForPerson } from "../../../fold/waiting.ts";
import type { Json } from "../../../foundation/json.ts";
import { postHandler } from "../../../messaging/post-operation.ts";
import { builtInTools, callTool, describeTools, offeredTools } from "../../../tools/registry.ts";
import { agentLogIn } from "../../runs/agent-log.ts";
import { decideApprovals } from "../../workflow/approval-mode.ts";
import type { RunSetup } from "../../workflow/shapes/shape.ts";
import { makeAgentDirectory } from "./agent-directory.ts";
import { applyCommand, applyRecordedCommand, type CommandTarget } from "./apply-command.ts";
import type { TreeMember } from "./run-tree.ts";
import { createAgentStopper } from "./stop-agents.ts";

/** What a run carries out. */
export interface OwnedWork<Definition> {
  readonly call: ProgramCall<Definition>;
  readonly toResult: (source: MessageSource, result: ProgramResult | undefined) => Json;
  readonly setup: RunSetup;
  /** Whether the run goes on until it is stopped. */
  readonly isStanding: boolean;
  /** Shows channel and documents in files, where people find them. Undefined: nothing is shown. */
  readonly mirror: ((runtime: RunRuntime) => void) | undefined;
}

/** What the agents of a run have. */
export interface OwnedAgents {
  readonly means: AgentMeans;
  readonly spawning: Spawning;
  readonly spending: BudgetBasis;
  /** What agents may spawn, and how long they may wait for it. Undefined: they spawn none. */
  readonly spawnable: Pick<CollabOptions, "kinds" | "waits"> | undefined;
  /** What surrounds the places of agents. Undefined: agents have none but their directories. */
  readonly surroundings: Surroundings | undefined;
  /** Absolute directory of the run: for full logs and what agents' programs keep. Undefined: neither is kept. */
  readonly directory: string | undefined;
}

/** How people take part in a run. */
export interface Participation {
  readonly approvals: ApprovalMode;
  /** Whether steps that failed and wait for a person are tried again at resume. */
  readonly retriesPaused: boolean;
  /** Let go of the run as soon as only people can move it on. */
  readonly suspendsWhenWaiting: boolean | (() => boolean);
}

/** Everything that one run needs in the process that owns it. */
export interface RunOwnerOptions<Definition> {
  readonly journal: Journal;
  /** Takes secrets out of what is about to be written. */
  readonly mask: JournalMask | undefined;
  readonly ownership: Ownership;
  readonly timers: Timers;
  readonly beginning: RunBeginning;
  readonly work: OwnedWork<Definition>;
  readonly agents: OwnedAgents;
  readonly people: Participation;
  /** Takes part in the run before it starts. */
  readonly prepare: (member: TreeMember) => void;
  readonly onCommitted: (events: readonly JournalEvent[]) => void;
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

const WAITING_EXIT_CODE = 3;

/** Wires engine, agents and messaging for one run and starts it. */
export function ownRun<Definition>(options: RunOwnerOptions<Definition>): OwnedRun {
  const { journal, mask, ownership, timers, beginning, work, people, onCommitted } = options;
  const { call, toResult, setup } = work;
  const { mainChannel, stepTotal } = setup;
  const driver = new RunDriver({
    recorder: { log: createRunLog(journal, ownership.epoch), mask, stepTotal },
    ownership,
    timers,
    dispatcher: localDispatcher,
    call,
    beginning,
    suspendsWhenWaiting: people.suspendsWhenWaiting,
    toResult,
    onCommitted,
  });
  const { supervisor, budget } = superviseAgents(driver, options);
  const suspend = driver.suspend.bind(driver);
  options.prepare({ runtime: driver, budget, suspend });
  driver.register(postHandler(driver, mainChannel));
  const target = toTarget(driver, supervisor, work);
  driver.onLive(() => {
    for (const recorded of [...driver.state.commands]) applyRecordedCommand(target, recorded);
  });
  const isResumed = beginning.created === undefined && people.retriesPaused;
  decideApprovals(driver, people.approvals, isResumed);
  work.mirror?.(driver);
  driver.start();
  return {
    state: driver.state,
    parted: driver.parted,
    command: async (command, by) => {
      const result = applyCommand(target, command, by);
      await driver.flushed();
      return result;
    },
    interrupt: (exitCode) => {
      // The reason is the same wherever it is noticed that only people can continue the run.
      const waits = exitCode === WAITING_EXIT_CODE && isWaitingForPerson(driver.state);
      driver.suspend(waits ? "waiting" : "interrupted", exitCode);
    },
  };
}

function superviseAgents<Definition>(
  driver: RunDriver<Definition>,
  { work, agents }: RunOwnerOptions<Definition>,
): { readonly supervisor: Supervisor; readonly budget: BudgetKeeper } {
  const { means, spawning, spending, spawnable, surroundings, directory } = agents;
  const { setup, call } = work;
  // Made before the supervisor: what a dead owner reserved is settled before its turns are.
  const budget = new BudgetKeeper(driver, { ...spending, steps: setup.stepBudgets });
  // Nobody asks for anything before there is a supervisor.
  const staff: CollabStaff = {
    hire: (spec, continues) => supervisor.hire(spec, continues),
    dismiss: (id, reason, patienceMs) => supervisor.dismiss(id, reason, patienceMs),
    isLeaving: (id) => supervisor.isLeaving(id),
  };
  const ports: SessionPorts = {
    runtime: driver,
    budget,
    host: call.host,
    customs: setup,
    means,
    tools: { call: callTool, offered: offeredTools, describe: describeTools },
    resolutions: createResolutionWatch(driver),
    files: agentFilesIn(directory),
    agentPlaces:
      surroundings === undefined ? undefined : new RunPlaces({ runtime: driver, surroundings }),
    collab:
      spawnable &&
      openCollab(driver, { setup, spawning }, { ...spawnable, budget: budget.deeds, staff }),
  };
  const supervisor: Supervisor = new Supervisor({ ports, spawning });
  return { supervisor, budget };
}

function agentFilesIn(directory: string | undefined): AgentFiles {
  if (directory === undefined) return { logFile: () => undefined, directory: () => undefined };
  return {
    logFile: (agent) => agentLogIn(directory, agent),
    directory: (agent) => makeAgentDirectory(directory, agent),
  };
}

function openCollab<Definition>(
  runtime: RunDriver<Definition>,
  { setup, spawning }: { readonly setup: RunSetup; readonly spawning: Spawning },
  parts: Pick<CollabOptions, "kinds" | "waits" | "budget" | "staff">,
): CollabDoor {
  const tools = builtInTools.filter(({ needs }) => needs === "collab").map(({ name }) => name);
  const { limits, backends } = spawning;
  return openCollabRoom({
    ...{ runtime, mainChannel: setup.mainChannel, limits, backends, tools },
    ...parts,
  });
}

function toTarget<Definition>(
  driver: RunDriver<Definition>,
  supervisor: Supervisor,
  { setup, isStanding }: OwnedWork<Definition>,
): CommandTarget {
  const cancel = driver.cancel.bind(driver);
  return {
    runtime: driver,
    mainChannel: setup.mainChannel,
    cancel,
    suspend: driver.suspend.bind(driver),
    interrupt: (agent) => void supervisor.interrupt(agent, { isForgotten: true }),
    restart: (agent, by) => supervisor.restart(agent, by),
    stopper: createAgentStopper({ runtime: driver, supervisor, isStanding, cancel }),
  };
}
