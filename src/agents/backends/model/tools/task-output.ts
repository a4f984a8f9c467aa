import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const MAX_TIMEOUT_MS = 600_000;

const input = z.object({
  task_id: z.string().describe("What Bash returned (job-1), or the agent_id of a Task."),
  block: z
    .boolean()
    .optional()
    .describe("Whether to wait for its end. Default: if there is a timeout."),
  timeout: z
    .int()
    .min(0)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("How long to wait for its end, in milliseconds. Default: 0, with block 600000."),
});

/** Reads what a command or a subagent in the background has come to. */
export const taskOutputTool = defineModelTool({
  name: "TaskOutput",
  description:
    "Returns what a command in the background has printed so far, or what a subagent in the background answered, and whether it runs.",
  hasEffect: false,
  input,
  prepare: async ({ task_id, block, timeout }, { jobs }) => {
    const waitMs = timeout ?? (block === true ? MAX_TIMEOUT_MS : 0);
    const timeoutMs = block === false ? 0 : waitMs;
    return {
      asks: { task_id, timeout: timeoutMs },
      run: async ({ signal, callTool }) => {
        if (!jobs.has(task_id)) {
          const answer = await callTool("wait", { ids: [task_id], timeout_ms: timeoutMs });
          return JSON.stringify(answer);
        }
        const wait = timeoutMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(timeoutMs);
        const text = await jobs.read(task_id, AbortSignal.any([signal, wait]));
        signal.throwIfAborted();
        return text;
      },
    };
  },
});
