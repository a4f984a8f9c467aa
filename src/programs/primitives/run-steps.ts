import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { Json } from "../../foundation/json.ts";
import { channelNameOf } from "./channel-name.ts";
import { followShadows } from "./shadows/last-words.ts";
import { type GraphResult, StepGraph, type StepGraphOptions } from "./step-graph.ts";
import { finalOutput, type StepResult, type StepResults } from "./step-results.ts";
import { spawnTeam } from "./team.ts";

/** What makes a pattern out of steps. */
export interface StepPattern
  extends Pick<StepGraphOptions, "dependsOn" | "convention" | "goesOnAfter">,
    Pick<Pattern, "results"> {
  /** What the pattern's result says beyond its agents. */
  readonly metadata: (results: StepResults) => { readonly [key: string]: Json };
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
  const result = await graph.run();
  await shadows.lastWords();
  const output = finalOutput(pattern, definition, (step) => {
    const done = result.steps.get(step);
    return done?.status === "completed" ? done.output : undefined;
  });
  return { ...judge(result), metadata: pattern.metadata(result.steps), output };
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
