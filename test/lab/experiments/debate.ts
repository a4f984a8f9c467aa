import { z } from "zod";
import type { Random } from "../../../src/foundation/random.ts";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, meanOf } from "../interval.ts";
import { type Participant, play } from "../play.ts";

const ANSWERS = ["right", "wrong", "other"] as const;
type Answer = (typeof ANSWERS)[number];
const DEBATERS = ["ann", "bo", "cy", "di", "ed"];
const ROUNDS = 5;
const TRIES = 400;
const roundsSchema = z.array(z.object({ arguments: z.array(z.object({ text: z.string() })) }));
/** What a debater believes at first, in the number of arguments that it would take to outweigh it. */
const BELIEF: Readonly<Record<Answer, number>> = { right: 2.5, wrong: 1.5, other: 1 };
const FIRST = BELIEF.right / (BELIEF.right + BELIEF.wrong + BELIEF.other);

/** Whether talking makes anybody more right. */
export const debate: Experiment = {
  name: "debate",
  title: "Debate is a martingale",
  law: "Debaters who believe what they hear in proportion are in the mean as right after any number of rounds as before; only a bias towards the truth makes them more right. Most of what debate gains is gained by the vote.",
  source: "arXiv 2508.17536 (NeurIPS 2025)",
  played:
    "Five debaters begin to believe in the right one of three answers with one half. In each round each argues for an answer drawn from what it believes, and adds what it hears from the others. They play the pattern `debate` for five rounds, without a judge; their answers stand in its result.",
  run: async (lab) => {
    const plain = await debates(lab, 1);
    const biased = await debates(lab, 3);
    const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
    const inRound = (runs: readonly Debate[]) =>
      new Map(
        rounds.map((round) => [round, meanOf(runs.map(({ right }) => right[round - 1] ?? 0))]),
      );
    const change = (runs: readonly Debate[]) =>
      meanOf(runs.map(({ right }) => (right.at(-1) ?? 0) - (right[0] ?? 0)));
    const votes = (which: "firstVote" | "lastVote") =>
      meanOf(plain.map((one) => (one[which] ? 1 : 0) - (one.right[0] ?? 0)));
    const [drift, pull] = [change(plain), change(biased)];
    const [first, last] = [votes("firstVote"), votes("lastVote")];
    return {
      plot: {
        x: { label: "round" },
        y: { label: "share of right answers" },
        lines: [
          foundLine("believing what is heard", inRound(plain)),
          foundLine("the truth counts three times", inRound(biased)),
          lawLine("law: as before", rounds, () => FIRST),
        ],
      },
      claims: [
        {
          what: "change from the first round to the last",
          published: "0",
          ...{ found: drift, digits: 3, holds: agrees(drift, 0) },
        },
        {
          what: "the same where the truth counts three times",
          published: "above 0",
          ...{ found: pull, digits: 3, holds: pull.low > 0 },
        },
        {
          what: "a vote on the answers of the first round, over one debater",
          published: "above 0: most of the gain",
          ...{ found: first, digits: 3, holds: first.low > 0 },
        },
        {
          what: "a vote on the answers of the last round, over the same debater",
          published: "no more than after the first round",
          ...{ found: last, digits: 3, holds: last.low <= first.high },
        },
      ],
    };
  },
};

interface Debate {
  /** Share of right answers by round. */
  readonly right: readonly number[];
  readonly firstVote: boolean;
  readonly lastVote: boolean;
}

async function debates(lab: Lab, truthCounts: number): Promise<readonly Debate[]> {
  const all: Debate[] = [];
  for (let count = 0; count < lab.tries(TRIES); count += 1) {
    // Each has a lot of its own: they speak in any order.
    const draws = (name: string) => lab.draw(`debate ${truthCounts} ${count} ${name}`);
    all.push(await one(draws, truthCounts));
  }
  return all;
}

async function one(draws: (name: string) => Random, truthCounts: number): Promise<Debate> {
  const cast = Object.fromEntries(
    DEBATERS.map((name) => [name, debater(draws(name), truthCounts)]),
  );
  const block = { debate: { maxRounds: ROUNDS, earlyConvergence: false } };
  const { metadata } = await play({ pattern: "debate", block, cast });
  const rounds = answersOf(metadata["rounds"]);
  return {
    right: rounds.map(
      (answers) => answers.filter((each) => each === "right").length / answers.length,
    ),
    firstVote: winner(rounds[0] ?? []) === "right",
    lastVote: winner(rounds.at(-1) ?? []) === "right",
  };
}

function debater(draw: Random, truthCounts: number): Participant {
  const belief = { ...BELIEF };
  return (prompt) => {
    for (const [, heard] of prompt.matchAll(/argument of \w+\n(\w+)/g)) {
      const answer = ANSWERS.find((each) => each === heard);
      if (answer !== undefined) belief[answer] += answer === "right" ? truthCounts : 1;
    }
    return drawn(belief, draw);
  };
}

function drawn(belief: Readonly<Record<Answer, number>>, draw: Random): Answer {
  let left = draw() * ANSWERS.reduce((sum, answer) => sum + belief[answer], 0);
  for (const answer of ANSWERS) {
    left -= belief[answer];
    if (left < 0) return answer;
  }
  return "other";
}

/** The answers of each round, as the result of the run has them. */
function answersOf(rounds: unknown): readonly (readonly string[])[] {
  const parsed = roundsSchema.parse(rounds);
  return parsed.map(({ arguments: given }) => given.map(({ text }) => text));
}

/** What most say; of equals what was said first, as a person would read them. */
function winner(answers: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
}
