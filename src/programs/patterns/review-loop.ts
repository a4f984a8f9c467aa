import { z } from "zod";
import type { RevisionKind } from "../talk/revision-kind.ts";

const DEFAULT_ROUNDS = 3;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is made. Default: the task."),
  author: z
    .string()
    .min(1)
    .optional()
    .describe("Who makes it. Default: the first agent that is no reviewer."),
  reviewers: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who must approve. Default: agents of role reviewer, else all others."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Versions at most. Default: ${DEFAULT_ROUNDS}.`),
});

/** An author makes something, all reviewers look at it at once, and it is made again until all approve. */
export const reviewLoopKind: RevisionKind = {
  name: "review-loop",
  summary: "An author, and reviewers who must all approve of what it makes",
  block,
  keys: { author: "author", reviewers: "reviewers", bound: "maxRounds" },
  read: (options) => {
    const given = block.parse(options);
    return {
      author: given.author,
      reviewers: given.reviewers,
      maxRounds: given.maxRounds,
    };
  },
  defaultRounds: DEFAULT_ROUNDS,
  isAlone: false,
  place: "This is a review loop.",
  rules: {
    author: ["Say what you have changed since the version before."],
    reviewer: [
      "Approve as soon as you would let it go as it is: what could only be nicer is no objection.",
    ],
  },
  look: "Look at it as a reviewer.",
};
