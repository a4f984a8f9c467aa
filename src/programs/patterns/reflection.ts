import { z } from "zod";
import type { RevisionKind } from "../talk/revision-kind.ts";

const DEFAULT_ROUNDS = 3;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is made. Default: the task."),
  author: z
    .string()
    .min(1)
    .optional()
    .describe("Who drafts. Default: the first agent that is no reviewer."),
  critic: z.string().min(1).optional().describe("Who criticises. Default: the only other agent."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Versions at most. Default: ${DEFAULT_ROUNDS}.`),
});

/** An author drafts, a critic says what is weak, and the author revises until the critic approves. */
export const reflectionKind: RevisionKind = {
  name: "reflection",
  blockKey: "reflectionLoop",
  summary: "A draft, a critique, a better draft, until the critic approves",
  block,
  keys: { author: "author", reviewers: "critic", bound: "maxRounds" },
  read: (options) => {
    const given = block.parse(options);
    return {
      author: given.author,
      reviewers: given.critic === undefined ? undefined : [given.critic],
      maxRounds: given.maxRounds,
    };
  },
  defaultRounds: DEFAULT_ROUNDS,
  isAlone: true,
  place: "This is a loop of draft, critique and revision.",
  rules: {
    author: ["Write every version in full."],
    reviewer: [
      "Name the weakest point first, and what would make the draft better. Approve when you find nothing that is worth another version.",
    ],
  },
  look: "Criticise it.",
};
