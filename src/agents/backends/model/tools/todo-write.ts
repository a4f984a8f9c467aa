import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().min(1),
        status: z.enum(["pending", "in_progress", "completed"]),
        activeForm: z.string().optional(),
      }),
    )
    .describe("The whole list, in order."),
});

const MARKS = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const;

/** Keeps the list of what the agent has to do before its eyes. */
export const todoWriteTool = defineModelTool({
  name: "TodoWrite",
  description:
    "Writes down what is to be done: the whole list each time, at most one item in progress. Use it for tasks of several steps.",
  hasEffect: false,
  input,
  prepare: async ({ todos }) => ({
    asks: { todos: todos.map(({ content, status }) => ({ content, status })) },
    run: async () =>
      todos.length === 0
        ? "(the list is empty)"
        : todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join("\n"),
  }),
});
