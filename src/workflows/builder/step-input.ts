import type { z } from "zod";
import type { StepType, StepTypeOptions } from "../../contracts/ports/step-type.ts";
import type { Json } from "../../foundation/json.ts";
import type { VerificationEntry } from "../../programs/step/written-check.ts";
import type { builtInStepTypes } from "../../programs/steps/registry.ts";
import type { BudgetEntry } from "../schema/budget-schema.ts";

// The keys are those of step files in camelCase; files are made from them by the schemas of the step types, and what a
// step of a type may say follows from what the type says of itself.

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
  /** Variables of your environment that its commands and checks get, by name. */
  readonly passEnv?: readonly string[];
  /** Checks that must hold afterwards. */
  readonly verify?: readonly VerificationEntry[];
}

/** A step type that is not troupe's: as it was declared, or the name of one that a plug-in has. */
export type OwnType = StepTypeOptions<unknown> | string;

/** A step that others can go to. */
export type TopStep<
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
  Own extends OwnType,
> =
  | TopStepOf<BuiltInType | DeclaredType<Own>, Names, Inner, Alias, Own>
  | (OpenStep<Own, Names, Alias> & Routes<"next" | "on_error", Names>);

/** A step inside of another one: it has no routes. */
type InnerStep<
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
  Own extends OwnType,
> =
  | InnerStepOf<BuiltInType | DeclaredType<Own>, Names, Inner, Alias, Own>
  | OpenStep<Own, Names, Alias>;

type BuiltInType = Awaited<ReturnType<(typeof builtInStepTypes)[number]["load"]>>;

/** What a step type says of how its steps are written. */
type WrittenType = Pick<
  StepType,
  "name" | "settings" | "routes" | "goesOn" | "nested" | "mayBeNested" | "each"
>;

/** A declared type with all that it leaves to what step types are without saying so. */
type DeclaredType<Own extends OwnType> =
  Own extends StepTypeOptions<infer Settings>
    ? {
        readonly name: Own["name"];
        readonly settings: z.ZodType<Settings>;
        readonly routes: NonNullable<Own["routes"]>;
        readonly goesOn: "next";
        readonly nested: "none";
        readonly mayBeNested: [NonNullable<Own["routes"]>[number]] extends [never] ? true : false;
      }
    : never;

type TopStepOf<
  Type,
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
  Own extends OwnType,
> = Type extends WrittenType
  ? StepOf<Type, Names, Inner, Alias, Own> &
      Routes<
        Type["routes"][number] | (Type["goesOn"] extends "next" ? "next" : never) | "on_error",
        Names
      >
  : never;

type InnerStepOf<
  Type,
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
  Own extends OwnType,
> = Type extends WrittenType & { readonly mayBeNested: true }
  ? StepOf<Type, Names, Inner, Alias, Own>
  : never;

/** A step of one type, without what its place makes of it. */
type StepOf<
  Type extends WrittenType,
  Names extends NamesOfSteps,
  Inner extends string,
  Alias extends string,
  Own extends OwnType,
> = StepSettings<Names> &
  Named<Alias> & { readonly type: Type["name"] } & InputOf<z.infer<Type["settings"]>, Names> &
  (Type["nested"] extends "none"
    ? unknown
    :
        | { readonly steps: { readonly [id in Inner]: InnerStep<Names, Inner, Alias, Own> } }
        | (Type extends { readonly each: infer Each extends string }
            ? { readonly [key in CamelCase<Each>]: string } & {
                readonly step: InnerStep<Names, Inner, Alias, Own> & { readonly id: Inner };
              }
            : never));

/** A step of a type that only its name is known of. */
type OpenStep<
  Own extends OwnType,
  Names extends NamesOfSteps,
  Alias extends string,
> = Own extends string
  ? StepSettings<Names> & Named<Alias> & { readonly type: Own; readonly [setting: string]: unknown }
  : never;

/** Another name for the data of a step. */
interface Named<Alias extends string> {
  readonly output?: Alias;
}

/** Where a step goes on. */
type Routes<Key extends string, Names extends NamesOfSteps> = {
  readonly [route in Key as CamelCase<route>]?: Names["step"];
};

/** What stands in TypeScript for a value that has passed the schema of a file. */
type InputOf<Value, Names extends NamesOfSteps> = unknown extends Value
  ? unknown
  : [z.core.util.JSONType] extends [Value]
    ? Json
    : Value extends { readonly [z.core.$brand]: infer Marks }
      ? MarkedText<keyof Marks, Names>
      : Value extends readonly (infer Item)[]
        ? readonly InputOf<Item, Names>[]
        : Value extends object
          ? {
              readonly [key in keyof Value as CamelCase<key>]: InputOf<
                Exclude<Value[key], undefined>,
                Names
              >;
            }
          : Value;

/** The texts that a mark stands for: names of the workflow, or itself. */
type MarkedText<Mark, Names extends NamesOfSteps> = Mark extends `$${infer Kind}`
  ? Kind extends keyof NamesOfSteps
    ? Names[Kind]
    : never
  : Mark;

// As spell-keys.ts spells them: what is no small letter after a `_` stays.
type CamelCase<Key> = Key extends `${infer Head}_${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? `${Head}_${CamelCase<Rest>}`
    : `${Head}${Capitalize<CamelCase<Rest>>}`
  : Key;
