import { expect, test } from "vitest";
import {
  type ConsensusType,
  isDecided,
  type TallyRules,
  tally,
  thresholdOf,
  type Vote,
} from "../../../src/programs/primitives/tally.ts";

const TYPES = ["majority", "supermajority", "unanimous", "weighted", "quorum"] as const;
const CHOICES = [undefined, "approve", "reject"] as const;
type Choice = (typeof CHOICES)[number];

/** All ways in which so many voters can vote, or not. */
function ballots(voters: number): readonly (readonly Choice[])[] {
  if (voters === 0) return [[]];
  return ballots(voters - 1).flatMap((rest) => CHOICES.map((choice) => [...rest, choice]));
}

function toVotes(choices: readonly Choice[]): readonly Vote[] {
  return choices.flatMap((vote, index) =>
    vote === undefined ? [] : [{ agent: `v${index}`, vote }],
  );
}

/** Rules for so many voters: of every type, with and without weights, with low and high bounds. */
function rulesFor(voters: number): readonly TallyRules[] {
  const electorate = Array.from({ length: voters }, (_, index) => `v${index}`);
  const equal = new Map<string, number>();
  const weighted = new Map(electorate.map((agent, index) => [agent, (index % 3) + 1]));
  const quorums = new Set([1, Math.ceil(voters / 2), voters]);
  return TYPES.flatMap((type) =>
    [...quorums].flatMap((quorum) =>
      [equal, weighted].flatMap((weights) =>
        [0.3, thresholdOf(undefined), 0.9].map((threshold) => ({
          type,
          electorate,
          quorum,
          weights,
          threshold,
        })),
      ),
    ),
  );
}

/** The decision in whole numbers and from the words of the description alone. */
function decisionOf(choices: readonly Choice[], rules: TallyRules): string {
  const { type, quorum, electorate, threshold, weights } = rules;
  const of = (wanted: Choice) =>
    choices.flatMap((choice, index) => (choice === wanted ? [index] : []));
  const weigh = (voters: readonly number[]) =>
    voters.reduce((sum, index) => sum + (weights.get(`v${index}`) ?? 1), 0);
  const [ayes, noes] = [of("approve"), of("reject")];
  const [approve, reject] = [weigh(ayes), weigh(noes)];
  if (ayes.length + noes.length < quorum) return "undecided";
  const isTwoThirds = threshold === thresholdOf(undefined);
  const approves: { readonly [key in ConsensusType]: boolean } = {
    majority: approve > reject,
    weighted: approve > reject,
    supermajority: isTwoThirds
      ? approve + reject > 0 && 3 * approve >= 2 * (approve + reject)
      : approve + reject > 0 && 10 * approve >= Math.round(threshold * 10) * (approve + reject),
    unanimous: ayes.length === electorate.length,
    quorum: ayes.length >= quorum && approve > reject,
  };
  if (approves[type]) return "approved";
  if (type === "unanimous") return noes.length > 0 ? "rejected" : "undecided";
  return approve === reject ? "undecided" : "rejected";
}

test("all votes of up to 7 voters are counted as the rules say, for every type [PRM-consensus, PAT-tally.undecided, PAT-tally.majority, PAT-tally.supermajority, PAT-tally.unanimous, PAT-tally.approvals]", () => {
  for (let voters = 1; voters <= 7; voters += 1)
    for (const rules of rulesFor(voters))
      for (const choices of ballots(voters)) {
        const { decision } = tally(toVotes(choices), rules);
        const wanted = decisionOf(choices, rules);
        if (decision !== wanted) expect({ choices, rules, decision }).toEqual(wanted);
      }
});

test("a vote is decided just when no completion of it comes to something else", () => {
  for (let voters = 1; voters <= 5; voters += 1)
    for (const rules of rulesFor(voters)) {
      const all = ballots(voters);
      for (const choices of all) {
        const completions = all.filter((other) =>
          choices.every((choice, index) => choice === undefined || choice === other[index]),
        );
        const decisions = new Set(completions.map((other) => decisionOf(other, rules)));
        const isFixed = decisions.size === 1;
        if (isDecided(toVotes(choices), rules) !== isFixed)
          expect({ choices, rules, isFixed }).toEqual([...decisions]);
      }
    }
});
