import type { Random } from "../../../src/foundation/random.ts";
import { tally, type Vote } from "../../../src/programs/primitives/tally.ts";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, type Interval, shareOf } from "../interval.ts";
import { play } from "../play.ts";

const RIGHT = 0.6;
const SIZES = [1, 3, 5, 9, 15, 25, 41, 61, 101];
/** How often two voters are right or wrong together because they share a source. */
const CORRELATIONS = [0, 0.02, 0.25];
const TRIES = 4000;
const PLAYED_VOTERS = 5;
const PLAYED_TRIES = 300;

/** Condorcet's jury, with and without shared errors. */
export const voting: Experiment = {
  name: "voting",
  title: "A majority of voters, and what they get wrong together",
  law: "A majority of n voters who are right independently with p > 1/2 is right more often the more vote; with correlated votes it stays at what the shared source is worth.",
  source: "Condorcet 1785; for correlated votes Ladha 1992",
  played:
    "Voters are right with p = 0.6. With a correlation r each copies one shared opinion with probability √r, else it draws its own. Votes are counted by Troupe's tally; five independent voters play the real pattern `consensus` as well.",
  run: async (lab) => {
    const lines = CORRELATIONS.flatMap((correlation) => {
      const found = new Map(SIZES.map((size) => [size, majority(lab, size, correlation)]));
      const law = lawLine(`law, r = ${correlation}`, SIZES, (size) => byLaw(size, correlation));
      return [foundLine(`r = ${correlation}`, found), law];
    });
    const most = SIZES.at(-1) ?? 1;
    const ofLaw = CORRELATIONS.map((correlation) => ({
      what: `${most} voters, correlation ${correlation}: right`,
      law: byLaw(most, correlation),
      found: majority(lab, most, correlation),
    }));
    const pattern = {
      what: `the pattern \`consensus\` with ${PLAYED_VOTERS} independent voters: right`,
      law: byLaw(PLAYED_VOTERS, 0),
      found: await played(lab),
    };
    const claims = [...ofLaw, pattern].map(({ what, law, found }) => {
      return { what, published: law.toFixed(3), found, digits: 3, holds: agrees(found, law) };
    });
    return {
      plot: { x: { label: "voters" }, y: { label: "share of right decisions" }, lines },
      claims,
    };
  },
};

function majority(lab: Lab, size: number, correlation: number): Interval {
  const draw = lab.draw(`voting ${size} ${correlation}`);
  const tries = lab.tries(TRIES);
  const electorate = Array.from({ length: size }, (_, index) => `v${index}`);
  const rules = {
    type: "majority",
    electorate,
    quorum: 1,
    threshold: 0.5,
    weights: new Map(),
  } as const;
  let right = 0;
  for (let count = 0; count < tries; count += 1) {
    const { decision } = tally(opinions(electorate, correlation, draw), rules);
    if (decision === "approved") right += 1;
  }
  return shareOf(right, tries);
}

/** To approve is right. */
function opinions(voters: readonly string[], correlation: number, draw: Random): readonly Vote[] {
  const copies = Math.sqrt(correlation);
  const shared = draw() < RIGHT;
  return voters.map((agent) => {
    const isRight = draw() < copies ? shared : draw() < RIGHT;
    return { agent, vote: isRight ? "approve" : "reject", reason: "" };
  });
}

async function played(lab: Lab): Promise<Interval> {
  const tries = lab.tries(PLAYED_TRIES);
  const voters = Array.from({ length: PLAYED_VOTERS }, (_, index) => `v${index}`);
  let right = 0;
  for (let count = 0; count < tries; count += 1) {
    const vote = (voter: string) => {
      const draw = lab.draw(`voting ${count} ${voter}`);
      return () => (draw() < RIGHT ? "VOTE: approve" : "VOTE: reject");
    };
    const cast = Object.fromEntries(voters.map((voter) => [voter, vote(voter)]));
    const { metadata } = await play({ pattern: "consensus", cast });
    if (metadata["decision"] === "approved") right += 1;
  }
  return shareOf(right, tries);
}

/** Exact: the shared opinion is right or wrong, and given it the voters are independent. */
function byLaw(size: number, correlation: number): number {
  const copies = Math.sqrt(correlation);
  const whenRight = majorityOf(size, copies + (1 - copies) * RIGHT);
  const whenWrong = majorityOf(size, (1 - copies) * RIGHT);
  return RIGHT * whenRight + (1 - RIGHT) * whenWrong;
}

/** That more than half of so many independent voters are right. */
function majorityOf(size: number, right: number): number {
  let sum = 0;
  let logChoices = 0;
  for (let count = 0; count <= size; count += 1) {
    if (count > 0) logChoices += Math.log((size - count + 1) / count);
    const logShare = logChoices + count * Math.log(right) + (size - count) * Math.log(1 - right);
    if (count > size / 2) sum += Math.exp(logShare);
  }
  return sum;
}
