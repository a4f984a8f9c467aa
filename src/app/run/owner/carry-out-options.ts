import type { SpawnLimits } from "../../../agents/agent-roster.ts";
import type { AgentFunction } from "../../../contracts/agent-function.ts";
import type { TurnUpdate } from "../../../contracts/backend.ts";
import type { Budget } from "../../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { PatternFunctions } from "../../../contracts/pattern-functions.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { PriceTable } from "../../../contracts/price.ts";
import type { ReflectionFunctions } from "../../../contracts/reflection.ts";
import type { ApprovalMode, RunLimits } from "../../../contracts/run.ts";
import type { RunBeginning } from "../../../engine/run-journal.ts";
import type { WorkflowCode } from "../../workflow/code/workflow-code.ts";
import type { RunRecipe } from "../../workflow/shapes/run-recipe.ts";
import type { RunIdentity } from "../../workflow/shapes/shape.ts";
import type { RunHooks } from "./hooks.ts";
import type { TreePlace } from "./run-tree.ts";

/** How this process carries a run out; nothing of it is stored. */
export interface CarryOutOptions extends RunHooks, ReflectionFunctions {
  /** Defaults to `ask`. */
  readonly approvals?: ApprovalMode | undefined;
  /** Whether steps that failed and wait for a person are tried again at resume. Defaults to true. */
  readonly retriesPaused?: boolean | undefined;
  /**
   * Let go of the run as soon as only people can move it on; a function is asked each time that this is so. Defaults to
   * false.
   */
  readonly suspendsWhenWaiting?: boolean | (() => boolean) | undefined;
  /** Functions of agents with `backend: function`, by agent id. */
  readonly functions?: ReadonlyMap<string, AgentFunction> | undefined;
  /** Functions that its pattern asks in place of its block. Defaults to none. */
  readonly patternFunctions?: PatternFunctions | undefined;
  /** Turns at the same time on one backend. Defaults to 64. */
  readonly maxTurnsPerBackend?: number | undefined;
  /** Turns at the same time of all runs of this user on this machine. Defaults to any number. */
  readonly hostConcurrency?: number | undefined;
  /** Turns at the same time on one account of a provider, of all runs of this user. Defaults to any number. */
  readonly accountConcurrency?: number | undefined;
  readonly spawnLimits?: SpawnLimits | undefined;
  /** Starts agents with `isolation: sandbox` without it; the journal says so. Defaults to false. */
  readonly unsandboxed?: boolean | undefined;
  /**
   * What models cost, for backends that tell tokens only, in place of what the configuration says. List prices
   * fill the gaps.
   */
  readonly prices?: PriceTable | undefined;
  /** Step types and guards of one's own, ready. Defaults to none. */
  readonly code?: WorkflowCode | undefined;
  /** Sees what agents say while they say it, before it is durable. */
  readonly onUpdate?: ((agent: string, update: TurnUpdate, turn: number) => void) | undefined;
}

/** A run whose journal is open for writing. */
export interface RunToCarryOut {
  readonly journal: Journal;
  readonly recipe: RunRecipe;
  readonly program: Program<WorkflowDefinition>;
  readonly identity: RunIdentity;
  readonly beginning: RunBeginning;
  /** The budget of the run, recorded or new. */
  readonly budget: Budget;
  /** Limits for the child that stopped it at a limit of its own. */
  readonly childLimits: RunLimits | undefined;
  /** Where it stands in a tree of runs. Absent: at its top. */
  readonly place?: TreePlace;
}
