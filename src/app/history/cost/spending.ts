import type { CostDimension } from "../../../contracts/cost-dimension.ts";
import { addUsage, type Usage } from "../../../contracts/usage.ts";
import type { TurnCost } from "./turn-costs.ts";

/** What several turns used together. */
export interface Spending {
  /** Turns, each once however often it was started. */
  readonly turns: number;
  readonly usage: Usage;
  /** Starts of turns whose cost nobody knows; `usage.costUsd` leaves them out. */
  readonly unpricedTurns: number;
}

/** What the turns of one name used. */
export interface NamedSpending extends Spending {
  /** Null where there is none: turns without a step, agents with their backend's own model. */
  readonly name: string | null;
}

/** The sum over turns. */
export function sumOf(turns: readonly TurnCost[]): Spending {
  return {
    turns: turns.filter(({ isStartedAgain }) => !isStartedAgain).length,
    usage: turns.reduce((sum: Usage, { usage }) => addUsage(sum, usage), {}),
    unpricedTurns: turns.filter(({ isCostUnknown }) => isCostUnknown).length,
  };
}

/** The sums by a dimension, each turn in exactly one of them, in the order in which their first turns ended. */
export function spendingBy(
  turns: readonly TurnCost[],
  dimension: CostDimension,
): readonly NamedSpending[] {
  const groups = Map.groupBy(turns, (turn) => nameIn(dimension, turn));
  return [...groups].map(([name, own]) => ({ name, ...sumOf(own) }));
}

function nameIn(dimension: CostDimension, turn: TurnCost): string | null {
  switch (dimension) {
    case "run":
    case "agent":
    case "step":
    case "model":
    case "backend":
      return turn[dimension];
    case "turn":
      return `${turn.run} ${turn.agent}#${turn.turn}`;
    case "day":
      return dayOf(turn.at);
  }
}

/** The day in the time zone of this machine, in which whoever pays lives. */
function dayOf(atMs: number): string {
  const date = new Date(atMs);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
