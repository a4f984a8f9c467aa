import type { Machine } from "../machine.ts";
import { inspectRun } from "../resume-run.ts";
import { readHead } from "../run-heads.ts";

/** What one earlier run of a workflow took; null for what is not known of it. */
export interface EarlierRun {
  readonly turns: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokens: number | null;
}

/** The youngest say most, and a project may hold thousands. */
const MAX_LOOKED_AT = 200;
const MAX_TAKEN = 10;

/** The last runs of a workflow in this project that came to an end by themselves. */
export function findEarlierRuns(machine: Machine, workflow: string): readonly EarlierRun[] {
  const ended = machine.store
    .list()
    .slice(0, MAX_LOOKED_AT)
    .filter((run) => {
      const head = readHead(machine.store, run);
      if (head?.workflow !== workflow || head.outcome === null) return false;
      return head.outcome !== "cancelled";
    });
  return ended.slice(0, MAX_TAKEN).map((run) => {
    const { usage, turnsEnded, phase } = inspectRun(machine, run);
    const { inputTokens, outputTokens, costUsd } = usage;
    const isCounted = inputTokens !== undefined || outputTokens !== undefined;
    return {
      turns: turnsEnded,
      durationMs: phase.status === "ended" ? phase.durationMs : 0,
      costUsd: costUsd ?? null,
      tokens: isCounted ? (inputTokens ?? 0) + (outputTokens ?? 0) : null,
    };
  });
}
