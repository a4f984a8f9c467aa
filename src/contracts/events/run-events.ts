import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { Outcome, RunLimits, WaitingItem } from "../run.ts";
import type { TrajectoryRecord } from "../trajectory.ts";
import type { TurnTerms } from "../turn-terms.ts";
import type { LeftWorktree, RevisedStep } from "./reuse.ts";

/** The run exists; everything that it was started with. Always seq 1. */
export interface RunCreated {
  readonly type: "run-created";
  readonly workflow: string;
  readonly instance: string;
  /** SHA-256 of the canonical JSON of the definition, which lies in the journal under this hash. */
  readonly definitionHash: string;
  /** Registered name of the program that carries the run out, such as `pattern/dag`. */
  readonly program: string;
  /** Source of the run's random numbers and ids. */
  readonly seed: string;
  /** Version of troupe that created the run. */
  readonly troupe: string;
  /** Directory where agents start, absolute. */
  readonly cwd: string;
  readonly file?: string;
  /** SHA-256 of the workflow file's text. */
  readonly fileHash?: string;
  /** What the repository around `cwd` had checked out; absent outside of one. */
  readonly repository?: { readonly commit: string | null };
  readonly task?: string;
  readonly params?: { readonly [name: string]: Json };
  readonly input?: Json;
  readonly limits: RunLimits;
  readonly parent?: { readonly run: string; readonly op: string };
  /** The run whose successful steps this one may take over; the table lies in the journal under the hash. */
  readonly reuse?: {
    readonly run: string;
    readonly hash: string;
    /** Commits of agents whose steps may be reused; their worktrees in this run begin with them. */
    readonly worktrees?: readonly LeftWorktree[];
  };
  /** The program of a run that started this one, by its mark; absent where a person did. It may decide here (SEC-3). */
  readonly startedBelow?: string;
  /** The schedule that started it, and for which of its times (ISO). */
  readonly schedule?: ScheduledTime;
  /** Absent in runs of versions that did not record it, and in runs that are kept in memory. */
  readonly configuration?: RunConfiguration;
}

/**
 * Configuration that a run began with, as far as it decides which programs run, what agents may do, and where
 * conversations and secrets are sent. A run is not resumed under another one unless a person accepts that.
 */
export interface RunConfiguration {
  /** Values by key, such as `backends.anthropic.baseUrl`; secrets are masked. */
  readonly settings?: { readonly [key: string]: string };
  /** SHA-256 by path of the project's files that took effect because the project was trusted. */
  readonly files?: { readonly [path: string]: string };
  /** Set if the project was trusted for this run only (`--trust`). */
  readonly isGiven?: true;
}

/** One time of a schedule. */
export interface ScheduledTime {
  readonly name: string;
  /** ISO time. */
  readonly due: string;
}

/** All events before this one are those of another run; from here on this run goes its own way (ENG-15). */
export interface RunForked {
  readonly type: "run-forked";
  /** The other run, and the last event that both share. */
  readonly source: { readonly run: string; readonly seq: number };
  /** Source of random numbers and ids from here on. */
  readonly seed: string;
  readonly set?: ForkChanges;
  /** As in `run-created`, of whoever made the fork. */
  readonly startedBelow?: string;
}

/** What holds in a fork in place of what the shared events say. */
export interface ForkChanges {
  readonly task?: string;
  /** All of them. */
  readonly params?: { readonly [name: string]: Json };
  readonly input?: Json;
  readonly steps?: readonly RevisedStep[];
}

/** The run goes on with another definition, which fits all that is recorded (ENG-14). */
export interface DefinitionChanged {
  readonly type: "definition-changed";
  /** As in `run-created`. */
  readonly definitionHash: string;
  readonly file: string;
  readonly fileHash: string;
}

/** The first owner begins to carry the run out. */
export interface RunStarted {
  readonly type: "run-started";
  readonly epoch: number;
}

/** A later owner goes on. */
export interface RunResumed {
  readonly type: "run-resumed";
  readonly epoch: number;
  /** All limits for the rest of the run, if any of them was changed. */
  readonly limits?: RunLimits;
  /** Configuration for the rest of the run, if it differs from the recorded one. */
  readonly configuration?: RunConfiguration;
}

