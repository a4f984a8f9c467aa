import { sep } from "node:path";
import type { z } from "zod";
import type { StepBudgets } from "../../../agents/budget/turn-budgets.ts";
import type { ContextFiles } from "../../../contracts/context-files.ts";
import type { FailurePolicy, WorkflowDefinition } from "../../../contracts/definition.ts";
import type { WorkflowGraph } from "../../../contracts/graph.ts";
import type { NameClaim, Pattern, TurnEstimate } from "../../../contracts/ports/pattern.ts";
import type { Program, ProgramResult } from "../../../contracts/ports/program.ts";
import type { StepSpec } from "../../../contracts/step.ts";
import type { SharedParts } from "../../../contracts/tool.ts";
import type { MessageSource } from "../../../fold/state/message-source.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import type { Problem } from "../../../workflows/problems/problem.ts";
import type { Project } from "../../machine/place/project.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import type { PlannedGuards, PlannedPrompt, PlannedStep } from "./planned-step.ts";

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
  readonly shares: SharedParts;
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
  readonly agent?: string;
  /** Ids of steps and barriers that must be over before. */
  readonly dependsOn: readonly string[];
  /** Whether any of them may lead to it, and none need to. Absent: it waits for all. */
  readonly isRouted?: boolean;
}

/** What a run is started with. */
export interface GivenInput {
  readonly task?: string;
  /** Of shapes that take one. */
  readonly input?: Json;
}

/** Whether a workflow wants a task or an input. */
export type NeedsInput = (definition: WorkflowDefinition) => Promise<boolean>;

/** Variables of an environment, as a definition has them. */
export interface WrittenEnvironment {
  readonly [name: string]: string;
}

/** How variables are changed, wherever a definition has them. */
export interface EnvironmentChanges {
  readonly env: (env: WrittenEnvironment) => WrittenEnvironment;
  /** All of a workflow that it runs. */
  readonly child: (definition: WorkflowDefinition) => Promise<WorkflowDefinition>;
}

/** A turn of a rehearsal. */
export interface RehearsedTurn {
  readonly agent: string;
  /** Id of the step that it serves. */
  readonly step: string | undefined;
  /** Whether the agent must signal when the step names no marker. */
  readonly demandsSignal: boolean;
}

