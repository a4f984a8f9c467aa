import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { toJson } from "../../foundation/json.ts";
import { seriesResult } from "../iterate/iteration-record.ts";
import { freshAgents, runSeries } from "../iterate/run-series.ts";
import { seriesBlock, seriesFaults, seriesSettings } from "../iterate/series-settings.ts";

/** The same task again and again, each time by a fresh agent that is told what the ones before it did. */
export const iteratePattern = definePattern({
  name: "iterate",
  summary: "One task again and again, each time by a fresh agent that is told what went before",
  block: seriesBlock,
  onFailure: "continue",
  order: "mode",
  isUntimed: true,
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
  links: ({ agents }) =>
    agents
      .filter(({ shadow }) => shadow === undefined)
      .map(({ id }) => ({ from: id, to: id, kind: "route", label: "next iteration" })),
  run: runSeries,
});

function turns(definition: PatternDefinition) {
  const { count: wanted, cap, until, durationMs } = seriesSettings(definition);
  const most = Math.min(wanted ?? cap, cap);
  const isOpen = until !== undefined || durationMs !== undefined;
  const basis = isOpen ? `1 to ${count(most, "iteration")}` : count(most, "iteration");
  return { least: isOpen ? 1 : most, most, basis };
}
