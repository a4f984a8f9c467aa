import { addUsage, tokensOf, type Usage } from "../../../contracts/usage.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { TurnSpan } from "./spans.ts";

/** What somebody or something used. */
export interface UsageSum {
  readonly name: string;
  readonly turns: number;
  /** Turns that did not say what they used: without them the sums are a lower bound. */
  readonly unknownTurns: number;
  readonly usage: Usage;
}

/** Spending of turns that had ended by `position`, by agent or by step, the largest first. */
export function usageBy(
  turns: readonly TurnSpan[],
  position: number,
  nameOf: (turn: TurnSpan) => string,
): readonly UsageSum[] {
  const byName = new Map<string, UsageSum>();
  for (const turn of turns) {
    if (turn.endPosition === undefined || turn.endPosition > position) continue;
    const name = nameOf(turn);
    const sum = byName.get(name) ?? { name, turns: 0, unknownTurns: 0, usage: {} };
    byName.set(name, {
      name,
      turns: sum.turns + 1,
      unknownTurns: sum.unknownTurns + (isKnown(turn.usage) ? 0 : 1),
      usage: turn.usage === undefined ? sum.usage : addUsage(sum.usage, turn.usage),
    });
  }
  return [...byName.values()].sort((left, right) => weightOf(right.usage) - weightOf(left.usage));
}

/** What a run has used so far. One in which no turn has ended has used nothing, which is not unknown. */
export function usedBy({ turnsEnded, usage }: Pick<RunState, "turnsEnded" | "usage">): Usage {
  return turnsEnded === 0 ? { costUsd: 0, inputTokens: 0, outputTokens: 0 } : usage;
}

/** What bars compare: money if anybody knows it, else tokens; undefined when nothing is known. */
export function measureOf(
  spendings: readonly UsageSum[],
):
  | { readonly unit: "cost" | "tokens"; valueOf(spending: UsageSum): number | undefined }
  | undefined {
  if (spendings.some(({ usage }) => usage.costUsd !== undefined))
    return { unit: "cost", valueOf: ({ usage }) => usage.costUsd };
  if (spendings.some(({ usage }) => tokensOf(usage) !== undefined))
    return { unit: "tokens", valueOf: ({ usage }) => tokensOf(usage) };
  return undefined;
}

function isKnown(usage: Usage | undefined): boolean {
  return usage !== undefined && (usage.costUsd !== undefined || tokensOf(usage) !== undefined);
}

function weightOf(usage: Usage): number {
  // Any cost counts more than any number of tokens.
  return (usage.costUsd ?? 0) * 1e12 + (tokensOf(usage) ?? 0);
}
