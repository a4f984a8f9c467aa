import type { PatternOptions } from "../contracts/ports/own-pattern.ts";

/**
 * Declares a pattern of your own: a program that gives turns to the agents of a workflow. It takes the same way after a
 * crash, so what it decides must come from its context and what its turns said: no clock, randomness, files or network
 * but through `context`. Names and keys are checked where it is used: WORKFLOW_PATTERN_INVALID.
 *
 * @example
 * ```ts
 * export const relay = definePattern({
 *   name: "relay-race",
 *   block: z.strictObject({ laps: z.int().min(1) }),
 *   run: async (_context, { agents, block, turn }) => {
 *     let baton = "";
 *     for (let lap = 1; lap <= block.laps; lap += 1)
 *       for (const { id } of agents) {
 *         const said = await turn({ agent: id, now: `Lap ${lap}. The baton: ${baton}`, demands: "DONE" });
 *         if (said.status === "left") return { outcome: "failed", reason: said.error.message };
 *         baton = said.output;
 *       }
 *     return { outcome: "completed", reason: "all laps are run", output: baton };
 *   },
 * });
 * ```
 */
export function declarePattern<Block = unknown>(
  pattern: PatternOptions<Block>,
): PatternOptions<Block> {
  return pattern;
}
