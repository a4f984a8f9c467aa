import type { ConventionTemplate } from "./convention.ts";

/** Where a tier stands. */
export interface TierParams {
  /** From 1, the cheapest one. */
  readonly tier: number;
  readonly tiers: number;
  /** Confidence from which on its answer stands. */
  readonly threshold: number;
}

/** The convention of a tier. */
export const tierConvention: ConventionTemplate<TierParams> = {
  name: "cascade/tier",
  place: ({ tier, tiers, threshold }) =>
    `This is a cascade: agents from cheap to strong are asked one after another, until one is sure enough. You are number ${tier} of ${tiers}; your answer stands from a confidence of ${threshold} on${tier === tiers ? "" : ", else the next one is asked"}.`,
  result: () => "your answer, which is all that anybody reads",
  rules: ({ tier }) => [
    "Say how sure you are that the answer is right, from 0 to 1, in the signal itself: `DONE [confidence=0.8]: <answer>`. Without that it counts as 0.",
    "A low confidence costs less than a wrong answer.",
    ...(tier === 1
      ? []
      : ["Those before you were not sure enough. Check their answers instead of trusting them."]),
  ],
  data: () => [],
};
