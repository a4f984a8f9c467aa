import { type ConventionTemplate, toolName } from "./convention.ts";
import type { ConventionFacts } from "./convention-facts.ts";
import type { PeerParams } from "./mesh-convention.ts";

/** Where an expert stands, and how its program names the tools. */
export interface ExpertParams extends PeerParams, Pick<ConventionFacts, "toolPrefix"> {}

/** The convention of an expert at a blackboard. */
export const blackboardConvention: ConventionTemplate<ExpertParams> = {
  name: "blackboard/expert",
  place: ({ size, maxRounds }) =>
    `This is a blackboard: ${size} ${size === 1 ? "expert builds" : "experts build"} a solution on one document that all share, in rounds, at most ${maxRounds}. In each round all take a turn at once, and are shown the board as it is.`,
  result: () => "what you contributed to the board",
  rules: (params) => [
    `Add what you know with the tool ${toolName(params, "document_append")}; put right what is wrong with ${toolName(params, "document_write")}, after reading it with ${toolName(params, "document_read")}, and pass the revision that you have read.`,
    "Only what stands on the board counts: after two rounds in which nobody has written, the rounds are over. What you answer is posted to all, but is no part of the solution.",
    "Write only what nobody has written yet. When your field has nothing more to add, say that you are done; who names you as @id gives you another turn.",
  ],
  data: () => [],
};
