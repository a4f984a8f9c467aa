import type { StepTypeOptions } from "../../contracts/ports/step-type.ts";
import type { Json } from "../../foundation/json.ts";
import type { BudgetEntry } from "../schema/budget-schema.ts";
import type { VerificationEntry } from "../schema/step-schema.ts";

// The keys are those of step files in camelCase; files are made from them by the schemas of the step types.

/** Names that the steps of one workflow may use; another one does not compile. */
export interface NamesOfSteps {
  /** Steps that can be gone to. */
  readonly step: string;
  readonly agent: string;
  /** What has data: steps, those inside of others, `output` names, keys of the initial context. */
  readonly data: string;
}

/** What every step may say. */
export interface StepSettings<Names extends NamesOfSteps> {
  /** For people. */
  readonly description?: string;
  /** An expression; false skips the step, which then goes on by `next`. */
  readonly when?: string;
  /** Attempts in all. Defaults to 1. */
  readonly maxAttempts?: number;
  /** The same as `maxAttempts`, under the name that the first format gave it. */
  readonly maxRetries?: number;
  /** Wait before the second attempt, in ms; doubles. Defaults to 0. */
  readonly retryDelayMs?: number;
  /** Per attempt, in ms. Defaults to 60,000 for agents and shells, to none for others. */
  readonly timeoutMs?: number;
  /** What all turns of the step may consume. */
  readonly budget?: Pick<BudgetEntry, "cost" | "tokens" | "turns" | "wallClock" | "soft">;
  /** Whose data the step is given under that name. */
  readonly input?: Names["data"];
  /** Checks that must hold afterwards. */
  readonly verify?: readonly VerificationEntry[];
}

/** Where a step goes on. */
export interface StepRoutes<Names extends NamesOfSteps> {
  /** Without it the path ends here. */
  readonly next?: Names["step"];
  /** After it has failed for good. */
  readonly onError?: Names["step"];
}

/** Gives an agent the input; its answer is the data. */
export interface AgentStep<Names extends NamesOfSteps> {
  readonly type: "agent";
  /** An agent of the workflow, or `workflow:ID` for one of the directory of workflows. */
  readonly agent: Names["agent"] | `workflow:${string}`;
  /** A template. Defaults to the prompt of the agent's type, else all of the input. */
  readonly prompt?: string;
  /** A JSON Schema for the data. */
  readonly outputSchema?: { readonly [key: string]: unknown };
}

/** Waits until a person approves or rejects. */
export interface ApprovalStep<Names extends NamesOfSteps> {
  readonly type: "approval";
  /** A template. */
  readonly message?: string;
  /** An expression for what is to be approved. Defaults to the data of `input`, else of the step before. */
  readonly show?: string;
  /** What happens after `timeoutMs`. Defaults to `reject`. */
  readonly onTimeout?: "reject" | "approve" | Names["step"];
}

/** Goes one way or the other. */
export interface ConditionStep {
  readonly type: "condition";
  /** An expression. */
  readonly condition: string;
}

/** Makes data of data. */
export interface TransformStep {
  readonly type: "transform";
  /** An expression. */
  readonly transform: string;
}

/** Runs a command. */
export interface ShellStep {
  readonly type: "shell";
  /** A list of program and arguments, or a text for `sh -c`; templates. */
  readonly command: string | readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: string;
  readonly parse?: "json";
}

/** Waits for a time. */
export interface WaitStep {
  readonly type: "wait";
  readonly durationMs?: number;
  readonly until?: string;
}

/** Lets agents of the workflow work together as a pattern does. */
export interface PatternStep<Names extends NamesOfSteps> {
  readonly type: "pattern";
  readonly pattern: string;
  /** A template. */
  readonly task?: string;
  readonly agents?: readonly Names["agent"][];
  readonly steps?: readonly {
    readonly id: string;
    readonly agent?: Names["agent"];
    readonly [setting: string]: unknown;
  }[];
  readonly coordination?: { readonly [setting: string]: unknown };
  readonly options?: { readonly maxConcurrency?: number };
  readonly errorHandling?: { readonly [setting: string]: unknown };
}

