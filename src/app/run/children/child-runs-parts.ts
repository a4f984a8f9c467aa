import type { BudgetKeeper } from "../../../agents/budget/budget-keeper.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { OperationCall } from "../../../contracts/operation.ts";
import type { RunLimits } from "../../../contracts/run.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { Machine } from "../../machine/machine.ts";
import type { WorkflowCode } from "../../workflow/code/workflow-code.ts";
import type { RunRecipe } from "../../workflow/shapes/run-recipe.ts";
import type { RunToCarryOut } from "../owner/carry-out-options.ts";
import type { NewRunOptions } from "../owner/new-run.ts";
import type { RunTree, TreeMember } from "../owner/run-tree.ts";
import type { WorkflowRun } from "../owner/workflow-run.ts";

/** What the child runs of a run are made from. */
export interface ChildRunsParts {
  readonly machine: Machine;
  /** Of the run that they are children of. */
  readonly runtime: RunRuntime;
  readonly budget: BudgetKeeper;
  readonly recipe: RunRecipe;
  readonly tree: RunTree;
  /** Levels above that run. */
  readonly depth: number;
  /** Step types and guards of one's own, for all runs of the tree. */
  readonly code: WorkflowCode | undefined;
  /** Limits for the child that stopped it. */
  readonly childLimits: RunLimits | undefined;
  /** Lets go of that run without settling anything. */
  readonly suspend: TreeMember["suspend"];
  /** Carries a child out with all that this process was told. */
  readonly carryOut: (run: RunToCarryOut) => Promise<WorkflowRun>;
}

/** What a new child begins with. */
export interface ChildToBegin {
  readonly definition: WorkflowDefinition;
  readonly input: Pick<NewRunOptions, "task" | "params" | "input">;
}

/** A child and the operation that wants it. */
export interface ChildCall {
  readonly child: string;
  readonly call: Pick<OperationCall, "op" | "signal">;
  /** Undefined for a child that must be there already. */
  readonly begin: ChildToBegin | undefined;
}
