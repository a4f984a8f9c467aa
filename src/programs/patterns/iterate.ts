import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { toJson } from "../../foundation/json.ts";
import { seriesResult } from "../iterate/iteration-record.ts";
import { freshAgents, runSeries } from "../iterate/run-series.ts";
import {
  seriesBlock,
  seriesFaults,
  seriesSettings,
  seriesTimeoutMs,
} from "../iterate/series-settings.ts";

/** The same task again and again, each time by a fresh agent that is told what the ones before it did. */
export const iteratePattern = definePattern({
  name: "iterate",
  summary: "One task again and again, each time by a fresh agent that is told what went before",
  block: seriesBlock,
  onFailure: "continue",
  order: "mode",
  defaultTimeoutMs: seriesTimeoutMs,
  members: freshAgents,
  check: seriesFaults,
  turns,
  metadata: (_definition, advances, cut) => {
    const { stopReason, ...result } = seriesResult(advances);
    return {
      ...result,
      stopReason: stopReason ?? cut ?? null,
      records: toJson(result.records, "the records of a series"),
    };
  },
  links: (definition) => {
    const { agent, summaryAgent } = seriesSettings(definition);
    const next = { from: agent.id, to: agent.id, kind: "route", label: "next iteration" } as const;
    if (summaryAgent === undefined) return [next];
    return [next, { from: agent.id, to: summaryAgent.id, kind: "route", label: "is summed up" }];
  },
  run: runSeries,
});

function turns(definition: PatternDefinition) {
  const { count: wanted, cap, until, durationMs, summaryAgent } = seriesSettings(definition);
  const most = Math.min(wanted ?? cap, cap);
  const isOpen = until !== undefined || durationMs !== undefined;
  const iterations = isOpen ? `1 to ${count(most, "iteration")}` : count(most, "iteration");
  const least = isOpen ? 1 : most;
  if (summaryAgent === undefined) return { least, most, basis: iterations };
  // Those that fail are not summed up.
  return { least, most: 2 * most, basis: `${iterations} + 1 by ${summaryAgent.id} for each` };
}
