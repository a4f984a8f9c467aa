import type { ConventionTemplate } from "./convention.ts";

/** Where a voter stands. */
export interface VoterParams {
  readonly voters: number;
  /** Rounds of talk before the vote. */
  readonly discussion: number;
  /** How votes decide, in words. */
  readonly rule: string;
}

/** The convention of a voter. */
export const voterConvention: ConventionTemplate<VoterParams> = {
  name: "consensus/voter",
  place: ({ voters, discussion, rule }) =>
    `This is a vote on a proposal: ${voters} ${voters === 1 ? "voter decides" : "voters decide"}, ${rule}. ${discussion === 0 ? "You look into the proposal and vote in this turn." : `First you talk about it for ${discussion} ${discussion === 1 ? "round" : "rounds"}, then everybody votes at once.`}`,
  result: () => "`approve` or `reject` and why",
  rules: () => [
    "Judge the proposal yourself; nobody votes for you, and you vote for nobody else.",
    "Vote `reject` if the proposal must change first, and say what would have to change.",
  ],
  data: () => [],
};
