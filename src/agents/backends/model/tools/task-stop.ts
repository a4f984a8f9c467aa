import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  task_id: z.string().describe("What Bash returned (job-1), or the agent_id of a Task."),
});

/** Ends a command or a subagent in the background. */
export const taskStopTool = defineModelTool({
  name: "TaskStop",
  description: "Ends a command in the background with all that it started, or a subagent.",
  hasEffect: true,
  input,
  prepare: async ({ task_id }, { jobs }) => ({
    asks: { task_id },
    run: async ({ callTool }) => {
      if (!jobs.has(task_id)) return JSON.stringify(await callTool("close_agent", { id: task_id }));
      await jobs.stop(task_id);
      return `Stopped ${task_id}.`;
    },
  }),
});
