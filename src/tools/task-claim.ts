import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { ADDS } from "./parts/annotations.ts";
import { taskId } from "./parts/task-fields.ts";

/** Takes a task of the team. */
export const taskClaim = defineTool({
  name: "task_claim",
  title: "Take a task of the team",
  description:
    "Take a task that nobody works on, so that nobody else does: the one with this number, else the first that can begin. Close it with task_update before your turn ends, or it goes back to the list.",
  annotations: ADDS,
  needs: "program",
  input: z.strictObject({ id: taskId.exactOptional() }),
  call: (input, context) => context.askProgram("task_claim", input),
});
