import { z } from "zod";
import type { ChildRequest } from "../contracts/collab.ts";
import { defineTool } from "../contracts/tool.ts";
import { ADDS } from "./parts/annotations.ts";
import { agentId, collabPrompt, toCollabEntry } from "./parts/collab-fields.ts";

const MAX_WORD_CHARS = 200;
const word = z.string().min(1).max(MAX_WORD_CHARS).exactOptional();
const amount = z.number().positive().exactOptional();

const input = z.strictObject({
  prompt: collabPrompt.describe("All that it has to know: it sees nothing of your conversation"),
  name: agentId.exactOptional().describe("Its id; given by itself if absent"),
  role: word.describe("worker, default, or a role of the configuration; worker if absent"),
  type: word.describe(
    "An agent type: general-purpose, Explore or Plan, which only read, Bash, or one of this project or user",
  ),
  backend: word.describe("On what it runs, if not on the same as you"),
  model: word.describe("Which model, if not yours"),
  isolation: z
    .enum(["worktree", "sandbox"])
    .exactOptional()
    .describe("worktree: a branch of its own; absent: your directory"),
  max_turns: z.int().positive().exactOptional().describe("Most turns that it may take"),
  budget: z
    .strictObject({ tokens: amount, cost: amount, turns: amount })
    .exactOptional()
    .describe("What it may use; cost in USD"),
});

/** Begins another agent for the caller. */
export const spawnAgent = defineTool({
  name: "spawn_agent",
  title: "Spawn an agent",
  description:
    "Start another agent on a task of its own; returns at once with its id. It works beside you, with no more permissions than you have, and answers with the last message of its turn: get that by `wait`, or go on and be told. Spawn several for work that can be done side by side, and close those that you no longer need.",
  annotations: ADDS,
  needs: "collab",
  input,
  call: async (given, context) => toCollabEntry(await context.collab.spawn(toRequest(given))),
});

function toRequest(given: z.output<typeof input>): ChildRequest {
  const { max_turns: maxTurns, budget, ...request } = given;
  if (maxTurns === undefined && budget === undefined) return request;
  const turns = maxTurns === undefined ? {} : { turns: maxTurns };
  return { ...request, budget: { ...budget, ...turns } };
}
