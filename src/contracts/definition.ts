import type { Json } from "../foundation/json.ts";
import type { AgentSpec } from "./agent.ts";
import type { Budget } from "./budget.ts";
import type { FlowStep } from "./flow-step.ts";
import type { PatternFunctionName } from "./pattern-functions.ts";
import type { ReflectionSpec } from "./reflection.ts";
import type { BarrierSpec, StepSpec } from "./step.ts";
import type { StigmergySpec } from "./stigmergy.ts";
import type { TrajectorySpec } from "./trajectory.ts";

/** What typed inputs can be. */
export const PARAM_TYPES = ["string", "number", "boolean", "enum"] as const;

/** A typed input of a workflow (WF-8). */
export interface ParamSpec {
  readonly type: (typeof PARAM_TYPES)[number];
  readonly values?: readonly string[];
  readonly default?: string | number | boolean;
  readonly required: boolean;
  readonly description?: string;
}

/** What can happen when a step of a pattern workflow fails for good (WF-10). */
export const FAILURE_POLICIES = ["continue", "abort", "pause"] as const;

/** What happens when a step of a pattern workflow fails for good. */
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** A pattern workflow, resolved: the value whose hash the journal records (ENG-14). Plain JSON. */
export interface PatternDefinition {
  readonly format: 1 | 2;
  readonly shape: "pattern";
  readonly name: string;
  readonly description?: string;
  readonly pattern: string;
  readonly params: { readonly [name: string]: ParamSpec };
  readonly agents: readonly AgentSpec[];
  readonly steps: readonly StepSpec[];
  readonly barriers: readonly BarrierSpec[];
  readonly onFailure: FailurePolicy;
  readonly maxConcurrency?: number;
  /** Running time of the whole run. */
  readonly timeoutMs?: number;
  /** What the whole run may consume, unless it is started with other limits. */
  readonly budget?: Budget;
  /** Its runs leave a trajectory each; absent: none. */
  readonly trajectory?: TrajectorySpec;
  /** How its work is reflected on; absent: it is not. */
  readonly reflection?: ReflectionSpec;
  /** Its agents leave marks for each other; absent: they do not. */
  readonly stigmergy?: StigmergySpec;
  /** Its weak branches are cut off; absent: none is. */
  readonly pruner?: PrunerSpec;
  /** Template of the main channel's name. */
  readonly channel: string;
  /** Options of the pattern itself. */
  readonly options: { readonly [key: string]: Json };
  /** Functions that whoever has started the run in code gives the pattern. Absent: none. */
  readonly functions?: readonly PatternFunctionName[];
  /** A template of what the agents are to do together. Absent: the run's task. */
  readonly goal?: string;
  /** How steps are ordered where the pattern leaves that to the file. Absent: by `dependsOn`. */
  readonly mode?: "sequential" | "parallel" | "dag";
  /** How turns are tried that a pattern without steps gives. Absent: once, for as long as they take. */
  readonly turns?: TurnRules;
  /** What ends a pattern that messages drive. What is absent is not bounded. */
  readonly bounds?: ConversationBounds;
  /** Where the pattern stands when it is a step of another workflow. */
  readonly within?: EnclosingStep;
}

/** How a turn is tried. */
export interface TurnRules {
  /** What ends those of a pattern that gives all of them itself, beside its own bound. What is absent is not bounded. */
  readonly bounds?: ConversationBounds;
  /** Attempts in all, 1 or more. */
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  /** Per turn. */
  readonly timeoutMs?: number;
}

/** The step that carries out a pattern inside of a larger workflow. */
export interface EnclosingStep {
  /** Path of the step; those of the pattern lie below it. */
  readonly path: string;
  /** How often the pattern is carried out there, with this time: the execution of each of its steps. */
  readonly execution: number;
  /** What the pattern is to do, in place of the run's task. */
  readonly task?: string;
  /** The same in pieces for agents that read, when somebody else wrote some of them: each of those says its source. */
  readonly told?: readonly { readonly text: string; readonly source?: string }[];
}

/** A shell command that runs before the kickoff (KCK-1). */
export interface SetupTask {
  readonly shell: string;
  /** Variable that gets the trimmed output. */
  readonly as?: string;
  readonly timeoutMs?: number;
}

