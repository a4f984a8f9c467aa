import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  task_id: z.string().describe("What Bash returned: job-1."),
  timeout: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe("How long to wait for its end, in milliseconds. Default: 0."),
});

/** Reads what a command in the background has printed. */
export const taskOutputTool = defineModelTool({
  name: "TaskOutput",
  description: "Returns what a command in the background has printed so far, and whether it runs.",
  hasEffect: false,
  input,
  prepare: async ({ task_id, timeout = 0 }, { jobs }) => ({
    asks: { task_id, timeout },
    run: async ({ signal }) => {
      const wait = timeout === 0 ? AbortSignal.abort() : AbortSignal.timeout(timeout);
      const text = await jobs.read(task_id, AbortSignal.any([signal, wait]));
      signal.throwIfAborted();
      return text;
    },
  }),
});
