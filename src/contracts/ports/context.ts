import type { Backoff } from "../../foundation/backoff.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { AgentHandle, AgentSpec, AgentStatus, TurnRights } from "../agent.ts";
import type { StopReason } from "../backend.ts";
import type { JournalEvent } from "../events/event.ts";
import type { NoteData } from "../events/note-events.ts";
import type { AgentWorktree } from "../events/place-events.ts";
import type { ReusableStep, ReuseKey, RevisedStep } from "../events/reuse.ts";
import type { Host } from "../host.ts";
import type { PostReceipt, SystemDraft } from "../message.ts";
import type { PatternFunctions } from "../pattern-functions.ts";
import type { ReflectionFunctions } from "../reflection.ts";
import type { Outcome } from "../run.ts";
import type { Selector, Subscription } from "../selector.ts";
import type { Signal } from "../signal.ts";
import type { StepAddress } from "../step.ts";
import type { Lesson, TrajectoryRecord } from "../trajectory.ts";
import type { Usage } from "../usage.ts";

/** Directory in which the turns of an agent work. */
export interface WorkPlace {
  /** Absolute. */
  readonly cwd: string;
  /** The working tree of the agent's own in which it lies; absent where others work too. */
  readonly worktree?: AgentWorktree;
}

/** Directories in which the agents of a run work (AGT-16): known to the run's owner, so asked inside of steps only. */
export interface WorkPlaces {
  /**
   * The place of an agent, made if it is not there yet. An agent that is given whole joins the run if it has not.
   * Raises AGENT_UNKNOWN, AGENT_WORKTREE_IMPOSSIBLE, HOST_GIT_FAILED and what spawning raises.
   */
  of(agent: string | AgentSpec, signal: AbortSignal): Promise<WorkPlace>;
  /**
   * The place that an agent has of its own, made if an earlier run left work for it there; undefined for one that works
   * where the run does, or has not begun. Raises AGENT_WORKTREE_IMPOSSIBLE, HOST_GIT_FAILED.
   */
  given(agent: string): Promise<WorkPlace | undefined>;
}

/** What a step function gets. */
export interface StepCall {
  /** Aborts on cancellation, deadline and suspension. */
  readonly signal: AbortSignal;
  /** From 1; rises with every start. */
  readonly attempt: number;
  /** The idempotency key, the same for every attempt. */
  readonly key: string;
  /** Processes, files and git of this machine. */
  readonly host: Host;
  /** What whoever carries the run out in code gives it for its reflections. */
  readonly reflecting: ReflectionFunctions;
  /** The same for its pattern. */
  readonly functions: PatternFunctions;
  /** What earlier work teaches about a task; nothing where runs are not to learn. */
  readonly lessons: (task: string) => Promise<readonly Lesson[]>;
  /** Directories in which agents work. */
  readonly workPlaces: WorkPlaces;
}

export interface StepOptions {
  readonly retry?: Backoff & { readonly maxAttempts: number };
  /** Per attempt; then the signal aborts and the attempt fails with ENGINE_STEP_TIMED_OUT. */
  readonly timeoutMs?: number;
  /**
   * What the function goes by, of the task, the params, the input and the results of others. Read only by a fork that
   * changes some of these: an operation that would be given something else has taken the change in. Never journaled.
   */
  readonly given?: () => Json;
}

export interface SpawnOptions {
  /** Takes the agent as it is when it takes part already, instead of raising AGENT_EXISTS. Defaults to false. */
  readonly isShared?: boolean;
  /** Makes the place of its work before its first turn; its handle says where that is. */
  readonly isPlaced?: true;
}