/** What steps will do, and what agents will be told, as far as that is known before a run. */
export interface FlowPlan {
  readonly steps: readonly PlannedStep[];
  readonly prompts: readonly PlannedPrompt[];
  /** Turns of all agents together, if steps may be carried out more than once; null when that is not known. */
  readonly maxTurns?: number | null;
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

/** The `result` of `run-ended`; `returned` is undefined when the program was cut short. */
export type ToResult = (source: MessageSource, returned: ProgramResult | undefined) => Json;

/** What a plan says of a workflow beside agents, steps and budget. */
export interface ShapeLimits {
  readonly maxConcurrency: number | null;
  readonly onFailure: FailurePolicy | null;
  /** Turns of all agents together, where something else than steps bounds them. */
  readonly maxTurns?: number;
  /** The same where a pattern knows more. */
  readonly turns?: TurnEstimate;
  readonly guards?: PlannedGuards;
}

/**
 * Everything that there is to workflows of one shape but their files, from definitions to results. Adding a shape is a
 * file and a line in the registry; nothing else asks what shape a workflow has. What a promise is returned for may take
 * code that only some workflows of the shape need.
 */
export interface WorkflowShape<Definition extends WorkflowDefinition = WorkflowDefinition> {
  /**
   * A definition comes back from a journal that may be old or from another version: it is parsed like any input. `any`
   * is for workflows that it runs.
   */
  schema(any: z.ZodType<WorkflowDefinition>): z.ZodType<Definition>;
  /** The same with code of one's own. Absent: such code changes only its programs. */
  with?(code: WorkflowCode): WorkflowShape<Definition>;
  /** What is wrong with a definition that was written in code, as the check of its file would say. Absent: nothing more. */
  check?(definition: Definition): Promise<readonly Problem[]>;
  /** Names of patterns that it needs. Absent: none. */
  patterns?(definition: Definition): readonly string[];
  /** Names of functions that it asks where a task goes on. Absent: none. */
  routeTests?(definition: Definition): Promise<readonly string[]>;
  /** Names that no other live run of the project may have. Absent: none. */
  claims?(definition: Definition): Promise<readonly NameClaim[]>;
  /** What organises the agents, in a word for people: the pattern, or the shape. */
  label(definition: Definition): string;
  /** The program that carries it out. Raises WORKFLOW_UNKNOWN_PATTERN. */
  program(definition: Definition, code?: WorkflowCode): Promise<Program<Definition>>;
  /** The program that a journal names; undefined when it is none of this shape. */
  programNamed(name: string, code?: WorkflowCode): Promise<Program<Definition> | undefined>;
  /** Patterns that its programs may carry out inside of themselves. Absent: none. */
  loadPatterns?(): Promise<readonly Pattern[]>;
  /** Whether its runs go on until they are stopped (KCK-4). Absent: they end by themselves. */
  isStanding?(definition: Definition): boolean;
  /** The definition with all that it implies written out: what journals hold. */
  complete(definition: Definition): Definition;
  setup(definition: Definition, run: RunIdentity): RunSetup;
  /** What makes the result of its runs. */
  resultOf(definition: Definition): Promise<ToResult>;
  /** Steps of agents, in the order of the definition. */
  steps(definition: Definition): readonly StepSpec[];
  ordered(definition: Definition): readonly OrderedStep[];
  /** Whether runs are given one input, any JSON, in place of a task and params. */
  readonly takesInput: boolean;
  /**
   * What keeps a run with this task or input from starting: WORKFLOW_TASK_MISSING, WORKFLOW_KICKOFF_MISSING.
   * `needsInput` tells whether a workflow that it runs wants one.
   */
  inputErrors(
    definition: Definition,
    given: GivenInput,
    needsInput: NeedsInput,
  ): Promise<readonly TroupeError[]>;
  /** WORKFLOW_TASK_UNUSED when nothing would see the task or input. */
  inputWarnings(
    definition: Definition,
    given: GivenInput,
    needsInput: NeedsInput,
  ): Promise<readonly TroupeError[]>;
  /** At most so many steps at the same time. Raises WORKFLOW_WITHOUT_STEPS where there are none to limit. */
  withMaxConcurrency(definition: Definition, maxConcurrency: number): Definition;
  graph(definition: Definition): Promise<WorkflowGraph>;
  settings(definition: Definition): readonly ShapeSetting[];
  limits(definition: Definition): Promise<ShapeLimits>;
  /** Types of its steps, nested ones included. Absent: they have none. */
  stepTypes?(definition: Definition): readonly string[];
  /** The definition with variables of environments changed that are not those of an agent. Absent: there are none. */
  withEnvironments?(definition: Definition, changes: EnvironmentChanges): Promise<Definition>;
  /** Workflows that it runs as children, by the name under which its steps ask for them. Absent: none. */
  children?(definition: Definition): { readonly [name: string]: WorkflowDefinition };
  /** Shell commands that run before any agent is asked for anything. */
  commands(definition: Definition): readonly string[];
  /**
   * How a plan is made: by carrying the real program out with stand-ins, or, where decisions at run time say which
   * steps are carried out, by looking at each step.
   */
  readonly plan: ShapeRehearsal<Definition> | ShapeReading<Definition>;
}

/** A plan from a rehearsal. */
export interface ShapeRehearsal<Definition> {
  readonly kind: "rehearsed";
  /** The definition without what is decided at run time: conditions, checks and bounds. */
  rehearsed(definition: Definition): Definition;
  /** What stands for the work of an agent in a rehearsal. */
  standInOf(definition: Definition): Promise<(turn: RehearsedTurn) => string>;
}

/** A plan from the definition alone. */
export interface ShapeReading<Definition> {
  readonly kind: "read";
  read(definition: Definition, given: GivenInput): FlowPlan;
}
