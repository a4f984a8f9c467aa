import { z } from "zod";
import { durationText } from "./text-schemas.ts";

/** What a whole run, all turns of an agent or all of a step may consume. */
export const budgetEntrySchema = z.strictObject({
  cost: z.number().positive().optional().describe("USD."),
  tokens: z.int().positive().optional().describe("Tokens of input and output together."),
  turns: z.int().positive().optional().describe("Turns of agents."),
  messages: z.int().positive().optional().describe("Messages that agents post."),
  agents: z.int().positive().optional().describe("Agents that are spawned."),
  handoffs: z.int().positive().optional().describe("Hand-overs of a task (handoff)."),
  wallClock: durationText.optional().describe("Time, without waiting for people."),
  soft: z
    .number()
    .positive()
    .max(1)
    .optional()
    .describe("Share of each limit from which on agents and people are warned. Default: 0.8."),
});

/** What a file says of a budget. */
export type BudgetEntry = z.infer<typeof budgetEntrySchema>;
