import type { z } from "zod";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { AgentHandle, CompletionReason } from "../agent.ts";
import type { TraitsOf } from "../backend.ts";
import type { StepsDefinition } from "../definition.ts";
import type { FlowStep } from "../flow-step.ts";
import type { StepAddress } from "../step.ts";
import type { StepRecord, WorkflowContext } from "../step-context.ts";
import type { Context, StepCall } from "./context.ts";
import type { NameClaim, Pattern } from "./pattern.ts";

/** What templates and expressions of a step see. All methods are pure. */
export interface StepScope {
  /** What the step may know of others; never changes while it runs. */
  readonly context: WorkflowContext;
  /** `{input, context, errors, <step.input>, item?, index?}`: what agents, commands and functions are given. */
  toInput(): { readonly [name: string]: Json };
  /** The value of an expression. Raises EXPRESSION_* errors. */
  value(expression: string): Json;
  /** Whether a condition holds. Raises EXPRESSION_* errors: what cannot be evaluated is never false. */
  holds(condition: string): boolean;
  /** A template filled in. Raises WORKFLOW_TEMPLATE_SYNTAX, WORKFLOW_UNKNOWN_VARIABLE. */
  text(template: string): string;
  /** The same for an agent that reads: in pieces, of which those that somebody else wrote say their source. */
  prompt(template: string): readonly { readonly text: string; readonly source?: string }[];
  /** A command with its variables as arguments or quoted references to environment variables, never as text of a script. */
  command(command: string | readonly string[]): {
    readonly command: string | readonly string[];
    readonly env: { readonly [name: string]: string };
  };
}

/** How a nested step is run. */
export interface NestedRun {
  readonly step: FlowStep;
  /** Its place below the step around it: `[3]` for the fourth item of a list; empty for a plain child. */
  readonly place: string;
  /** What it sees; the scope of the step around it when absent. */
  readonly context?: WorkflowContext;
  /** Names beside the standing ones: `item` and `index`. */
  readonly names?: { readonly [name: string]: Json };
  /** Whether a later place counts as the same step, as the rounds of a loop do. Defaults to false. */
  readonly isRound?: boolean;
  /** A scope of the step around it, with which it is cancelled. Defaults to that of the whole attempt. */
  readonly door?: Context;
}

/** One attempt at one step, as its type sees it. */
export interface StepRun<Settings = unknown> {
  readonly step: FlowStep;
  readonly settings: Settings;
  readonly address: StepAddress;
  /** The door to the world; a scope of this attempt alone. */
  readonly context: Context;
  readonly scope: StepScope;
  readonly definition: StepsDefinition;
  readonly traitsOf: TraitsOf;
  /** What went wrong in the attempt before. */
  readonly before: { readonly error: ErrorReport; readonly output: string } | undefined;
  /** An agent of the definition, spawned if it was not yet. */
  agent(id: string): Promise<AgentHandle>;
  /** Carries out a step inside of this one; resolves when it is over, also when it failed. */
  runNested(nested: NestedRun): Promise<StepRecord>;
  /** The context with more records, the later ones on top. */
  extend(context: WorkflowContext, records: readonly StepRecord[]): WorkflowContext;
  /** What an expression of this step sees in another context, such as that after a round of a loop. */
  scopeIn(context: WorkflowContext): StepScope;
}

/** What an attempt came to. A rejection is a failure without data. */
export interface StepOutcome {
  readonly data: Json;
  /** Present when it failed although it has data. */
  readonly error?: ErrorReport;
  /** What people read; the data as JSON when absent. */
  readonly output?: string;
  readonly outputTruncated?: boolean;
  /** Defaults to `exit`. */
  readonly reason?: CompletionReason;
  readonly agent?: string;
  /** One word for a way to be done that people want to see, such as `approved`. */
  readonly outcome?: string;
  /** What takes its place in the context before the step itself: nested steps, edited data. */
  readonly records?: readonly StepRecord[];
  /** What a person said with a decision, for the step that comes next. */
  readonly comment?: string;
  /** Whether failures of steps inside of it do not count any more, although they failed. Defaults to false. */
  readonly handlesFailures?: boolean;
}

/** Where a step workflow goes on after a step. */
export type StepRoute =
  | { readonly kind: "step"; readonly id: string }
  | { readonly kind: "end"; readonly outcome?: "rejected"; readonly reason?: string };

