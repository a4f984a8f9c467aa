import { z } from "zod";
import type { RevisionKind } from "../talk/revision-kind.ts";

const DEFAULT_ROUNDS = 2;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is made. Default: the task."),
  author: z
    .string()
    .min(1)
    .optional()
    .describe("Who makes it. Default: the first agent that is no reviewer."),
  attackers: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who attacks. Default: agents of role reviewer, else all others."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Versions at most. Default: ${DEFAULT_ROUNDS}.`),
});

/** An author makes something, attackers try to break it, and it is mended until no attack succeeds. */
export const redTeamKind: RevisionKind = {
  name: "red-team",
  summary: "An author, and attackers who try to break what it makes",
  block,
  keys: { author: "author", reviewers: "attackers", bound: "maxRounds" },
  read: (options) => {
    const given = block.parse(options);
    return {
      author: given.author,
      reviewers: given.attackers,
      maxRounds: given.maxRounds,
    };
  },
  defaultRounds: DEFAULT_ROUNDS,
  isAlone: false,
  place: "This is a trial by attack: what is made is given to attackers.",
  rules: {
    author: ["Think of what an attacker would try before you hand it over."],
    reviewer: [
      "Break it: find an input, a case or an argument for which it fails, and show it in full. Approve only when you have tried hard and found nothing.",
    ],
  },
  look: "Try to break it.",
};
