import { z } from "zod";
import { TASK_TOOL } from "../contracts/agent.ts";
import type { TaskAnswer, TaskRequest } from "../contracts/collab.ts";
import { defineTool } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { ADDS } from "./parts/annotations.ts";
import { agentId, collabPrompt, toStatusEntry } from "./parts/collab-fields.ts";
import { taskFailed } from "./parts/errors.ts";

const MAX_WORD_CHARS = 200;
/** The end says why. */
const MAX_FAILURE_CHARS = 4000;
const word = z.string().min(1).max(MAX_WORD_CHARS).exactOptional();

const input = z.strictObject({
  description: z.string().min(1).max(MAX_WORD_CHARS).describe("The task in three to five words"),
  prompt: collabPrompt.describe(
    "All that it has to know: without fork it sees nothing of your conversation",
  ),
  subagent_type: word.describe(
    "general-purpose (the default), Explore or Plan, which only read, Bash, or one of this project or user",
  ),
  model: word.describe("Which model, if not that of its type or yours"),
  run_in_background: z
    .boolean()
    .exactOptional()
    .describe(
      "Returns at once; you are told when it is done. What it would have to ask for is denied to it.",
    ),
  isolation: z.literal("worktree").exactOptional().describe("A branch of its own"),
  name: agentId.exactOptional().describe("Its id; given by itself if absent"),
  resume: agentId.exactOptional().describe("Id of an earlier one, which goes on with this prompt"),
  max_turns: z.int().positive().max(10_000).exactOptional().describe("Most answers of its model"),
  fork: z.boolean().exactOptional().describe("It begins with your conversation. Default: false."),
});

/** Gives a task to a subagent (SUB-1). */
export const task = defineTool({
  name: TASK_TOOL,
  title: "Give a task to a subagent",
  description:
    "Starts a subagent on a task of its own and returns its answer, with its id and what it used. It has no more permissions than you. Call it several times at once for tasks that do not depend on each other.",
  annotations: ADDS,
  needs: "collab",
  isBeside: true,
  input,
  call: async (given, context) =>
    toAnswer(await context.collab.task(toRequest(given, context.call))),
});

function toRequest(given: z.output<typeof input>, call: string | undefined): TaskRequest {
  const { subagent_type: type = "general-purpose", run_in_background, max_turns, ...rest } = given;
  return {
    ...rest,
    type,
    ...present({ background: run_in_background, maxTurns: max_turns, call }),
  };
}

/** Raises COLLAB_TASK_FAILED. */
function toAnswer({ id, usage, ...status }: TaskAnswer): Json {
  const { text = "" } = status;
  if (
    status.status !== "completed" &&
    status.status !== "running" &&
    status.status !== "pending_init"
  )
    throw taskFailed({
      agent: id,
      status: status.status,
      text: text.slice(-MAX_FAILURE_CHARS).toWellFormed(),
    });
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const entry = toStatusEntry(status);
  return {
    agent_id: id,
    result: entry,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  };
}
