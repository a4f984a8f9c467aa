import type { ConventionTemplate } from "./convention.ts";

/** Where a peer of a gossip stands. */
export interface GossiperParams {
  readonly size: number;
  /** How many others it hears in a round. */
  readonly fanout: number;
  readonly maxRounds: number;
  /** Whether a function merges states, so that a peer says its own once. */
  readonly isMerged: boolean;
}

/** The convention of a peer. */
export const gossiperConvention: ConventionTemplate<GossiperParams> = {
  name: "gossip/peer",
  place: ({ size, fanout, maxRounds, isMerged }) =>
    `This is a gossip: ${size} peers each have a state, which is a text. ${isMerged ? "You say yours once; Troupe makes one of the states of all." : `In each of up to ${maxRounds} rounds you hear the states of ${fanout} others that are drawn by lot, and make one state of them and your own, until all have the same.`}`,
  result: () => "your whole state, as you would hand it on",
  rules: ({ isMerged }) => (isMerged ? [] : MERGING),
  data: () => [],
};

const MERGING = [
  "Keep what is true and new in the states of others, and leave out what is there twice: the state that all end with is what everybody found.",
  "Where two states say the same in other words, take over the words of the peer whose id comes first in the alphabet: only equal texts end the gossip.",
];
