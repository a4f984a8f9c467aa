// From votes to a decision. Pure (PRM-consensus, PAT-tally).

/** How votes decide. */
export type ConsensusType = "majority" | "supermajority" | "unanimous" | "weighted" | "quorum";

/** What an electorate has decided. */
export type VoteResult = "approved" | "rejected" | "undecided";

/** A vote that counts. */
export interface Vote {
  readonly agent: string;
  readonly vote: "approve" | "reject";
  readonly reason?: string;
}

/** By which rules votes are counted. */
export interface TallyRules {
  readonly type: ConsensusType;
  /** Ids of all who may vote. */
  readonly electorate: readonly string[];
  /** How many must vote; for `quorum` how many must approve. */
  readonly quorum: number;
  /** Share of the weight cast that must approve, for `supermajority`. */
  readonly threshold: number;
  /** By agent; 1 where there is none. */
  readonly weights: ReadonlyMap<string, number>;
}

/** What was counted. Weights, but `cast` and `quorum`, which are voters. */
export interface Tally {
  readonly decision: VoteResult;
  readonly approve: number;
  readonly reject: number;
  readonly cast: number;
  readonly quorum: number;
}

const TWO_THIRDS = 2 / 3;
// Sums of weights are no whole numbers.
const EPSILON = 1e-9;

/** The threshold of a supermajority: what people write for two thirds means two thirds. */
export function thresholdOf(written: number | undefined): number {
  return written === undefined || written === 0.66 || written === 0.67 ? TWO_THIRDS : written;
}

/** Counts the last vote of each voter; votes of others count nothing. */
export function tally(votes: readonly Vote[], rules: TallyRules): Tally {
  const { electorate, weights, quorum } = rules;
  const last = new Map(votes.map((vote) => [vote.agent, vote.vote]));
  const weightOf = (wanted: Vote["vote"]) =>
    electorate.reduce(
      (sum, agent) => sum + (last.get(agent) === wanted ? (weights.get(agent) ?? 1) : 0),
      0,
    );
  const cast = electorate.filter((agent) => last.has(agent)).length;
  const counted = { approve: weightOf("approve"), reject: weightOf("reject"), cast, quorum };
  const voters = { approve: 0, reject: 0 };
  for (const agent of electorate) {
    const vote = last.get(agent);
    if (vote !== undefined) voters[vote] += 1;
  }
  return { ...counted, decision: decide(counted, voters, rules) };
}

interface Sums {
  readonly approve: number;
  readonly reject: number;
}

function decide(weight: Sums & { cast: number }, voters: Sums, rules: TallyRules): VoteResult {
  const { type, quorum } = rules;
  if (weight.cast < quorum) return "undecided";
  if (approves(weight, voters, rules)) return "approved";
  if (type === "unanimous") return voters.reject > 0 ? "rejected" : "undecided";
  return Math.abs(weight.approve - weight.reject) < EPSILON ? "undecided" : "rejected";
}

function approves(
  weight: Sums,
  voters: Sums,
  { type, electorate, quorum, threshold }: TallyRules,
): boolean {
  const { approve, reject } = weight;
  const cast = approve + reject;
  switch (type) {
    case "majority":
    case "weighted":
      return approve > cast / 2 + EPSILON;
    case "supermajority":
      return cast > 0 && approve / cast >= threshold - EPSILON;
    case "unanimous":
      return electorate.length > 0 && voters.approve === electorate.length;
    case "quorum":
      return voters.approve >= quorum && approve > reject + EPSILON;
  }
}

/** How votes decide, in words. */
export function describeRules({ type, threshold, quorum }: TallyRules): string {
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

/** Whether no votes that are missing could change the decision, whichever of them are given. */
export function isDecided(votes: readonly Vote[], rules: TallyRules): boolean {
  const voted = new Set(votes.map(({ agent }) => agent));
  const missing = rules.electorate.filter((agent) => !voted.has(agent));
  const counted = tally(votes, rules);
  const isSame = (["approve", "reject"] as const).every((vote) => {
    const all = [...votes, ...missing.map((agent) => ({ agent, vote }))];
    return tally(all, rules).decision === counted.decision;
  });
  // Between all for it and all against it lies nothing else but a tie.
  return isSame && !(counted.decision === "rejected" && mayTie(counted, missing, rules));
}

/** So many different sums are looked at; of more it is said that they may tie. */
const MOST_SUMS = 10_000;

function mayTie(
  { approve, reject }: Tally,
  missing: readonly string[],
  { type, weights }: TallyRules,
): boolean {
  if (type === "unanimous") return false;
  let differences = new Set([approve - reject]);
  for (const agent of missing) {
    const weight = weights.get(agent) ?? 1;
    differences = new Set([...differences].flatMap((sum) => [sum, sum + weight, sum - weight]));
    if (differences.size > MOST_SUMS) return true;
  }
  return [...differences].some((sum) => Math.abs(sum) < EPSILON);
}
