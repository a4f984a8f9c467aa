import type { ReflectionMade } from "../../contracts/events/note-events.ts";
import type { PermissionGrant } from "../../contracts/events/request-events.ts";
import type { TrajectoryRecord } from "../../contracts/trajectory.ts";
import type { Usage } from "../../contracts/usage.ts";
import type { Json } from "../../foundation/json.ts";
import type { AgentState } from "./agent-state.ts";
import { type BudgetState, createBudgetState } from "./budget-state.ts";
import type { ChildState } from "./child-state.ts";
import type { CollabCall } from "./collab-state.ts";
import type { InboxItem, InboxResolution, OpenRequest, RequestAnswer } from "./inbox-state.ts";
import {
  createMessagesState,
  type DeadLetter,
  type DocumentsState,
  type Mailbox,
  type MessagesState,
} from "./message-state.ts";
import type { Activity, OperationsState } from "./operation-state.ts";
import {
  type Cancellation,
  createRunRecord,
  type OpenCommand,
  type RunningTime,
  type RunPhase,
  type RunRecord,
} from "./run-record.ts";
import type { StepsState } from "./step-state.ts";

/** A reflection with its place in the journal. */
export interface NotedReflection extends Omit<ReflectionMade, "type" | "note"> {
  readonly seq: number;
  /** In ms since the epoch. */
  readonly at: number;
}

/** A DEPOSIT as its agent wrote it. */
export interface LaidDeposit {
  readonly agent: string;
  /** In which turn of its agent. */
  readonly turn: number;
  readonly value: string;
  /** In ms since the epoch. */
  readonly at: number;
}

/**
 * All that a journal says about a run, at one seq. Plain objects, arrays, Maps, Sets and typed arrays only, so that
 * `structuredClone` makes a snapshot. Only `fold` changes it.
 */
export interface RunState {
  run: RunRecord;
  phase: RunPhase;
  /** Epoch of the latest owner. */
  epoch: number;
  /** Seq of the latest event; 0 before the first. */
  lastSeq: number;
  /** Time of the latest event, in ms since the epoch. */
  lastAt: number;
  readonly runningTime: RunningTime;
  cancellation: Cancellation | undefined;
  readonly operations: OperationsState;
  readonly activity: Activity;
  /** By id as declared, in the order of spawning. */
  readonly agents: Map<string, AgentState>;
  /** Declared ids by lower-case id; read through `findAgent`. */
  readonly agentIds: Map<string, string>;
  /** Ids of shadows by the lower-case id of the agent that they watch. */
  readonly shadows: Map<string, readonly string[]>;
  /** By lower-case id; read through `findMailbox`. */
  readonly mailboxes: Map<string, Mailbox>;
  readonly deadLetters: DeadLetter[];
  readonly messages: MessagesState;
  readonly documents: DocumentsState;
  readonly steps: StepsState;
  /** Moves that patterns have noted, in order. */
  readonly advances: PatternMove[];
  /** What was made of the work so far, in order. */
  readonly reflections: NotedReflection[];
  /** What agents have added to the trajectory, by their ids, in order. */
  readonly records: Map<string, readonly TrajectoryRecord[]>;
  /** Marks that agents have left, as they were written, in order. */
  readonly deposits: LaidDeposit[];
  /** Child runs by the operation that wanted them, in the order of starting. */
  readonly children: Map<string, ChildState>;
  /** Operations whose child asks people for something. */
  readonly askingChildren: Set<string>;
  /** What people are asked for, by id, oldest first. */
  readonly inbox: Map<string, InboxItem>;
  /** What turns asked that were cut off with their owner and will ask again; beside the inbox, by id. */
  readonly suspendedAsks: Map<string, InboxItem>;
  readonly resolved: Map<string, InboxResolution>;
  /** What people have allowed for the whole run, in order. */
  readonly grants: PermissionGrant[];
  /** For whom each id of the inbox was made, ever; undefined where an earlier version did not say. */
  readonly askers: Map<string, string | undefined>;
  /** What nobody had answered when the run ended, or when the agent that asked had left it, oldest first. */
  readonly unanswered: InboxItem[];
  /** Tool calls that the program has to close, by id. */
  readonly requests: Map<string, OpenRequest>;
  /** Answers of the program to calls of turns that go on, by the id of the call. */
  readonly requestAnswers: Map<string, RequestAnswer>;
  /** What calls of agents came to that spawned, resumed or closed others, by the call. */
  readonly collabCalls: Map<string, CollabCall>;
  /** Commands whose effect is not in the journal yet, oldest first. */
  readonly commands: OpenCommand[];
  /** Sum over all turns. */
  usage: Usage;
  turnsEnded: number;
  /** Turns, started again ones each time, whose cost nobody knows; `usage.costUsd` leaves them out. */
  unpricedTurns: number;
  readonly budget: BudgetState;
  toolCalls: number;
  /** What agents did last to each file. */
  readonly changedFiles: Map<string, ChangedFile>;
  /** Requests to the run's doors that were refused, by the code of their error. */
  readonly refusedRequests: Map<string, number>;
  readonly logs: { info: number; warning: number; error: number };
}

/** A move that a pattern has noted. */
export interface PatternMove {
  readonly kind: string;
  readonly data: Json;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A file that an agent touched. */
export interface ChangedFile {
  readonly kind: "create" | "edit" | "delete";
  readonly agent: string;
}

/** What a state keeps. */
export interface RunStateOptions {
  /** The newest messages that are kept at least; older ones are read from the journal. Defaults to all. */
  readonly mostMessages?: number;
}

/** For whoever wants no message of a run but their number. */
export const NO_MESSAGES: RunStateOptions = { mostMessages: 0 };

/** The state of a run before its first event. */
export function emptyRunState(runId: string, options: RunStateOptions = {}): RunState {
  return {
    run: createRunRecord(runId),
    phase: { status: "created" },
    epoch: 0,
    lastSeq: 0,
    lastAt: 0,
    runningTime: { totalMs: 0, ownedMs: 0, countedUntil: 0 },
    cancellation: undefined,
    operations: { open: new Map(), scheduled: 0, settled: { ok: 0, error: 0, cancelled: 0 } },
    activity: { work: 0, blockedPrompts: 0, blockedChildren: 0, runningTurns: 0, waitingTurns: 0 },
    agents: new Map(),
    agentIds: new Map(),
    shadows: new Map(),
    mailboxes: new Map(),
    deadLetters: [],
    messages: createMessagesState(options.mostMessages ?? Infinity),
    documents: { byName: new Map(), revisionByKey: new Map() },
    steps: {
      byPath: new Map(),
      ended: [],
      counts: {
        running: 0,
        retrying: 0,
        completed: 0,
        failed: 0,
        skipped: 0,
        blocked: 0,
        cancelled: 0,
      },
      retries: 0,
      starts: new Map(),
      verifications: new Map(),
      changedTests: new Map(),
    },
    advances: [],
    reflections: [],
    records: new Map(),
    deposits: [],
    children: new Map(),
    askingChildren: new Set(),
    inbox: new Map(),
    suspendedAsks: new Map(),
    resolved: new Map(),
    grants: [],
    askers: new Map(),
    unanswered: [],
    requests: new Map(),
    requestAnswers: new Map(),
    collabCalls: new Map(),
    commands: [],
    usage: {},
    turnsEnded: 0,
    unpricedTurns: 0,
    budget: createBudgetState(),
    toolCalls: 0,
    changedFiles: new Map(),
    refusedRequests: new Map(),
    logs: { info: 0, warning: 0, error: 0 },
  };
}
