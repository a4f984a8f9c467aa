import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({ task_id: z.string().describe("What Bash returned: job-1.") });

/** Ends a command in the background. */
export const taskStopTool = defineModelTool({
  name: "TaskStop",
  description: "Ends a command in the background with all that it started.",
  hasEffect: true,
  input,
  prepare: async ({ task_id }, { jobs }) => ({
    asks: { task_id },
    run: async () => {
      await jobs.stop(task_id);
      return `Stopped ${task_id}.`;
    },
  }),
});