/** A kind of step (STP-1). Adding one is a file and a line in the registry. */
export interface StepType<Settings = unknown> {
  readonly name: string;
  /** One sentence for lists. */
  readonly summary: string;
  /**
   * Schema of its own keys, as files write them: snake_case, unknown keys refused. A text in it that is
   * `.brand<"$agent">()` or `.brand<"$step">()` has to name one of the workflow where a builder in TypeScript is typed;
   * words in the brand that begin with no `$` stand for themselves.
   */
  readonly settings: z.ZodType<Settings>;
  /** Keys beside `next` and `on_error` that name the step to go on with. */
  readonly routes: readonly string[];
  /** Steps to go on with that stand in settings which may also hold something else, by their key; they become routes too. */
  routesIn?(settings: Settings): { readonly [key: string]: string };
  /** `next`: a step of this type has `next`; `own`: only its own routes lead on. Both may have `on_error`. */
  readonly goesOn: "next" | "own";
  /** The route that a skipped step follows before `next`. Absent: none. */
  readonly forward?: string;
  /** How steps inside of it are written: a list under `steps`, one under `step`, either, or none. */
  readonly nested: "none" | "list" | "one-or-list";
  /** The own key with the list for each of whose items the one step under `step` is carried out. Absent: none. */
  readonly each?: string;
  /** Whether it may stand inside of another step. */
  readonly mayBeNested: boolean;
  /** Own keys that hold expressions. */
  readonly expressions: readonly string[];
  /** Own keys that hold templates; lists and objects of texts too. */
  readonly templates: readonly string[];
  /** The own key with variables of an environment, in which secrets may stand. Absent: none. */
  readonly environment?: string;
  /** Own keys that hold JSON Schemas, with dots before keys inside of them and `*` for every item. Absent: none. */
  readonly schemas?: readonly string[];
  /** `itself`: the type keeps `timeoutMs`. `scope`: all that it does is cancelled at the deadline. */
  readonly deadline: "itself" | "scope";
  /** Per attempt, in ms, when the file says nothing. Absent: none (STP-15). */
  readonly defaultTimeoutMs?: number;
  /** Names it sees in the steps inside of it beside the standing ones. */
  readonly names?: readonly string[];
  /** What is wrong with settings that have passed the schema, each with the key where it lies. */
  check?(settings: Settings, step: WrittenStep): readonly SettingFault[];
  /** What is wrong with settings that have passed the check, among the agents and steps of their workflow. */
  checkAmong?(settings: Settings, definition: StepsDefinition): readonly SettingFault[];
  /** The same with patterns of one's own. Absent: it carries out none. */
  withPatterns?(own: readonly Pattern[]): StepType;
  /** Names of patterns that it carries out, by settings as they are written. Absent: none. */
  patterns?(settings: unknown): readonly string[];
  /** Names of functions that it asks where a task goes on. Absent: none. */
  routeTests?(settings: Settings, definition: StepsDefinition): readonly string[];
  /** Names that no other run may have while one with the step is carried out. Absent: none. */
  claims?(settings: Settings, definition: StepsDefinition): readonly NameClaim[];
  /** Agents that a step of this type uses, as written. */
  agents?(settings: Settings): readonly string[];
  /** Agents that try once each when all attempts have failed, in this order (STP-19). Absent: none. */
  fallbacks?(settings: Settings): readonly string[];
  /** The settings with one of them in the place of the agent that has failed. */
  triedBy?(settings: Settings, agent: string): Settings;
  /** Whether its work is given all of the input, and not only what its templates and expressions name. */
  takesWholeInput?(settings: Settings, definition: StepsDefinition, traitsOf: TraitsOf): boolean;
  /** Whether it looks at the data of the step before, whichever that is. */
  looksBack?(settings: Settings): boolean;
  /** Present when the step before the next one is that before this one: it has made nothing to look back at. */
  readonly isLookedThrough?: true;
  /** Workflows that a step of this type runs as children. */
  workflows?(settings: Settings): readonly WorkflowReference[];
  run(run: StepRun<Settings>): Promise<StepOutcome>;
  /** What a record has beside its data, when the step is taken over from another run. */
  recall?(
    step: FlowStep,
    data: Json,
    context: WorkflowContext,
  ): Pick<StepRecord, "comment" | "inner">;
  /** Where it goes on. Absent: `next` after success, else `on_error`. */
  route?(step: FlowStep, record: StepRecord, context: WorkflowContext): StepRoute;
}

/** How a step is written beside its settings. */
export interface WrittenStep {
  /** How many steps are written inside of it. */
  readonly nestedCount: number;
  /** How these are written; absent when there are none. */
  readonly nestedAs?: "step" | "steps";
  /** Keys of its routes. */
  readonly routes: readonly string[];
}

/** A workflow that a step names. Loading puts it into the definition's `workflows`, under `key`. */
export type WorkflowReference =
  | {
      readonly key: string;
      /** Path of its file, relative to the file that names it. */
      readonly file: string;
    }
  | {
      readonly key: string;
      /** Its id in the registry of workflows. */
      readonly id: string;
    };

/** Something wrong with the settings of a step. */
export interface SettingFault {
  /** The key of the file that is wrong; the step itself when absent. */
  readonly key?: string;
  readonly problem: string;
  readonly hint?: string;
}

/** What a step type of a user is declared with. */
export interface StepTypeOptions<Settings> {
  readonly name: string;
  readonly summary?: string;
  /** Schema of its own keys. Defaults to none. */
  readonly settings?: z.ZodType<Settings>;
  /** Keys beside `next` and `on_error` that name the step to go on with; `route` decides between them. */
  readonly routes?: readonly string[];
  readonly expressions?: readonly string[];
  readonly templates?: readonly string[];
  readonly defaultTimeoutMs?: number;
  /** Does the work, at least once for each attempt; its JSON result is recorded exactly once. */
  execute(
    input: { readonly [name: string]: Json },
    call: StepTypeCall<Settings>,
  ): Promise<Json> | Json;
  route?(step: FlowStep, record: StepRecord, context: WorkflowContext): string | null;
}

/** What the code of a user's step type gets beside the input. */
export interface StepTypeCall<Settings>
  extends Omit<StepCall, "reflecting" | "functions" | "lessons" | "workPlaces"> {
  readonly step: FlowStep;
  readonly settings: Settings;
  readonly scope: StepScope;
}

/** Ends a workflow that does not end by itself (STP-3). */
export interface StepGuard {
  readonly name: string;
  /** Why the next step must not begin; undefined when it may. */
  check(context: WorkflowContext, definition: StepsDefinition): string | undefined;
}