export interface TurnOptions {
  /** The task without conventions, for backends that take none. Defaults to the prompt. */
  readonly task?: string;
  /** The marker that the turn should give; read beside the standing signals. */
  readonly expects?: string;
  /** Running time of the turn; then it fails with AGENT_TURN_TIMED_OUT. */
  readonly timeoutMs?: number;
  readonly step?: StepAddress;
  readonly previousError?: string;
  /** Path of a scope around whose session of the agent takes the turn, until that scope is over. Defaults to a session of the own scope. */
  readonly session?: string;
  /** Gives the agent what waits in its inbox, also where its backend takes no messages with a prompt. */
  readonly takesMessages?: true;
  /** What holds in this turn in place of what the agent is declared with. */
  readonly rights?: TurnRights;
  /** What the end of the turn posts to the main channel as the agent. Defaults to `none`. */
  readonly announce?: "none" | "signal" | "text";
  /**
   * Whom the announced text goes to directly, whatever its author may write to others. A turn that posted something else
   * still tells them how it ends. Defaults to the main channel.
   */
  readonly announceTo?: string;
}

/** What a turn came to. Turns that fail reject with the backend's error. */
export interface TurnResult {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  readonly textTruncated: boolean;
  readonly stopReason: StopReason;
  /** Signals that count: the last of each kind, negatives before positives (SIG-4). */
  readonly signals: readonly Signal[];
  readonly usage: Usage;
}

export interface ApprovalSpec {
  readonly message: string;
  readonly step?: string;
  /** What is to be approved; may be edited by the person who approves. */
  readonly show?: Json;
  /** Calendar time; then `onTimeout` decides. */
  readonly timeoutMs?: number;
  /** Defaults to `reject`. */
  readonly onTimeout?: "reject" | "approve";
  /** `pause`: a failed step waits for a person; resuming the run approves, which tries the step again. */
  readonly purpose?: "approval" | "pause";
}

export interface ApprovalDecision {
  readonly approved: boolean;
  readonly by: string;
  readonly comment?: string;
  readonly edited?: Json;
}

/** Something that a program asks a person in the name of an agent. */
export interface QuestionSpec {
  readonly text: string;
  /** Who is said to ask. */
  readonly agent: string;
}

/** What a person answered. */
export interface PersonAnswer {
  readonly answer: string;
  readonly by: string;
}

/** A workflow that runs as a child of this one (ENG-12). */
export interface ChildSpec {
  /** A key of `workflows` of this run's definition. */
  readonly workflow: string;
  /** The input of a step workflow; of others a text is the task and an object holds the params. */
  readonly input: Json;
  readonly step?: StepAddress;
}

/** What a child run came to. */
export interface ChildResult {
  readonly run: string;
  readonly outcome: Outcome;
  readonly reason: string;
  /** The `result` of its `run-ended`. */
  readonly result: Json;
  /** The limit of a step around it that it met, if one kept it from completing. */
  readonly limit?: ErrorReport;
}

export interface ScopeOptions {
  /** Running time; then the scope is cancelled and its result rejects with ENGINE_TIMED_OUT. */
  readonly timeoutMs?: number;
  /** Goes on, for `cleanupMs` of the run at most, when the run is cancelled. */
  readonly shielded?: boolean;
}

/** A concurrent branch of a program. */
export interface Scope<Result> {
  readonly result: Promise<Result>;
  /** Settles its open operations as cancelled and ends their effects. Does nothing once it is over. */
  cancel(reason: string): void;
}

/** Facts about the run that never change. */
export interface RunFacts {
  readonly id: string;
  readonly workflow: string;
  readonly instance: string;
  readonly task: string | undefined;
  /** Of a step workflow. */
  readonly input: Json | undefined;
  readonly params: { readonly [name: string]: Json };
  readonly cwd: string;
  /** Whether another workflow runs it, and gave it its task and input. */
  readonly isChild: boolean;
  /** True if the run counts failures in a row and stops at a number of them; false in runs of earlier versions. */
  readonly isBraked: boolean;
}

/**
 * The only door between a program and the world. Every method that returns a promise is a journaled
 * operation; promises reject with ENGINE_CANCELLED when the scope is cancelled.
 */
