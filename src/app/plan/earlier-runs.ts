import { type Pricing, withPrice } from "../../contracts/price.ts";
import { addUsage, tokensOf, type Usage } from "../../contracts/usage.ts";
import { readTurns } from "../history/cost/turn-costs.ts";
import type { Machine } from "../machine/machine.ts";
import { readHead } from "../runs/run-heads.ts";

/** What one earlier run of a workflow took; null for what is not known of it. */
export interface EarlierFigures {
  readonly turns: number;
  readonly durationMs: number;
  /** Of all its turns: a part says nothing of the next run. */
  readonly costUsd: number | null;
  /** Whether prices had to tell a part of the cost. */
  readonly isCostEstimated: boolean;
  readonly tokens: number | null;
}

/** The youngest say most, and a project may hold thousands. */
const MAX_LOOKED_AT = 200;
const MAX_TAKEN = 10;

/** The last runs of a workflow in this project that came to an end by themselves, at the prices of today. */
export function findEarlierRuns(
  machine: Machine,
  workflow: string,
  pricing: Pricing,
): readonly EarlierFigures[] {
  const ended = machine.store
    .list()
    .slice(0, MAX_LOOKED_AT)
    .filter((run) => {
      const head = readHead(machine.store, run);
      if (head?.workflow !== workflow || head.outcome === null) return false;
      return head.outcome !== "cancelled";
    });
  return ended.slice(0, MAX_TAKEN).map((run) => readEarlierRun(machine, run, pricing));
}

function readEarlierRun(machine: Machine, run: string, pricing: Pricing): EarlierFigures {
  const journal = machine.store.open(run, "read");
  try {
    const { state, turns } = readTurns(run, journal.read());
    const priced = turns.map(({ usage, backend, model, isCostUnknown }) => {
      const told = withPrice(usage, pricing({ backend, ...(model === null ? {} : { model }) }));
      return { usage: told, isUnknown: isCostUnknown && told.costUsd === undefined };
    });
    const {
      costUsd,
      estimatedUsd = 0,
      ...tokens
    } = priced.reduce((sum: Usage, { usage }) => addUsage(sum, usage), {});
    return {
      turns: state.turnsEnded,
      durationMs: state.phase.status === "ended" ? state.phase.durationMs : 0,
      costUsd: priced.some(({ isUnknown }) => isUnknown) ? null : (costUsd ?? null),
      isCostEstimated: estimatedUsd > 0,
      tokens: tokensOf(tokens) ?? null,
    };
  } finally {
    journal.close();
  }
}
