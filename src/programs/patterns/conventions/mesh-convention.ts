import type { ConventionTemplate } from "./convention.ts";

/** Where a peer stands. */
export interface PeerParams {
  readonly size: number;
  readonly maxRounds: number;
}

/** The convention of a peer. */
export const peerConvention: ConventionTemplate<PeerParams> = {
  name: "mesh/peer",
  place: ({ size, maxRounds }) =>
    `This is a mesh: ${size} ${size === 1 ? "peer works" : "peers work"} toward one goal in rounds, at most ${maxRounds}. In each round all take a turn at once, and hear in the next what the others said.`,
  result: () => "what you contributed to the goal",
  rules: () => [
    "What you answer is posted to all. Agree on who does what, so that nothing is done twice.",
    "Name a peer as @id when you need it: a peer that is named takes another turn, even if it was done.",
    "While the goal is not met yet, just end your turn; you get another one with what the others said.",
  ],
  data: () => [],
};
