import type {
  AgentExitReason,
  AgentSpec,
  AgentStatus,
  PermissionMode,
  TurnRights,
} from "../../contracts/agent.ts";
import type { CollabStatusName } from "../../contracts/collab.ts";
import type {
  AuthorTold,
  FileChanged,
  NudgeRung,
  TurnItem,
} from "../../contracts/events/agent-events.ts";
import type { AgentWorktree } from "../../contracts/events/place-events.ts";
import type { Signal } from "../../contracts/signal.ts";
import type { StepAddress } from "../../contracts/step.ts";
import type { TurnTerms } from "../../contracts/turn-terms.ts";
import type { Usage } from "../../contracts/usage.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { CallTrail } from "./call-trail.ts";

/** A session that is open, or that crashed and may be resumed. */
export interface SessionState {
  readonly session: string;
  readonly isOpen: boolean;
  readonly resume: string | undefined;
}

/** Something that was done about a session that seemed stuck. */
export interface Nudge {
  readonly rung: NudgeRung;
  readonly observation: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A step whose budget, and those of the steps around it, count something. */
export type CountedStep = Pick<StepAddress, "id" | "path">;

/** A turn that runs, or that was cut off and is to be started again. */
export interface TurnState {
  readonly turn: number;
  readonly attempt: number;
  readonly session: string;
  readonly key: string;
  readonly items: readonly TurnItem[];
  readonly step: StepAddress | undefined;
  /** The step whose budget counts it: its own, or the one that its agent serves. */
  readonly countedStep: CountedStep | undefined;
  /** What holds in it in place of what its agent is declared with. */
  rights: TurnRights | undefined;
  /** How it works where that is not as its agent is declared. */
  readonly terms: TurnTerms;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Open permission requests and questions of this turn. */
  readonly asks: Set<string>;
  /** Files that it has changed, in whichever attempt, and how. */
  readonly changes: Map<string, FileChanged["kind"]>;
  /** Open `turn` operations among the items. */
  prompts: number;
  /** How often it was cut off because its model's provider asked to wait. */
  waits: number;
  /** When that happened for the first time, in milliseconds since the epoch. */
  waitsSince: number | undefined;
  /** What models have answered in this start of it, until its end says what it used. */
  answered: Usage;
  /** What it has called, in whichever attempt, until it ends. */
  readonly trail: CallTrail;
}

/** One agent, from `agent-spawned` on. */
export interface AgentState {
  readonly id: string;
  readonly spec: AgentSpec;
  readonly backend: string;
  /** What a turn used that tells nothing of it. */
  readonly untold: "nothing" | "unknown";
  /** Milliseconds since the epoch. */
  readonly spawnedAt: number;
  status: AgentStatus;
  statusReason: string | undefined;
  /** The permission mode that holds in place of the one that it is declared with. */
  mode: PermissionMode | undefined;
  /** The model that it asks in place of the one that it is declared with. */
  model: string | undefined;
  /** Whether its session is to become shorter before its next answer. */
  isToCompact: boolean;
  /** What the agent says that it is doing. */
  statusText: string | undefined;
  /** Open and crashed sessions; those that ended for good are forgotten. */
  readonly sessions: Map<string, SessionState>;
  /** The last entry of each session's record that can be gone on with, by what its backend needs to go on. */
  readonly records: Map<string, string>;
  /** Of what its tools returned, what is kept beside what it was shown. */
  restBytes: number;
  /** What it is to be told with its next turn, until that has ended. */
  told: readonly Pick<AuthorTold, "turn" | "text">[];
  /** What was done about sessions that seemed stuck, by session, until one of their turns ends. */
  readonly nudges: Map<string, readonly Nudge[]>;
  /** What sessions that were lost had done, by session, until a turn of the next one ends. */
  readonly handOvers: Map<string, string>;
  /** Sessions that were ever opened. */
  sessionsOpened: number;
  /** Highest number of a turn so far. */
  lastTurn: number;
  /** Turns that run now. */
  readonly turns: Map<number, TurnState>;
  /** Turns cut off that are to be started again with the same items. */
  readonly interruptedTurns: Map<number, TurnState>;
  /** What turns had called that failed, by their keys: another turn may take the same prompt. The last few. */
  readonly failedTrails: Map<string, CallTrail>;
  /** Turns that ended, all together. */
  turnsEnded: number;
  /** Turns that ended per step path; those without a step under the empty name. */
  readonly turnsByStep: Map<string, number>;
  usage: Usage;
  /** Final text of the last turn that had one. */
  lastText: string | undefined;
  /** Payload of the last counted `done` signal. */
  summary: string | undefined;
  /** The last counted signal of each kind. */
  readonly signals: Map<string, Signal>;
  exit: AgentExit | undefined;
  /** Of an agent that another one has spawned: the step for which it was given something to do last. */
  serves: CountedStep | undefined;
  /** How its last turn, or its life, ended; undefined until then. */
  ending: AgentEnding | undefined;
  /** What the backend needs to go on with its kept session after its life. */
  lastResume: string | undefined;
  /** Where it works, if something keeps that apart. */
  place: PlaceState | undefined;
  readonly activity: AgentActivity;
}

/** The place of an agent. */
export interface PlaceState {
  /** Absolute. */
  readonly directory: string;
  readonly worktree: AgentWorktree | undefined;
  /** Whether the system bounds its processes; undefined where nobody asked for that. */
  readonly isConfined: boolean | undefined;
  /** Whether a session of the agent was opened there. */
  readonly isUsed: boolean;
  /** What was in its worktree when it was done; a commit of undefined is none of its own. */
  readonly end: { readonly commit: string | undefined; readonly files: number } | undefined;
}

/** How an agent came to have nothing to do. */
export interface AgentEnding {
  readonly status: Exclude<CollabStatusName, "pending_init" | "running" | "not_found">;
  readonly text: string;
  /** Seq of the event that says so. */
  readonly seq: number;
}

/** How an agent's life ended. */
export interface AgentExit {
  readonly reason: AgentExitReason;
  readonly error: ErrorReport | undefined;
  /** Milliseconds since the epoch. */
  readonly exitedAt: number;
}

/** An agent's part in the run's activity. */
export interface AgentActivity {
  /** Open `turn` operations that no running turn has taken. */
  queuedPrompts: number;
  /** Running turns that wait for a person. */
  waitingTurns: number;
  /** Open `turn` operations that these have taken. */
  waitingPrompts: number;
}
