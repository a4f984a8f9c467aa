import { z } from "zod";

/** Hand-overs at most where a file says nothing. */
export const DEFAULT_MAX_HANDOFFS = 5;

/** What a file says of `handoff`. */
export const handoffBlock = z.strictObject({
  entryPoint: z.string().optional().describe("Who holds the task first. Default: the first agent."),
  routes: z
    .array(
      z.strictObject({
        agent: z.string(),
        condition: z
          .string()
          .min(1)
          .optional()
          .describe("When this agent is to get the task, in words."),
        test: z
          .string()
          .min(1)
          .optional()
          .describe(
            "Name of a function of your own that gives the task to this agent, by the text of a turn without DONE and HANDOFF.",
          ),
      }),
    )
    .min(1)
    .optional()
    .describe("Who may get the task. Default: all others."),
  maxHandoffs: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(`Hand-overs at most; then the holder must finish. Default: ${DEFAULT_MAX_HANDOFFS}.`),
  fallback: z
    .string()
    .optional()
    .describe(
      "Who gets the task when it is handed to nobody, or its holder fails. Default: the entry point, and nobody.",
    ),
});
