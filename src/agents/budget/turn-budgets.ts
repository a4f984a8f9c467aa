import type { AgentSpec } from "../../contracts/agent.ts";
import type { Metering } from "../../contracts/backend.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { StepAddress } from "../../contracts/step.ts";
import { ancestorsOf, findAgent } from "../../fold/state/agent-lookup.ts";
import {
  holderOf,
  isCountedBy,
  meterUses,
  type OwnedBudget,
} from "../../fold/state/budget-reading.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { TurnBudget } from "./admission.ts";
import type { TurnAllowance, TurnBelow } from "./turn-allowance.ts";

/** Budgets of steps, by id. */
export type StepBudgets = ReadonlyMap<string, Budget>;

/** Who begins something: an agent, and the steps that it serves, with those around. */
export interface BudgetPlace {
  readonly spec: AgentSpec | undefined;
  readonly steps: readonly string[];
}

/** The budgets that something counts against, the run's first. */
export function budgetsAt(
  state: RunState,
  budgets: StepBudgets,
  { spec, steps }: BudgetPlace,
): readonly OwnedBudget[] {
  const agents = spec === undefined ? [] : [spec, ...specsAbove(state, spec)];
  return [
    ...budgetOfRun(state),
    ...agents.flatMap((each) => budgetOfAgent(each)),
    ...budgetsOfSteps(budgets, steps),
  ];
}

/** Whoever spawned an agent answers for what that uses. */
function specsAbove(state: RunState, spec: AgentSpec): readonly AgentSpec[] {
  return ancestorsOf(state, spec).flatMap((id) => findAgent(state, id)?.spec ?? []);
}

/** The budget of the run itself, if it has one. */
export function budgetOfRun({ run }: RunState): readonly OwnedBudget[] {
  const { budget } = run.limits;
  return budget === undefined ? [] : [{ of: "run", budget }];
}

/** The budget of an agent, if it has one. */
export function budgetOfAgent(spec: AgentSpec | undefined): readonly OwnedBudget[] {
  return spec?.budget === undefined ? [] : [{ of: "agent", agent: spec.id, budget: spec.budget }];
}

/** The budgets that steps have. */
export function budgetsOfSteps(
  budgets: StepBudgets,
  steps: readonly string[],
): readonly OwnedBudget[] {
  return steps.flatMap((step) => {
    const budget = budgets.get(step);
    return budget === undefined ? [] : [{ of: "step", step, budget }];
  });
}

/** What is left of a budget for one more turn while others run. */
export function toTurnBudget(
  state: RunState,
  running: readonly TurnAllowance[],
  owned: OwnedBudget,
): TurnBudget {
  const open = [...state.budget.reservations.values()].filter((each) => isCountedBy(each, owned));
  const told = new Map(running.map((each) => [each.reservation, each.amounts]));
  const counted = open.map((each) => ({ ...each, amounts: told.get(each.id) ?? each.amounts }));
  const waiting = new Set(running.flatMap((each) => (each.works ? [] : [each.reservation])));
  // A turn that waits for a person gives nothing back until that person comes.
  const mayGiveBack = open.some((each) => !waiting.has(each.id));
  return { owner: holderOf(owned), uses: meterUses(state, owned, counted), mayGiveBack };
}

/** A turn that wants to start. */
export interface TurnToAdmit {
  readonly spec: AgentSpec;
  readonly metering: Metering | undefined;
  readonly turn: number;
  readonly attempt: number;
  /** The step that it serves. */
  readonly step: Pick<StepAddress, "id" | "path"> | undefined;
  /** Set where a run below asks. */
  readonly below?: TurnBelow;
}

/** Whether a turn may start. `held`: not now; `whenChanged` of the keeper tells when to ask again. */
export type TurnAdmission =
  | { readonly status: "granted"; readonly allowance: TurnAllowance }
  | { readonly status: "held" }
  | { readonly status: "refused"; readonly error: TroupeError };
