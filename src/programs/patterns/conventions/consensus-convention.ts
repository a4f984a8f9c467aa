import type { ConsensusType } from "../../primitives/tally.ts";
import type { ConventionTemplate } from "./convention.ts";

/** Where a voter stands. */
export interface VoterParams {
  readonly voters: number;
  /** Rounds of talk before the vote. */
  readonly discussion: number;
  readonly type: ConsensusType;
  readonly threshold: number;
  readonly quorum: number;
}

/** The convention of a voter. */
export const voterConvention: ConventionTemplate<VoterParams> = {
  name: "consensus/voter",
  place: ({ voters, discussion, ...rules }) =>
    `This is a vote on a proposal: ${voters} ${voters === 1 ? "voter decides" : "voters decide"}, ${describeRule(rules)}. ${discussion === 0 ? "You look into the proposal and vote in this turn." : `First you talk about it for ${discussion} ${discussion === 1 ? "round" : "rounds"}, then everybody votes at once.`}`,
  result: () => "`approve` or `reject` and why",
  rules: () => [
    "Judge the proposal yourself; nobody votes for you, and you vote for nobody else.",
    "Vote `reject` if the proposal must change first, and say what would have to change.",
  ],
  data: () => [],
};

/** How votes decide, in words. */
function describeRule({
  type,
  threshold,
  quorum,
}: Pick<VoterParams, "type" | "threshold" | "quorum">): string {
  switch (type) {
    case "majority":
      return "more than half of the votes approve it or it fails";
    case "weighted":
      return "more than half of the weight of all votes approves it or it fails";
    case "supermajority":
      return `at least ${Math.round(threshold * 100)}% of the votes must approve it`;
    case "unanimous":
      return "all must approve it";
    case "quorum":
      return `at least ${quorum} must approve it, and more than reject it`;
  }
}
