import { z } from "zod";
import { durationText } from "./text-schemas.ts";

const amounts = {
  cost: z.number().positive().optional().describe("USD."),
  tokens: z.int().positive().optional().describe("Tokens of input and output together."),
  turns: z.int().positive().optional().describe("Turns of agents."),
  wallClock: durationText.optional().describe("Time, without waiting for people."),
  soft: z
    .number()
    .positive()
    .max(1)
    .optional()
    .describe("Share of each limit from which on agents and people are warned. Default: 0.8."),
};

const counts = {
  messages: z.int().positive().optional().describe("Messages that agents post."),
  agents: z.int().positive().optional().describe("Agents that are spawned."),
};

/** What all turns of one step may consume. */
export const stepBudgetSchema = z.strictObject(amounts);

/** What all turns of one agent may consume. */
export const agentBudgetSchema = z.strictObject({ ...amounts, ...counts });

/** What the whole run may consume. */
export const runBudgetSchema = z.strictObject({
  ...amounts,
  ...counts,
  handoffs: z.int().positive().optional().describe("Hand-overs of a task (handoff)."),
});

/** What a file says of a budget. */
export type BudgetEntry = z.infer<typeof runBudgetSchema>;