/** A kickoff workflow, resolved. Plain JSON. */
export interface KickoffDefinition {
  readonly format: 1 | 2;
  readonly shape: "kickoff";
  readonly name: string;
  readonly description?: string;
  readonly params: { readonly [name: string]: ParamSpec };
  readonly agents: readonly AgentSpec[];
  /** What the agents share; absent when they share nothing. */
  readonly context?: KickoffContext;
  readonly setup: readonly SetupTask[];
  /** Directory of the file, absolute: where `setup` runs. */
  readonly setupDirectory: string;
  /** Text with its variables, posted by `system`; absent when the agents wait for messages. */
  readonly kickoff?: string;
  /** `idle`: over when nobody has anything left to do. `stopped`: over when it is told to stop (KCK-4). */
  readonly until: "idle" | "stopped";
  /** How long nothing must happen before the run counts as idle, in ms. */
  readonly quietMs: number;
  readonly bounds: ConversationBounds;
  /** Running time of the whole run. */
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  /** Its runs leave a trajectory each; absent: none. */
  readonly trajectory?: TrajectorySpec;
  /** Template of the main channel's name. */
  readonly channel: string;
}

/** Shared channel and document; a part that is off is absent. */
export interface KickoffContext {
  /** Template of the absolute directory of the mirrors. */
  readonly directory: string;
  /** `file` is a template of a file's name. */
  readonly channel?: { readonly file: string };
  readonly document?: { readonly file: string };
}

/** Time between two looks of a pruner where nobody says another. */
export const DEFAULT_EVALUATION_INTERVAL_MS = 30_000;

/** How weak branches of a graph are cut off while they are under way (PRM-pruner). */
export interface PrunerSpec {
  /** Whose FITNESS says how good a branch is. */
  readonly evaluator: string;
  /** Branches below it are cut off. Absent: none is for that. */
  readonly pruneThreshold?: number;
  /** As many of the best branches stay. Absent: all. */
  readonly beamWidth?: number;
  readonly evaluationIntervalMs: number;
}

/** What ends a conversation that does not end by itself (KCK-3). What is absent is not bounded. */
export interface ConversationBounds {
  readonly turnsPerAgent?: number;
  readonly messages?: number;
  /** Alternations between the same two agents without a third voice or a changed file. */
  readonly pingPong?: number;
}

/** A step workflow, resolved. Plain JSON. */
export interface StepsDefinition {
  readonly format: 1 | 2;
  readonly shape: "steps";
  readonly name: string;
  readonly description?: string;
  /** Always empty: a step workflow has an input instead. */
  readonly params: { readonly [name: string]: ParamSpec };
  /** All agents that its steps name, spawned when they are first used. */
  readonly agents: readonly AgentSpec[];
  /** Templates of the prompts of agents that have one, by agent. */
  readonly prompts: { readonly [agent: string]: string };
  /** The first one begins. */
  readonly steps: readonly FlowStep[];
  /** Whether steps without routing run side by side (STP-13). */
  readonly parallel: boolean;
  /** What the context holds before any step. */
  readonly initialContext: { readonly [name: string]: Json };
  /** Most steps that are executed, without those inside of others. */
  readonly maxIterations: number;
  /** Running time, in ms. */
  readonly maxDurationMs: number;
  /** Failed steps that end the run. */
  readonly maxErrors: number;
  /** Steps at the same time. Absent: all. */
  readonly maxConcurrency?: number;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  /** Its runs leave a trajectory each; absent: none. */
  readonly trajectory?: TrajectorySpec;
  /** Template of the main channel's name. */
  readonly channel: string;
  /** Workflows that its steps run, by the name under which the steps ask for them. */
  readonly workflows: { readonly [name: string]: WorkflowDefinition };
}

/** The definitions of workflows by their shape; the file of a further shape adds its own by `declare module`. */
export interface WorkflowDefinitions {
  readonly pattern: PatternDefinition;
  readonly steps: StepsDefinition;
  readonly kickoff: KickoffDefinition;
}

/** A workflow of any shape, resolved: what the journal's recipe holds. */
export type WorkflowDefinition = WorkflowDefinitions[keyof WorkflowDefinitions];

/** What a workflow says of trajectories; undefined where that is nothing, and for shapes that cannot say it. */
export function trajectorySpecOf(definition: WorkflowDefinition): TrajectorySpec | undefined {
  return "trajectory" in definition ? definition.trajectory : undefined;
}
