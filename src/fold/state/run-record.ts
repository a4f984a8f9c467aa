import type { RevisedStep } from "../../contracts/events/reuse.ts";
import type {
  RunCommand,
  RunConfiguration,
  RunCreated,
  ScheduledTime,
} from "../../contracts/events/run-events.ts";
import type { Outcome, RunLimits, SuspendReason, WaitingItem } from "../../contracts/run.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";

/** What a run was started with. Texts are empty until `run-created` is folded. */
export interface RunRecord {
  readonly id: string;
  readonly workflow: string;
  readonly instance: string;
  readonly program: string;
  readonly definitionHash: string;
  readonly seed: string;
  /** Version of troupe that created the run. */
  readonly troupe: string;
  readonly cwd: string;
  readonly file: string | undefined;
  /** SHA-256 of that file's text. */
  readonly fileHash: string | undefined;
  /** What was checked out around `cwd`; a commit of null is that of a repository without one. */
  readonly repository: { readonly commit: string | null } | undefined;
  readonly task: string | undefined;
  readonly params: { readonly [name: string]: Json };
  readonly input: Json | undefined;
  readonly parent: { readonly run: string; readonly op: string } | undefined;
  /** The run whose successful steps this one may take over, and the hash of their table. */
  readonly reuse: RunCreated["reuse"];
  /** The program of a run that started this one; undefined where a person did. */
  readonly startedBelow: string | undefined;
  /** The schedule that started it, and for which of its times. */
  readonly schedule: ScheduledTime | undefined;
  /** The run of which this one is a fork, and the last event that they share. */
  readonly forkedFrom: { readonly run: string; readonly seq: number } | undefined;
  /** What takes the place of the seed after an event, in rising order; empty unless it is a fork. */
  readonly laterSeeds: readonly { readonly afterSeq: number; readonly seed: string }[];
  /** What forks have put in place of what steps came to, the latest last. */
  readonly revisedSteps: readonly RevisedStep[];
  /** As the last `run-created` or `run-resumed` has them. */
  readonly limits: RunLimits;
  /** As the last `run-created` or `run-resumed` has it; undefined where none was recorded. */
  readonly configuration: RunConfiguration | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** First start, in ms since the epoch. */
  readonly startedAt: number | undefined;
}

/** Where a run is in its life. */
export type RunPhase =
  | { readonly status: "created" }
  | { readonly status: "running" }
  | {
      readonly status: "suspended";
      readonly reason: SuspendReason;
      readonly waitingFor: readonly WaitingItem[];
      readonly exitCode: number;
      /** Why the run cannot continue until a person has looked at it. */
      readonly error: ErrorReport | undefined;
      /** Milliseconds since the epoch. */
      readonly suspendedAt: number;
    }
  | {
      readonly status: "ended";
      readonly outcome: Outcome;
      readonly reason: string;
      readonly resumable: boolean;
      readonly exitCode: number;
      readonly durationMs: number;
      readonly result: Json;
      readonly error: ErrorReport | undefined;
      /** Milliseconds since the epoch. */
      readonly endedAt: number;
    };

/** That the run is to end, and who wants it. */
export interface Cancellation {
  readonly reason: string;
  readonly by: string;
  readonly seq: number;
}

/** A command whose effect is not in the journal yet. */
export interface OpenCommand {
  readonly seq: number;
  readonly command: RunCommand;
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Running time: what deadlines and budgets count. */
export interface RunningTime {
  /** Milliseconds that count up to `countedUntil`. */
  totalMs: number;
  /** The same with the time in which everything waited for people: all in which somebody owned the run. */
  ownedMs: number;
  /** Time of the last event that was counted, in ms since the epoch. */
  countedUntil: number;
}

/** The record of a run of which nothing is known but its id. */
export function createRunRecord(id: string): RunRecord {
  return {
    id,
    workflow: "",
    instance: "",
    program: "",
    definitionHash: "",
    seed: "",
    troupe: "",
    cwd: "",
    file: undefined,
    fileHash: undefined,
    repository: undefined,
    task: undefined,
    params: {},
    input: undefined,
    parent: undefined,
    reuse: undefined,
    startedBelow: undefined,
    schedule: undefined,
    forkedFrom: undefined,
    laterSeeds: [],
    revisedSteps: [],
    limits: {},
    configuration: undefined,
    createdAt: 0,
    startedAt: undefined,
  };
}
