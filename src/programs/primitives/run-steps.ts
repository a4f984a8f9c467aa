import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context, Scope } from "../../contracts/ports/context.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { channelNameOf } from "./channel-name.ts";
import { Moves } from "./moves.ts";
import { type PrunerParts, pruneBranches } from "./pruner.ts";
import { followShadows } from "./shadows/last-words.ts";
import { type GraphResult, StepGraph, type StepGraphOptions } from "./step-graph.ts";
import { finalOutput, type StepResult, type StepResults, unneededSteps } from "./step-results.ts";
import { spawnTeam, type Team } from "./team.ts";

/** What makes a pattern out of steps. */
export interface StepPattern
  extends Pick<StepGraphOptions, "dependsOn" | "convention" | "goesOnAfter" | "around">,
    Pick<Pattern, "results"> {
  /** What the pattern's result says beyond its agents. */
  readonly metadata: (results: StepResults) => { readonly [key: string]: Json };
  /** What has to be done once the steps are over and the run has failed, or it is cancelled. Defaults to nothing. */
  readonly onFailed?: (failed: FailedSteps) => Promise<void>;
}

/** Steps that have not all gone well. */
export interface FailedSteps {
  readonly context: Context;
  readonly team: Team;
  /** In the order in which they were over. */
  readonly results: StepResults;
  readonly reason: string;
}

/** Spawns the agents, runs the steps in the pattern's order, and says truthfully how that ended (ENG-11). */
export async function runSteps(
  context: Context,
  definition: PatternDefinition,
  pattern: StepPattern,
): Promise<ProgramResult> {
  const channel = channelNameOf(definition.channel, context.run.id);
  const shadows = followShadows(context, definition);
  const team = await spawnTeam(context, { definition, channel });
  const graph = new StepGraph({ context, definition, team, ...pattern });
  const pruner = startPruner(context, { definition, team, graph });
  const result = await runGraph(graph, async (reason) => {
    await pattern.onFailed?.({ context, team, results: graph.results, reason });
  });
  pruner?.cancel("no branch is under way");
  if (team.reflections !== undefined) await team.reflections.end("wait");
  await shadows.lastWords();
  const output = finalOutput(pattern, definition, (step) => {
    const done = result.steps.get(step);
    return done?.status === "completed" ? done.output : undefined;
  });
  const pruned = pruner === undefined ? {} : { pruned: result.pruned };
  const metadata = { ...pattern.metadata(result.steps), ...pruned };
  const judged = judge(result);
  const { results = unneededSteps } = pattern;
  const cutOff = new Set(result.pruned);
  const isFruitless = cutOff.size > 0 && results(definition).every((id) => cutOff.has(id));
  if (judged.outcome === "completed" && isFruitless)
    return { outcome: "failed", reason: "all branches were pruned", metadata };
  return { ...judged, metadata, output };
}

function startPruner(
  context: Context,
  parts: Pick<PrunerParts, "definition" | "team" | "graph">,
): Scope<never> | undefined {
  const { pruner: spec } = parts.definition;
  if (spec === undefined) return undefined;
  const moves = new Moves(context, parts.definition);
  return context.scope("pruner", (branch) => pruneBranches(branch, { ...parts, spec, moves }));
}

async function runGraph(
  graph: StepGraph,
  onFailed: (reason: string) => Promise<void>,
): Promise<GraphResult> {
  let result: GraphResult;
  try {
    result = await graph.run();
  } catch (error) {
    await onFailed(toErrorReport(error).message);
    throw error;
  }
  const { outcome, reason } = judge(result);
  if (outcome === "failed") await onFailed(reason);
  return result;
}

function judge({
  steps,
  barriers,
}: GraphResult): Pick<ProgramResult, "outcome" | "reason" | "error"> {
  for (const [id, result] of steps) {
    if (result.status !== "failed") continue;
    const { error } = result;
    return { outcome: "failed", reason: `step "${id}" failed: ${error.message}`, error };
  }
  for (const error of barriers.values()) return { outcome: "failed", reason: error.message, error };
  const unfinished = [...steps].find(
    ([, result]) => result.status === "blocked" || result.status === "cancelled",
  );
  if (unfinished !== undefined)
    return { outcome: "failed", reason: `step "${unfinished[0]}" was ${unfinished[1].status}` };
  return { outcome: "completed", reason: `${count(steps)} of ${steps.size} steps done` };
}

function count(steps: ReadonlyMap<string, StepResult>): number {
  return [...steps.values()].filter(
    (result) => result.status === "completed" || result.status === "skipped",
  ).length;
}
