import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Shows the tasks of the team. */
export const taskList = defineTool({
  name: "task_list",
  title: "List the tasks of the team",
  description:
    "All tasks of the team: number, title, status (pending, in_progress, completed, failed, cancelled), owner, the tasks that come first, and the result of each that is over.",
  annotations: READS,
  needs: "program",
  input: z.strictObject({}),
  call: (input, context) => context.askProgram("task_list", input),
});
