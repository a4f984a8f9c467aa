import { z } from "zod";
import type { PlayedRun } from "../../../src/app/trial/play-trial.ts";
import { awardOf, rankBids } from "../../../src/programs/primitives/auction-rules.ts";

/** What a pattern says of a run that has ended, and whether that is consistent; in words what is not. */
type Truth = (run: PlayedRun) => readonly string[];

function truthOf<Metadata extends z.ZodType>(
  schema: Metadata,
  judge: (metadata: z.infer<Metadata>, isCompleted: boolean) => readonly (string | false)[],
): Truth {
  return ({ result, outcome }) => {
    if (result === undefined) return [];
    const read = schema.safeParse(result.metadata);
    if (!read.success) return [`its metadata are others: ${read.error.message}`];
    return judge(read.data, outcome === "completed").filter((each) => each !== false);
  };
}

const names = z.array(z.string());
const vote = z.enum(["approve", "reject"]);

const review = truthOf(
  z.looseObject({
    rounds: z.number(),
    approved: z.boolean(),
    reviews: z.array(z.looseObject({ round: z.number(), agent: z.string(), vote })),
  }),
  ({ rounds, approved, reviews }, isCompleted) => {
    const last = reviews.filter(({ round }) => round === rounds);
    const isApproved = last.length > 0 && last.every((one) => one.vote === "approve");
    return [
      isCompleted !== approved && `completed: ${isCompleted}, approved: ${approved}`,
      approved && !isApproved && "it is approved, and not by all who reviewed the last version",
      new Set(last.map(({ agent }) => agent)).size < last.length && "somebody reviewed twice",
    ];
  },
);

const unfinished = truthOf(z.looseObject({ unfinished: names }), (metadata) => [
  new Set(metadata.unfinished).size < metadata.unfinished.length && "somebody is unfinished twice",
]);

const peers = truthOf(
  z.looseObject({ settled: names, ended: z.string().nullish(), rounds: z.number() }),
  ({ settled, ended }, isCompleted) => [
    isCompleted && ended === "done" && settled.length === 0 && "all are done, and none is",
    new Set(settled).size < settled.length && "somebody is settled twice",
  ],
);

const layers = truthOf(
  z.looseObject({ layers: z.array(z.looseObject({ layer: z.number(), answered: names })) }),
  (metadata, isCompleted) => [
    isCompleted &&
      metadata.layers.some(({ answered }) => answered.length === 0) &&
      "it is completed of a layer in which nobody answered",
  ],
);

