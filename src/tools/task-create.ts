import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { ADDS } from "./parts/annotations.ts";
import { taskAfter, taskOwner, taskTitle } from "./parts/task-fields.ts";

/** Adds a task to the list of the team. */
export const taskCreate = defineTool({
  name: "task_create",
  title: "Add a task for the team",
  description:
    "Add a task to the list of the team; a worker takes it once the tasks of `after` are completed. Make each a piece that one worker can finish alone. The answer has its number.",
  annotations: ADDS,
  needs: "program",
  input: z.strictObject({
    title: taskTitle,
    after: taskAfter.exactOptional(),
    owner: taskOwner.exactOptional(),
  }),
  call: (input, context) => context.askProgram("task_create", input),
});