/** Runs another workflow, by its file or its id. */
export interface WorkflowStep {
  readonly type: "workflow";
  readonly file?: string;
  readonly workflow?: string;
  readonly with?: Json;
}

/** Steps by their ids. */
type StepMap<Id extends string, Step> = { readonly [id in Id]: Step };

/** Carries out steps side by side, or one for each item of a list. */
export type ParallelStep<Names extends NamesOfSteps, Inner extends string, Alias extends string> = {
  readonly type: "parallel";
  readonly maxConcurrency?: number;
  readonly minSuccess?: number;
} & (
  | { readonly steps: StepMap<Inner, InnerStep<Names, Inner, Alias>> }
  | {
      /** An expression for the list. */
      readonly forEach: string;
      readonly step: InnerStep<Names, Inner, Alias> & { readonly id: Inner };
    }
);

/** Carries out steps again and again. */
export interface LoopStep<Names extends NamesOfSteps, Inner extends string, Alias extends string> {
  readonly type: "loop";
  readonly steps: StepMap<Inner, InnerStep<Names, Inner, Alias>>;
  /** An expression, asked after each round. */
  readonly until?: string;
  readonly times?: number;
  readonly maxIterations?: number;
}

/** A step type that is not troupe's: as it was declared, or the name of one that a plug-in has. */
export type OwnType = StepTypeOptions<unknown> | string;

/** A step of a type of one's own; its settings have the keys of its schema. */
type OwnStep<Own extends OwnType> = Own extends string
  ? { readonly type: Own; readonly [setting: string]: unknown }
  : Own extends StepTypeOptions<infer Settings>
    ? { readonly type: Own["name"] } & (unknown extends Settings ? unknown : Settings)
    : never;

/** Another name for the data of a step. */
interface Named<Alias extends string> {
  readonly output?: Alias;
}

/** The kinds of steps that go on by `next` where they have routes. */
type ForwardStep<Names extends NamesOfSteps, Inner extends string, Alias extends string> =
  | AgentStep<Names>
  | TransformStep
  | ShellStep
  | WaitStep
  | PatternStep<Names>
  | WorkflowStep
  | ParallelStep<Names, Inner, Alias>
  | LoopStep<Names, Inner, Alias>;

/** A step inside of another one: it has no routes. */
export type InnerStep<
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
> = StepSettings<Names> & Named<Alias> & (ForwardStep<Names, Inner, Alias> | ApprovalStep<Names>);

/** A step that others can go to. */
export type TopStep<
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
> = StepSettings<Names> &
  Named<Alias> &
  (
    | (StepRoutes<Names> & ForwardStep<Names, Inner, Alias>)
    | (StepRoutes<Names> &
        ApprovalStep<Names> & {
          /** Defaults to `next`. */
          readonly onApprove?: Names["step"];
          /** Without it a rejection ends the run as rejected. */
          readonly onReject?: Names["step"];
        })
    | (Pick<StepRoutes<Names>, "onError"> &
        ConditionStep & { readonly then?: Names["step"]; readonly else?: Names["step"] })
  );

/** A step of a type of one's own that others can go to. */
export type OwnTopStep<
  Names extends NamesOfSteps,
  Alias extends string,
  Own extends OwnType,
> = Own extends OwnType
  ? StepSettings<Names> & Named<Alias> & StepRoutes<Names> & OwnStep<Own> & OwnRoutes<Own, Names>
  : never;

type OwnRoutes<Own extends OwnType, Names extends NamesOfSteps> = Own extends {
  readonly routes?: readonly string[];
}
  ? { readonly [route in NonNullable<Own["routes"]>[number]]?: Names["step"] }
  : unknown;