export interface Context {
  readonly run: RunFacts;
  /** Path of the scope, empty for the program itself. */
  readonly path: string;
  /** Runs a function at least once and records its JSON result exactly once. */
  step<Result extends Json>(
    name: string,
    run: (call: StepCall) => Promise<Result> | Result,
    options?: StepOptions,
  ): Promise<Result>;
  /** The same for a wait for something outside of the run, which is no work: a run can rest meanwhile. */
  watch<Result extends Json>(
    name: string,
    run: (call: StepCall) => Promise<Result>,
  ): Promise<Result>;
  /** Raises AGENT_LIMIT_RUNNING, AGENT_LIMIT_TOTAL, AGENT_LIMIT_DEPTH, AGENT_EXISTS. */
  spawn(spec: AgentSpec, options?: SpawnOptions): Promise<AgentHandle>;
  /** Gives a prompt to an agent and waits for the end of the turn that took it. */
  turn(agent: string, prompt: string, options?: TurnOptions): Promise<TurnResult>;
  /** Cuts off the agent's turns; resolves with its status before. */
  interrupt(agent: string): Promise<AgentStatus>;
  /** Ends the agent; resolves with its status before. */
  release(agent: string, reason: string): Promise<AgentStatus>;
  /** Posts as `system`. */
  post(message: SystemDraft): Promise<PostReceipt>;
  /** Starts listening; no event. Its cursor is the seq of the last delivered outcome. */
  subscribe(selector: Selector): Subscription;
  /** The first matching fact after the cursor, or undefined at the timeout (running time). */
  next(
    subscription: Subscription,
    options?: { readonly timeoutMs?: number },
  ): Promise<JournalEvent | undefined>;
  /** Closes a tool call that belongs to the program. */
  answer(request: string, value: Json, options?: { readonly isError?: boolean }): Promise<void>;
  /** Resolves when something waits in the inbox of an agent that is worth a turn of its own. */
  woken(agent: string): Promise<void>;
  /**
   * Resolves when all agents are idle, no inbox item is unseen and no wake is pending, for `quietMs`. `agents`: looks at
   * these and those that they have spawned alone.
   */
  quiescent(options: {
    readonly quietMs: number;
    readonly agents?: readonly string[];
  }): Promise<void>;
  /** Calendar time. */
  sleep(durationMs: number): Promise<void>;
  approval(spec: ApprovalSpec): Promise<ApprovalDecision>;
  /** Resolves when a person has answered. */
  question(spec: QuestionSpec): Promise<PersonAnswer>;
  /** Resolves when the child is over, whatever its outcome. */
  child(spec: ChildSpec): Promise<ChildResult>;
  /** Names a concurrent branch; its operations carry the name in their ids. */
  scope<Result>(
    name: string,
    run: (context: Context) => Promise<Result>,
    options?: ScopeOptions,
  ): Scope<Result>;
  /**
   * What an earlier run made of a step that was given the same; undefined when it has to be carried out. Pure: a
   * hit is noted as `step-completed` with its `reusedFrom`, and nothing is started for it.
   */
  reusable(key: ReuseKey): ReusableStep | undefined;
  /** What a fork puts in place of what this execution of a step came to; undefined when that stands. Pure. */
  revised(step: Pick<StepAddress, "path" | "execution">): RevisedStep | undefined;
  /** Time of the last delivered event, in ms since the epoch. */
  now(): number;
  /** A number in [0, 1) that replays the same. */
  random(): number;
  newId(prefix: string): string;
  /** Writes a note; skipped in replay. */
  note(data: NoteData): void;
  log(level: "info" | "warning" | "error", text: string): void;
  /** Adds to the trajectory of the run in the name of its workflow; skipped in replay. Raises ENGINE_RECORD_INVALID. */
  record(record: TrajectoryRecord): void;
  /**
   * Runs a pattern that the workflow names in a scope of its own, as a step of `type: pattern` does. The run of a pattern
   * has no other one loaded: it raises WORKFLOW_UNKNOWN_PATTERN.
   */
  pattern(name: string, options: Json): Promise<Json>;
}
