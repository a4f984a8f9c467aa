import { sep } from "node:path";
import type { z } from "zod";
import type { StepBudgets } from "../../agents/budget/turn-budgets.ts";
import type { ContextFiles } from "../../contracts/context-files.ts";
import type { FailurePolicy, WorkflowDefinition } from "../../contracts/definition.ts";
import type { WorkflowGraph } from "../../contracts/graph.ts";
import type { Program, ProgramResult } from "../../contracts/program.ts";
import type { StepSpec } from "../../contracts/step.ts";
import type { RunState } from "../../fold/run-state.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { Project } from "../project.ts";

/** What a shape may know of a run before its program starts. */
export interface RunIdentity {
  readonly id: string;
  readonly workflow: string;
  readonly instance: string;
}

/** How the owner of a run sets up what its program works with. */
export interface RunSetup {
  readonly mainChannel: string;
  /** Words that count as signals in every turn, beside the standing ones. */
  readonly markers: readonly string[];
  /** Steps that are known before the run starts. */
  readonly stepTotal: number;
  readonly stepBudgets: StepBudgets;
  /** Whether messages move the agents: then a turn that no prompt asked for takes them, whatever its backend. */
  readonly isMessageDriven: boolean;
  /** Whether a second live run of the same workflow and instance is refused. */
  readonly isExclusive: boolean;
  /** What the end of a turn that no prompt asked for posts to the main channel as its agent. */
  readonly announces: "none" | "text";
  /** What agents are offered tools for. */
  readonly shares: { readonly channel: boolean; readonly document: boolean };
  /** Where people find channel and document; absent when they are not mirrored. */
  readonly contextFiles?: ContextFiles;
}

/** The setup of a run that leaves nothing behind. */
export function withoutFiles({ contextFiles: _, ...setup }: RunSetup): RunSetup {
  return setup;
}

/** The setup of a run whose files must lie in its project, or where the project's own directory really is. */
export function withRoot(setup: RunSetup, { root, troupeDirectory }: Project): RunSetup {
  const { contextFiles, ...rest } = setup;
  if (contextFiles === undefined) return rest;
  const isOurs = contextFiles.directory.startsWith(`${troupeDirectory}${sep}`);
  return { ...rest, contextFiles: { ...contextFiles, root: isOurs ? troupeDirectory : root } };
}

/** A step with what comes before it. */
export interface OrderedStep {
  readonly id: string;
  readonly agent: string;
  /** Ids of steps and barriers that must be over before. */
  readonly dependsOn: readonly string[];
}

/** A turn of a rehearsal. */
export interface RehearsedTurn {
  readonly agent: string;
  /** Id of the step that it serves. */
  readonly step: string | undefined;
  /** Whether the agent must signal when the step names no marker. */
  readonly demandsSignal: boolean;
}

/** A value of a definition that its file or the configuration decided. */
export interface ShapeSetting {
  readonly path: readonly string[];
  readonly value: Json;
  /** Where a workflow file says it. */
  readonly inFile: readonly string[];
  /** Where the configuration does; absent when it has no say. */
  readonly inConfig?: readonly string[];
}

/**
 * Everything that app code needs of the workflows of one shape. Adding a shape is a file and a line in the
 * registry; nothing else asks what shape a workflow has.
 */
export interface WorkflowShape<Definition extends WorkflowDefinition = WorkflowDefinition> {
  readonly name: Definition["shape"];
  /** A definition comes back from a journal that may be old or from another version: it is parsed like any input. */
  readonly schema: z.ZodType<Definition>;
  /** What organises the agents, in a word for people: the pattern, or the shape. */
  label(definition: Definition): string;
  /** The program that carries it out. Raises WORKFLOW_UNKNOWN_PATTERN. */
  program(definition: Definition): Program<Definition>;
  /** The program that a journal names; undefined when it is none of this shape. */
  programNamed(name: string): Program<Definition> | undefined;
  /** Whether its runs go on until they are stopped (KCK-4). Absent: they end by themselves. */
  isStanding?(definition: Definition): boolean;
  /** The definition with all that it implies written out: what journals hold. */
  complete(definition: Definition): Definition;
  setup(definition: Definition, run: RunIdentity): RunSetup;
  /** The `result` of `run-ended`; `returned` is undefined when the program was cut short. */
  toResult(state: RunState, definition: Definition, returned: ProgramResult | undefined): Json;
  /** Steps of agents, in the order of the definition. */
  steps(definition: Definition): readonly StepSpec[];
  ordered(definition: Definition): readonly OrderedStep[];
  /** What keeps a run with this task from starting: WORKFLOW_TASK_MISSING, WORKFLOW_KICKOFF_MISSING. */
  inputErrors(definition: Definition, task: string | undefined): readonly TroupeError[];
  /** WORKFLOW_TASK_UNUSED when nothing would see the task. */
  inputWarnings(definition: Definition, task: string | undefined): readonly TroupeError[];
  /** At most so many steps at the same time. Raises WORKFLOW_WITHOUT_STEPS where there are none to limit. */
  withMaxConcurrency(definition: Definition, maxConcurrency: number): Definition;
  graph(definition: Definition): WorkflowGraph;
  settings(definition: Definition): readonly ShapeSetting[];
  /** What a plan says of it beside agents, steps and budget. */
  limits(definition: Definition): {
    readonly maxConcurrency: number | null;
    readonly onFailure: FailurePolicy | null;
    /** Turns of all agents together, where something else than steps bounds them. */
    readonly maxTurns?: number;
  };
  /** Shell commands that run before any agent is asked for anything. */
  commands(definition: Definition): readonly string[];
  /** The definition without what is decided at run time: conditions, checks and bounds. */
  rehearsed(definition: Definition): Definition;
  /** What stands for the work of an agent in a rehearsal. */
  standInAnswer(definition: Definition, turn: RehearsedTurn): string;
}
