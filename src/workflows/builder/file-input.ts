import type { Json } from "../../foundation/json.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";
import type { BudgetEntry } from "../schema/budget-schema.ts";
import type { KickoffAgentEntry, KickoffFile } from "../schema/kickoff-file-schema.ts";
import type { PatternFile } from "../schema/pattern-file-schema.ts";
import type { StepEntry } from "../schema/step-schema.ts";

/** What any agent may say; those of kickoff workflows have keys of their own beside these. */
export type AgentInput = AgentEntry & Partial<KickoffAgentEntry>;

/** What every shape takes beside its own keys. */
interface StandingSettings {
  readonly $schema?: string;
  readonly tags?: string[];
  /** Whatever else somebody wants to keep there. */
  readonly [extension: `x-${string}`]: unknown;
}

/** What a step workflow says beside agents and steps. */
export interface StepsSettings<Context extends string> extends StandingSettings {
  /** Most steps that are carried out. Defaults to 100. */
  readonly maxIterations?: number;
  /** Running time. Defaults to 300,000. */
  readonly maxDurationMs?: number;
  /** Failed steps that end the run. Defaults to 10. */
  readonly maxErrors?: number;
  readonly maxConcurrency?: number;
  /** Whether steps that nothing leads to begin paths of their own. Defaults to false. */
  readonly parallel?: boolean;
  /** What the context holds before any step. */
  readonly initialContext?: { readonly [name in Context]: Json };
  /** Backend of agents that name none. */
  readonly backend?: string;
  readonly budget?: BudgetEntry;
  readonly options?: { readonly channel?: string; readonly timeoutMs?: number };
}

/** One step of a pattern workflow. */
export type PatternStepInput<Agent extends string, Before extends string> = Omit<
  StepEntry,
  "id" | "agent" | "dependsOn" | "fallback"
> & {
  readonly agent?: Agent;
  /** Steps and barriers that must be done before. */
  readonly dependsOn?: Before[];
  readonly fallback?: Agent[];
};

type PatternParts = Omit<
  PatternFile,
  "name" | "description" | "pattern" | "agents" | "steps" | "coordination" | "$schema" | "tags"
>;
type Coordination = NonNullable<PatternFile["coordination"]>;
type BarrierInput = NonNullable<Coordination["barriers"]>[number];

/** What a pattern workflow says beside name, pattern and agents. */
export type PatternSettings<
  Agent extends string,
  Id extends string,
  Barrier extends string,
> = PatternParts &
  StandingSettings & {
    readonly steps?: {
      readonly [id in Id]: PatternStepInput<Agent, NoInfer<Id> | NoInfer<Barrier>>;
    };
    readonly coordination?: Omit<Coordination, "barriers"> & {
      readonly barriers?: (Omit<BarrierInput, "id"> & { readonly id: Barrier })[];
    };
  };

/** The block of a pattern, under its name in camelCase or the first word of it. */
export type PatternBlock<Name extends string> = {
  readonly [key in BlockKeyOf<Name>]?: { readonly [option: string]: Json };
};

type BlockKeyOf<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? Head | `${Head}${Capitalize<Rest>}`
  : Name;

/** What a workflow that begins with a template says beside its name. */
export type TemplateSettings = Partial<PatternParts> &
  StandingSettings & {
    /** New values by dot path. */
    readonly overrides?: { readonly [path: string]: Json };
    readonly steps?: { readonly [id: string]: Omit<StepEntry, "id"> };
  };

/** What a kickoff workflow says beside name and agents. */
export type KickoffSettings = Omit<
  KickoffFile,
  "name" | "description" | "agents" | "$schema" | "tags"
> &
  StandingSettings;
