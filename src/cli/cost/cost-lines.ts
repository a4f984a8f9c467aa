import type { Costs, RunCost } from "../../app/history/cost/read-costs.ts";
import {
  type NamedSpending,
  type Spending,
  spendingBy,
  sumOf,
} from "../../app/history/cost/spending.ts";
import { useText } from "../../contracts/budget-words.ts";
import type { CostDimension } from "../../contracts/cost-dimension.ts";
import { count } from "../../foundation/count.ts";
import { formatCost, formatUsd } from "../../foundation/money.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";
import { shortNumber } from "../view/live/amounts.ts";

/** How costs are told. */
export interface CostTelling {
  readonly by: CostDimension;
  readonly isOneRun: boolean;
  /** Most lines of the table. */
  readonly limit: number;
  readonly settings: Settings;
}

/** What was used, for people: a table with its sum, and below it what the sum leaves open. */
export function costLines(
  { turns, runs }: Pick<Costs, "turns" | "runs">,
  { by, isOneRun, settings, limit }: CostTelling,
): readonly string[] {
  if (turns.length === 0) return ["no turn has ended yet", ...openLines(runs, isOneRun)];
  const workflows = new Map(runs.map((run) => [run.run, run]));
  const extra = (name: string | null) => (by === "run" ? placeOf(workflows.get(name ?? "")) : []);
  const isOfMany = runs.some(({ project }) => project !== undefined);
  const places = by === "run" ? ["WORKFLOW", ...(isOfMany ? ["PROJECT"] : [])] : [];
  const all = spendingBy(turns, by);
  const rows = all
    .slice(0, limit)
    .map((each) => [nameOf(each, by), ...extra(each.name), ...figures(each)]);
  const total = sumOf(turns);
  const header = [by.toUpperCase(), ...places, "TURNS", "INPUT", "CACHED", "OUTPUT", "COST"];
  // Of the figures those of tokens matter least.
  const dropped = [2, 1, 3].map((figure) => 1 + places.length + figure);
  const sum = ["total", ...places.map(() => ""), ...figures(total)];
  return [
    ...fitTable([header, ...rows, sum], {
      settings,
      hasHeader: true,
      cuts: [1, 0],
      drops: dropped,
    }),
    ...(all.length > limit ? [`and ${all.length - limit} more, in the total`] : []),
    ...doubtLines(total, turns),
    ...openLines(runs, isOneRun),
  ];
}

function placeOf(run: RunCost | undefined): readonly string[] {
  if (run === undefined) return [""];
  const { workflow, instance, project } = run;
  return [`${workflow}@${instance}`, ...(project === undefined ? [] : [project])];
}

const NAMELESS: { readonly [dimension in CostDimension]?: string } = {
  step: "(no step)",
  model: "(the backend's own)",
};

function nameOf({ name }: NamedSpending, by: CostDimension): string {
  return name ?? NAMELESS[by] ?? "";
}

function figures({ turns, usage, unpricedTurns }: Spending): readonly string[] {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const tokens = [inputTokens, cachedTokens, outputTokens].map((number) =>
    number === undefined ? "" : shortNumber(number),
  );
  return [String(turns), ...tokens, formatCost({ ...usage, unpricedTurns })];
}

/** What the cost of a sum does not say: what was estimated, and what nobody knows. */
function doubtLines({ usage, unpricedTurns }: Spending, turns: Costs["turns"]): readonly string[] {
  const { estimatedUsd = 0 } = usage;
  const unknown = turns.filter(({ isCostUnknown }) => isCostUnknown);
  const who = new Set(
    unknown.map(({ backend, model }) => (model === null ? backend : `${backend} ${model}`)),
  );
  const estimated = `~ ${formatUsd(estimatedUsd)} of it is an estimate from tokens and prices`;
  const missing = `+ the cost of ${count(unpricedTurns, "turn")} is not known (${[...who].join(", ")})`;
  return [
    ...(estimatedUsd > 0 ? [estimated] : []),
    ...(unpricedTurns > 0 ? [toPrintable(`${missing}: set prices in the configuration`)] : []),
  ];
}

/** What turns that have not ended have set aside, and of one run what its limits leave. */
function openLines(runs: readonly RunCost[], isOneRun: boolean): readonly string[] {
  const open = runs.flatMap(({ reservations }) => reservations);
  const costUsd = open.reduce((sum, { cost = 0 }) => sum + cost, 0);
  const tokens = open.reduce((sum, amounts) => sum + (amounts.tokens ?? 0), 0);
  const amounts = [
    ...(costUsd > 0 ? [formatUsd(costUsd)] : []),
    ...(tokens > 0 ? [`${shortNumber(tokens)} tokens`] : []),
  ].join(" and ");
  const forTurns = `for ${count(open.length, "turn")} that ${open.length === 1 ? "has" : "have"} not ended`;
  return [
    ...(amounts === "" ? [] : [`set aside: ${amounts} ${forTurns}`]),
    ...(isOneRun ? runs.flatMap(({ budget }) => budget.map(limitLine)) : []),
  ];
}

function limitLine({ meter, limit, spent, isEstimate }: RunCost["budget"][number]): string {
  const left = useText(meter, { spent: Math.max(0, limit - spent), limit });
  return `left: ${left}${isEstimate ? " (partly assumed)" : ""}`;
}
