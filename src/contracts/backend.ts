import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import type { AgentHandle, AgentSpec } from "./agent.ts";
import type { ContextAccess, ContextReach } from "./context-access.ts";
import type { Confinement, ResourceLimits } from "./host.ts";
import type { ReceivedMessage } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";
import type { DescribedTool } from "./tool.ts";
import type { TurnClient } from "./turn-client.ts";
import type { Usage } from "./usage.ts";

/** Keys of an agent that say which program, function or script it is. */
export type ProgramKey = "command" | "module" | "script";

/** Keys of an agent that only a loop of Troupe's own can keep (LOOP-9). */
export const LOOP_KEYS = [
  "maxTurns",
  "effort",
  "maxOutputTokens",
  "autoApprovePlanMode",
  "mcpServers",
] as const;

/** A key of an agent that only a loop of Troupe's own can keep. */
export type LoopKey = (typeof LOOP_KEYS)[number];

/** What whoever loads workflows has to know of a backend. */
export interface BackendTraits {
  /** Its program, function, person or script is the agent: no other backend can stand in for it. */
  readonly isFixed?: true;
  /**
   * Keys of an agent that have a meaning with this backend alone: which program, function or script it is, without which
   * a program of one's own cannot do, and bounds of a loop that is Troupe's own.
   */
  readonly takes?: readonly (ProgramKey | LoopKey)[];
  /** Whose models it asks for anyway. Others want the provider in the name of a model, or take any. */
  readonly providers?: readonly string[];
  /**
   * Who does the work in place of a model. A `program`, which may be a function, is given its input as it is and may get
   * along without one; a `person` is asked. Neither is told conventions or owes a signal.
   */
  readonly worker?: "program" | "person";
}

/** What is known of a backend; undefined for one that a configuration defines. */
export type TraitsOf = (backend: string) => BackendTraits | undefined;

/** The backends of a run: each is loaded when it is needed first, and made once. */
export interface BackendShelf {
  /** One that was loaded; undefined for others. */
  find(name: string): AgentBackend | undefined;
  /** Raises BACKEND_UNKNOWN, BACKEND_NOT_AVAILABLE. */
  load(name: string): Promise<AgentBackend>;
}

/** Why a turn ended, in the words of the Agent Client Protocol; `error` carries its own report. */
export type StopReason = "end_turn" | "max_turns" | "max_tokens" | "refusal" | "cancelled";

/** What a backend reports while a turn runs. The stream ends after `stop` or `error`, never without one. */
export type TurnUpdate =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly call: string;
      readonly tool: string;
      readonly input: Json;
    }
  | {
      readonly type: "tool-result";
      readonly call: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly result: string;
    }
  | {
      readonly type: "file-change";
      readonly path: string;
      readonly kind: "create" | "edit" | "delete";
    }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Work goes on that has no name of its own: whoever watches the agent knows that it lives. */
  | { readonly type: "activity" }
  /** The agent's program waits before it asks its model again. */
  | { readonly type: "retrying"; readonly reason: RetryReason; readonly delayMs?: number }
  /** The final text of the turn; the concatenated deltas when absent. */
  | { readonly type: "stop"; readonly reason: StopReason; readonly text?: string }
  /** `sessionLost`: the session cannot take another turn (its process died). */
  | {
      readonly type: "error";
      readonly error: ErrorReport;
      readonly sessionLost?: boolean;
      readonly text?: string;
    };

/** Why a model is asked again. */
export type RetryReason = "rate-limit" | "overloaded" | "server-error" | "connection";

/** Whether the provider has too much to do, for this account or at all. */
export function isThrottling(reason: RetryReason): boolean {
  return reason === "rate-limit" || reason === "overloaded";
}

