import { z } from "zod";
import type { RevisionKind } from "../talk/revision-kind.ts";

const DEFAULT_ROUNDS = 3;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is made. Default: the task."),
  worker: z
    .string()
    .min(1)
    .optional()
    .describe("Who works. Default: the first agent that is no reviewer."),
  verifier: z.string().min(1).optional().describe("Who checks. Default: the only other agent."),
  maxAttempts: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Versions at most. Default: ${DEFAULT_ROUNDS}.`),
});

/** A worker does the task, a verifier checks whether that is true, and the worker tries again with what was found. */
export const verifierKind: RevisionKind = {
  name: "verifier",
  summary: "A worker, and a verifier who checks that what it says is true",
  block,
  keys: { author: "worker", reviewers: "verifier", bound: "maxAttempts" },
  read: (options) => {
    const given = block.parse(options);
    return {
      author: given.worker,
      reviewers: given.verifier === undefined ? undefined : [given.verifier],
      maxRounds: given.maxAttempts,
    };
  },
  defaultRounds: DEFAULT_ROUNDS,
  isAlone: true,
  place: "This is work with a check of another agent.",
  rules: {
    author: ["Say what can be checked, and how you have checked it yourself."],
    reviewer: [
      "Believe nothing: run it, read the files, count again. Reject what you could not check, and say what you did.",
    ],
  },
  look: "Check whether it is true.",
};