/** The owner let go without settling anything; `resume` goes on. */
export interface RunSuspended {
  readonly type: "run-suspended";
  readonly reason: "interrupted" | "paused" | "waiting";
  readonly waitingFor: readonly WaitingItem[];
  readonly exitCode: number;
  /** Why the run cannot continue until a person has looked at it. */
  readonly error?: ErrorReport;
}

/** The run is over. Written once, unless `resumable`. */
export interface RunEnded {
  readonly type: "run-ended";
  readonly outcome: Outcome;
  readonly reason: string;
  readonly resumable: boolean;
  readonly exitCode: number;
  /** Running time, without suspension and waiting for people. */
  readonly durationMs: number;
  readonly result: Json;
  readonly error?: ErrorReport;
}

/** The run is to end; reaches the program in the order of the journal. */
export interface CancellationRequested {
  readonly type: "cancellation-requested";
  readonly reason: string;
  readonly by: string;
}

/** A command came in while nobody owned the run, or as the owner takes it in. */
export interface CommandReceived {
  readonly type: "command-received";
  readonly command: RunCommand;
  readonly by: string;
}

/** A request to one of a run's doors that was not served. */
export interface RefusedRequest {
  /**
   * `tools`: where processes of agents reach Troupe's tools; `commands`: where people's commands come in; `calls`: a
   * command or library call of a person that one of the run's programs made, as it told itself.
   */
  readonly door: "tools" | "commands" | "calls";
  /** Of the error that it was answered with. */
  readonly code: string;
  /** The agent whose token it carried, or whose call it was; absent where none of this run is known. */
  readonly agent?: string;
  /** What was called, such as `troupe trust`. */
  readonly command?: string;
}

/** Requests of one kind were refused: the first is told at once, then at most once a minute, with their number. */
export interface RequestsRefused extends RefusedRequest {
  readonly type: "requests-refused";
  /** Since the event of this kind before. */
  readonly count: number;
}

/** What people can tell a run. */
export type RunCommand =
  | {
      readonly kind: "resolve-approval";
      readonly approval: string;
      readonly decision: "approved" | "rejected";
      readonly comment?: string;
      readonly edited?: Json;
      /** Hash of what the person saw; a decision about something else is refused. */
      readonly hash?: string;
    }
  | {
      readonly kind: "resolve-permission";
      readonly id: string;
      readonly decision: "allowed" | "denied";
      readonly comment?: string;
      /** Allows the agent the same for the rest of the run. */
      readonly always?: true;
    }
  | { readonly kind: "answer-question"; readonly id: string; readonly answer: string }
  | {
      readonly kind: "send";
      readonly text: string;
      readonly to?: readonly string[];
      readonly channel?: string;
      /** Cut off the addressees' turns instead of waiting for their end. */
      readonly interrupt?: boolean;
      /** Recognises the same message when it is sent again. */
      readonly key: string;
      /** How the turn works that takes it. */
      readonly terms?: TurnTerms;
    }
  /** Adds to the trajectory of the run; needs nobody who carries it out. */
  | { readonly kind: "record"; readonly record: TrajectoryRecord }
  | { readonly kind: "cancel"; readonly reason: string }
  /** Cuts off what an agent does now, which it is not told again. Means nothing to a run that nobody carries out. */
  | { readonly kind: "interrupt"; readonly agent: string }
  /** Lets an agent begin anew on a fresh session: what it works on comes again, and so does what it has not read. */
  | { readonly kind: "restart"; readonly agent: string }
  /** From its next turn on an agent asks this model; without one, that which it is declared with. */
  | { readonly kind: "set-model"; readonly agent: string; readonly model?: string }
  /** An agent plans from now on, until a person has approved of its plan; without a mode it works as it is declared. */
  | { readonly kind: "set-mode"; readonly agent: string; readonly mode?: "plan" }
  /** An agent's session becomes shorter before its next answer. */
  | { readonly kind: "compact"; readonly agent: string }
  | { readonly kind: "pause" }
  | { readonly kind: "unpause" }
  /** Ends an agent: at once if forced, else after the turn that it works on. */
  | { readonly kind: "release"; readonly agent: string; readonly force?: boolean }
  /** Ends all agents so; what only goes on until it is stopped is completed then, all else cancelled. */
  | { readonly kind: "stop"; readonly force?: boolean };

export type RunEvent =
  | RunCreated
  | RunForked
  | DefinitionChanged
  | RunStarted
  | RunResumed
  | RunSuspended
  | RunEnded
  | CancellationRequested
  | CommandReceived
  | RequestsRefused;