/** By pattern. */
export const PATTERN_TRUTHS: Readonly<Record<string, Truth>> = {
  consensus: truthOf(
    z.looseObject({
      decision: z.enum(["approved", "rejected", "undecided"]),
      votes: z.array(z.looseObject({ agent: z.string(), vote })),
      tally: z.looseObject({ approve: z.number(), reject: z.number(), quorum: z.number() }),
      electorate: names,
    }),
    ({ decision, votes, tally, electorate }, isCompleted) => {
      // Until the vote is closed nothing is counted.
      if (!isCompleted) return [decision !== "undecided" && "it is decided, and was never closed"];
      const count = (wanted: string) => votes.filter((one) => one.vote === wanted).length;
      const [approve, reject] = [count("approve"), count("reject")];
      return [
        new Set(votes.map(({ agent }) => agent)).size < votes.length && "somebody has two votes",
        votes.some(({ agent }) => !electorate.includes(agent)) && "a stranger has voted",
        (approve !== tally.approve || reject !== tally.reject) &&
          "its tally is not that of its votes",
        decision !== "undecided" && votes.length < tally.quorum && "it is decided without a quorum",
        // Two thirds of the votes, as the example has it.
        (decision === "approved") !==
          (votes.length >= tally.quorum && approve >= 2 * reject && approve > 0) &&
          `it is ${decision} by ${approve} to ${reject}`,
      ];
    },
  ),
  debate: truthOf(
    z.looseObject({ verdict: z.string().nullable(), winner: z.string().nullable() }),
    ({ verdict, winner }, isCompleted) => [
      isCompleted && verdict === null && "it is completed without a verdict",
      winner !== null && verdict === null && "it has a winner without a verdict",
    ],
  ),
  cascade: truthOf(
    z.looseObject({
      tiers: z.array(z.looseObject({ accepted: z.boolean(), costWeight: z.number() })),
      tiersUsed: z.number(),
      totalCostWeight: z.number(),
      accepted: z.boolean(),
    }),
    ({ tiers, tiersUsed, totalCostWeight, accepted }) => [
      tiers.slice(0, -1).some((tier) => tier.accepted) &&
        "it went on from an answer that it accepted",
      accepted !== (tiers.at(-1)?.accepted ?? false) && "it says something else than its last tier",
      // The one that is asked counts, whatever it has answered.
      tiersUsed > tiers.length + 1 && "it used more tiers than it has",
      tiersUsed === tiers.length &&
        totalCostWeight !== tiers.reduce((sum, { costWeight }) => sum + costWeight, 0) &&
        "its weight is not that of its tiers",
    ],
  ),
  auction: truthOf(
    z.looseObject({
      type: z.enum(["sealed", "open", "dutch", "vickrey"]),
      bidBy: z.enum(["confidence", "cost"]),
      winner: z.string().nullable(),
      price: z.number().nullable(),
      bids: z.array(
        z.looseObject({
          agent: z.string(),
          confidence: z.number().nullable(),
          cost: z.number().nullable(),
          approach: z.string(),
        }),
      ),
    }),
    ({ type, bidBy, winner, price, bids }) => {
      const given = bids.map(({ agent, approach, confidence, cost }) => {
        return {
          agent,
          approach,
          confidence: confidence ?? undefined,
          cost: cost ?? undefined,
          time: undefined,
        };
      });
      // What the example says.
      const award = awardOf(rankBids(given, { type, bidBy, reservePrice: 8 }), {
        type,
        bidBy,
        reservePrice: 8,
      });
      return [
        winner !== (award?.winner.agent ?? null) &&
          `${winner} won, and ${award?.winner.agent} was best`,
        price !== (award?.price ?? null) && `the price is ${price}, and should be ${award?.price}`,
      ];
    },
  ),
  gossip: truthOf(z.looseObject({ agreed: z.boolean() }), ({ agreed }, isCompleted) => [
    agreed !== isCompleted && `completed: ${isCompleted}, agreed: ${agreed}`,
  ]),
  pool: truthOf(
    z.looseObject({
      bestFitness: z.number().nullable(),
      population: z.array(z.looseObject({ name: z.string(), fitness: z.number() })),
    }),
    ({ bestFitness, population }) => [
      population.some(({ fitness }) => bestFitness === null || fitness > bestFitness) &&
        "somebody of its population is better than its best",
      new Set(population.map(({ name }) => name)).size < population.length &&
        "somebody is there twice",
    ],
  ),
  escalation: truthOf(
    z.looseObject({ tried: names, doneBy: z.string().nullable() }),
    ({ tried, doneBy }, isCompleted) => [
      isCompleted !== (doneBy !== null) && `completed: ${isCompleted}, done by ${doneBy}`,
      doneBy !== null && tried.at(-1) !== doneBy && "who did it was not the last that was tried",
      new Set(tried).size < tried.length && "somebody was tried twice",
    ],
  ),
  competitive: truthOf(
    z.looseObject({
      winner: z.string().nullable(),
      candidates: z.array(
        z.looseObject({ agent: z.string(), done: z.boolean(), passed: z.boolean() }),
      ),
    }),
    ({ winner, candidates }, isCompleted) => [
      isCompleted && winner === null && "it is completed without a winner",
      winner !== null &&
        !candidates.some((one) => one.agent === winner && one.done && one.passed) &&
        "who won is not done, or has not passed",
    ],
  ),
  handoff: truthOf(
    z.looseObject({
      path: names,
      handoffs: z.array(z.looseObject({ from: z.string(), to: z.string() })),
    }),
    ({ path, handoffs }) => [
      path.length !== handoffs.length + 1 && "its path is not that of its hand-overs",
      handoffs.some(({ from, to }, index) => path[index] !== from || path[index + 1] !== to) &&
        "a hand-over is not on its path",
    ],
  ),
  iterate: truthOf(
    z.looseObject({
      iterationsAttempted: z.number(),
      iterationsSucceeded: z.number(),
      iterationsFailed: z.number(),
      records: z.array(z.looseObject({ success: z.boolean() })),
    }),
    ({ iterationsAttempted, iterationsSucceeded, iterationsFailed, records }) => [
      iterationsSucceeded + iterationsFailed > iterationsAttempted && "more ended than were begun",
      records.filter(({ success }) => success).length !== iterationsSucceeded &&
        "its count is not that of its records",
    ],
  ),
  team: truthOf(
    z.looseObject({
      total: z.number(),
      completed: z.number(),
      failed: z.number(),
      cancelled: z.number(),
    }),
    ({ total, completed, failed, cancelled }, isCompleted) => [
      completed + failed + cancelled > total && "more tasks ended than there are",
      isCompleted && completed + failed + cancelled < total && "it is completed with open tasks",
    ],
  ),
  "map-reduce": truthOf(
    z.looseObject({ items: z.number(), missing: z.array(z.unknown()) }),
    ({ items, missing }, isCompleted) => [
      isCompleted && missing.length >= items && "it is completed of nothing",
    ],
  ),
  "circuit-breaker": truthOf(
    z.looseObject({ breaker: z.enum(["closed", "open", "half-open"]), opened: z.number() }),
    ({ breaker, opened }) => [
      breaker === "open" && opened === 0 && "it is open and was never opened",
    ],
  ),
  verifier: review,
  reflection: review,
  "review-loop": review,
  "red-team": review,
  "scatter-gather": layers,
  "mixture-of-agents": layers,
  mesh: peers,
  blackboard: peers,
  "hub-spoke": unfinished,
  hierarchical: unfinished,
  supervisor: unfinished,
  collab: unfinished,
};
