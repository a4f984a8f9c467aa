import type { Json } from "../foundation/json.ts";
import type { AgentSpec } from "./agent.ts";
import type { Budget } from "./budget.ts";
import type { BarrierSpec, StepSpec } from "./step.ts";

/** A typed input of a workflow (WF-8). */
export interface ParamSpec {
  readonly type: "string" | "number" | "boolean" | "enum";
  readonly values?: readonly string[];
  readonly default?: string | number | boolean;
  readonly required: boolean;
  readonly description?: string;
}

/** What happens when a step of a pattern workflow fails for good (WF-10). */
export type FailurePolicy = "continue" | "abort" | "pause";

/** A pattern workflow, resolved: the value whose hash the journal records (ENG-14). Plain JSON. */
export interface PatternDefinition {
  readonly format: 1;
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
  /** Template of the main channel's name. */
  readonly channel: string;
  /** Options of the pattern itself. */
  readonly options: { readonly [key: string]: Json };
}