/** The turn that a session is asked to carry out. */
export interface TurnRequest {
  readonly run: string;
  readonly agent: string;
  /** Counts the agent's turns from 1; the same again when a turn is started again. */
  readonly turn: number;
  /** 1, and 1 more for each start after an interruption. */
  readonly attempt: number;
  /** `<run id>/<operation id>`, or that of the first message and the agent: the same through all retries and crashes. */
  readonly key: string;
  /** All that the agent is told: conventions, task, messages. */
  readonly prompt: string;
  /** The task alone, for backends that take no conventions. */
  readonly task: string;
  /** The messages that the turn takes, with their whole texts; absent when a prompt asked for it. */
  readonly messages?: readonly ReceivedMessage[];
  /** Path of the step that the turn serves. */
  readonly step?: string;
  /** Counts the starts of this execution of the step, from 1; also those after a death of the owner. */
  readonly stepAttempt?: number;
  /** What went wrong in the attempt before. */
  readonly previousError?: string;
  /** The agent's ended turns per step path; turns without a step under the empty name. */
  readonly turnsBefore: { readonly [step: string]: number };
  /** What the agent is told of an interruption of this turn; the prompt begins with it. */
  readonly interruption?: string;
  /** The session becomes shorter first, where its backend can do that. */
  readonly compact?: true;
  /** Aborts when the turn must end; the stream then stops with `cancelled` soon. */
  readonly signal: AbortSignal;
  /** What the agent may ask of Troupe during this turn, as itself. */
  readonly client: TurnClient;
}

export interface SessionRequest {
  readonly run: string;
  readonly spec: AgentSpec;
  /** Name of the session, unique in the run. */
  readonly session: string;
  /** Absolute directory. */
  readonly cwd: string;
  /** The whole environment of the agent's processes. */
  readonly env: { readonly [name: string]: string };
  /** How these processes reach Troupe's tools; `env` says it too. Absent without `AgentBackend.reach`. */
  readonly access?: Pick<ContextAccess, "token" | "url"> & {
    /** Absent where they can open no socket. */
    readonly socketPath?: string;
    /** For backends whose every turn has a process of its own: the token of the one before is nobody's then. */
    readonly renew?: ContextAccess["renew"];
  };
  /** Go on with this session of an earlier process. */
  readonly resume?: string;
  /** Append-only log file of the agent, absolute. Absent in runs that keep no files. */
  readonly logFile?: string;
  /**
   * Directory of this agent alone, absolute and readable by nobody else: for configuration, state and scratch
   * files of its program. It is there, and stays for as long as the run is kept. Absent in runs that keep no files, and
   * where this process itself carries out the turns.
   */
  readonly directory?: string;
  /** Whether what the project itself configures for the program may take effect (SEC-1). Defaults to false. */
  readonly trustsProject?: boolean;
  /** What the agent's processes may do; every one of them is started with it. Absent: no bounds of the system. */
  readonly confine?: Confinement;
  /** What the agent's processes may take of the machine; every one of them is started with it. Absent: what the host allows. */
  readonly limits?: Partial<ResourceLimits>;
  /** What the session wrote of itself so far, and where it goes on with it. Absent: nothing of it outlives this process. */
  readonly record?: SessionRecord;
  /** Troupe's own tools that the agent is offered, for those who call them by `TurnClient.callTool`. Absent: none. */
  readonly tools?: () => Promise<readonly DescribedTool[]>;
}

/** A program of the agent that a person uses in a terminal. */
export interface InteractiveCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
}

/** What a backend keeps between the turns of one agent. One turn at a time. */
export interface AgentSession {
  /** What `SessionRequest.resume` takes later, if the session can be resumed. */
  readonly resume?: string;
  /** Carries out one turn. Aborting `request.signal` ends it and all that it started. */
  prompt(request: TurnRequest): AsyncIterable<TurnUpdate>;
  /** Puts a text into the turn that runs; resolves with whether it was taken. Absent: it cannot. */
  steer?(text: string): Promise<boolean>;
  /** Ends the session and every process that it started. Idempotent. */
  close(): Promise<void>;
}

/** What is missing before a backend can work, with what to do about it. */
export interface BackendProblem {
  readonly message: string;
  readonly hint?: string;
}

/**
 * What turns of a backend tell of their use. `free`: they use no model. `exact`: what they do not tell they did
 * not use. `tokens`: tokens, never a cost. `none`: neither, although they use a model.
 */
