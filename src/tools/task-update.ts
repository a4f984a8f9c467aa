import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import { taskAfter, taskId, taskOwner, taskTitle } from "./parts/task-fields.ts";

const MAX_RESULT_CHARS = 16_384;

/** Changes a task of the team. */
export const taskUpdate = defineTool({
  name: "task_update",
  title: "Change a task of the team",
  description:
    "Change a task: its title, who may do it, what comes first, or its status. `pending` gives a failed task another chance, `completed` and `failed` close it with `result`, `cancelled` takes it off the list and interrupts whoever works on it. A worker changes the tasks that it holds itself.",
  annotations: SETS,
  needs: "program",
  input: z
    .strictObject({
      id: taskId,
      title: taskTitle.exactOptional(),
      after: taskAfter.exactOptional(),
      owner: taskOwner.exactOptional(),
      status: z
        .enum(["pending", "completed", "failed", "cancelled"])
        .exactOptional()
        .describe("What becomes of it"),
      result: z
        .string()
        .max(MAX_RESULT_CHARS)
        .exactOptional()
        .describe("What came of it, or why not"),
    })
    .refine((given) => Object.keys(given).length > 1, { error: "say what is to be changed" })
    .refine(({ status, result }) => result === undefined || status !== undefined, {
      path: ["result"],
      error: "goes with a status",
    }),
  call: (input, context) => context.askProgram("task_update", input),
});
