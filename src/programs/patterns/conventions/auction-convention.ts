import type { ConventionTemplate } from "./convention.ts";

/** Where a bidder stands. */
export interface BidderParams {
  readonly bidders: number;
  /** How the auction goes, in words. */
  readonly rule: string;
  /** What the bid must say for it to count; undefined where a function looks at all of it. */
  readonly measure: "confidence" | "cost" | undefined;
}

/** The convention of a bidder. */
export const bidderConvention: ConventionTemplate<BidderParams> = {
  name: "auction/bidder",
  place: ({ bidders, rule }) =>
    `This is an auction of a task: ${bidders} ${bidders === 1 ? "agent bids" : "agents bid"} for it, and one of them gets it to do. ${rule}`,
  result: () => "how you would do the task",
  rules: ({ measure }) => [
    `A bid is one line: \`BID: [confidence=0.8] [cost=3] [time=10m] <how you would do it>\`, or a call of the tool \`bid\` where you have it. ${measure === undefined ? "All of it counts." : `Without ${measure} it cannot win; the rest is for those who look at it later.`}`,
    "Bid what is true: whoever wins has to do it. Do none of the task before you are told that it is yours.",
    "If you do not want it, answer with the line `PASS` instead.",
  ],
  data: () => [],
};