export type Metering = "free" | "exact" | "tokens" | "none";

/**
 * What the user's program keeps of who is signed in; all paths are absolute. In a sandbox all of it is read-only, but
 * for the files of tokens and sessions: whatever else it holds, the same program would obey outside (SEC-5).
 */
export interface StoredLogin {
  readonly directory: string;
  /** Files beside the directory that belong to it. Defaults to none. */
  readonly beside?: readonly string[];
  /** Files in it with tokens: written in place, never made. Defaults to none. */
  readonly tokens?: readonly string[];
  /** Directories in it with sessions: made where they are missing. Defaults to none. */
  readonly sessions?: readonly string[];
  /** Directories in it with what only one process needs: empty in a sandbox, made where they are missing. Defaults to none. */
  readonly scratch?: readonly string[];
}

/**
 * How a backend's agents are signed in to their model here (AGT-14). With a `key` each agent gets a private
 * configuration directory; with a `login` its program uses the user's own, which is neither copied nor changed.
 */
export type SignIn =
  | { readonly by: "key"; readonly variable: string }
  | ({ readonly by: "login" } & StoredLogin)
  | { readonly by: "nothing" };

/** A way to run agents (AGT-1). */
export interface AgentBackend {
  readonly name: string;
  /** See AgentHandle.conventions. */
  readonly conventions: AgentHandle["conventions"];
  /** Whether a step of such an agent must give a signal when it names none. */
  readonly demandsSignal: boolean;
  /** What its turns tell of their use. Absent: they may tell, and what they do not tell is not known. */
  readonly metering?: Metering;
  /** Whether its sessions become shorter where a turn asks for it. Defaults to false: its program sees to that itself. */
  readonly canCompact?: boolean;
  /** Whether the texts of messages can be put into its prompts. */
  readonly takesMessages: boolean;
  /** How its processes reach Troupe's tools from outside. Absent: not at all, or through `TurnRequest.client`. */
  readonly reach?: ContextReach;
  /**
   * How long its client lets a call of a tool run, in ms; Infinity where nothing gives up. Absent: nobody knows, and
   * calls are kept short.
   */
  readonly toolCallTimeoutMs?: number;
  /** What its program puts before the names of Troupe's tools, such as `mcp__troupe__`. Absent: nothing, or nobody knows. */
  readonly toolPrefix?: string;
  /** Its turns wait for a person, so they take none of the places for turns. Defaults to false. */
  readonly isPerson?: boolean;
  /** Its turns are carried out by this process itself, to which the system sets no bounds. Defaults to false. */
  readonly runsInProcess?: boolean;
  /**
   * Whether its programs were shown to work in a sandbox: with nothing of the user's home but their login, and without
   * unix sockets. Defaults to false: an agent that asks for one is refused.
   */
  readonly livesInSandbox?: boolean;
  /** Whether its agents change files by themselves: what they changed is looked for after an interruption. Defaults to false. */
  readonly changesFiles?: boolean;
  /** Variables of Troupe's own environment that its agents get: the keys and addresses of its models. */
  readonly passes?: readonly string[];
  /**
   * Hosts and URLs where its agents with this environment reach their model: all of the network that they have in a
   * sandbox. Absent: they use none, or nobody knows.
   */
  modelAddresses?(env: { readonly [name: string]: string }): readonly string[];
  /** How its agents with this environment are signed in. Absent: nobody has to be. Reads files, starts nothing. */
  signIn?(env: { readonly [name: string]: string }): SignIn;
  /** Names the account that pays for a session's turns; sessions of one account slow down together. */
  account?(request: Pick<SessionRequest, "spec" | "env">): string;
  /** How a person goes on with the session of `request.resume` in a terminal. Absent: nobody can. */
  interactive?(request: SessionRequest): Promise<InteractiveCommand>;
  /** Checks an agent's settings and what they need on this machine, before a run starts. */
  check(spec: AgentSpec): Promise<readonly BackendProblem[]>;
  /** Opens a session. Raises BACKEND_* errors. */
  open(request: SessionRequest): Promise<AgentSession>;
}
