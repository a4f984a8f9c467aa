import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import { present } from "../foundation/present.ts";
import type { ConsensusType } from "../programs/primitives/tally.ts";
import { type AgentPool, toAgentPool } from "./agent-pool.ts";
import { beginTalk, namedMembers } from "./begin-talk.ts";
import {
  AMOUNT,
  FLAG,
  FUNCTION,
  listOf,
  mapOf,
  NUMBER,
  type OptionTable,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import {
  assertPrograms,
  checkOptions,
  MEMBER,
  MEMBERS,
  ONE_MEMBER,
  TALK_OPTIONS,
} from "./option-tables.ts";
import type { MemberTask, TalkOptions } from "./talk-definition.ts";

// All take part at once, in rounds.

export interface ConsensusOptions extends TalkOptions {
  /** What is decided on. Plain text: nothing in it is expanded. */
  readonly proposal: string;
  readonly voters: readonly MemberTask[];
  /** How votes decide. Defaults to `majority`. */
  readonly consensusType?: ConsensusType;
  /** Share that a supermajority needs. Defaults to two thirds. */
  readonly threshold?: number;
  /** Voters that must vote. Defaults to half of them, rounded up. */
  readonly quorum?: number;
  /** Weight of a voter, by name. Defaults to 1. */
  readonly weights?: { readonly [voter: string]: number };
  /** Rounds of talk before the vote. Defaults to 0. */
  readonly discussion?: number;
}

/**
 * Voters decide on a proposal. `metadata.decision` of the result is `approved`, `rejected` or `undecided`.
 *
 * @example
 * ```ts
 * const run = consensus({
 *   proposal: "Move to tabs",
 *   voters: [{ name: "perf", task: "Judge the speed" }, { name: "dx", task: "Judge how it reads" }],
 *   consensusType: "unanimous",
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function consensus(options: ConsensusOptions): WorkflowRun {
  checkOptions("consensus", CONSENSUS, options);
  assertPrograms("consensus", options.voters);
  const { proposal, voters, consensusType: type, threshold, quorum, weights, discussion } = options;
  const members = namedMembers(voters, "Voter", "voter");
  const block = present({ type, threshold, quorum, weights, discussion });
  return beginTalk("consensus", { members, block, goal: proposal, options });
}

const CONSENSUS: OptionTable<ConsensusOptions> = {
  ...TALK_OPTIONS,
  ...{ proposal: required(TEXT), voters: MEMBERS, consensusType: TEXT, threshold: NUMBER },
  ...{ quorum: NUMBER, weights: mapOf(NUMBER), discussion: NUMBER },
};

export interface GossipOptions
  extends TalkOptions,
    Pick<PatternFunctions, "stateExtractor" | "stateMerger" | "convergenceTest"> {
  /** What all gossip about. Plain text: nothing in it is expanded. */
  readonly goal: string;
  readonly peers: readonly MemberTask[];
  /** How many others each hears in a round. Defaults to 2. */
  readonly fanout?: number;
  /** Wait between two rounds, in ms. Defaults to none. */
  readonly roundIntervalMs?: number;
  /** Defaults to 10. */
  readonly maxRounds?: number;
}

/**
 * Peers merge what they know by lot, in rounds, until all know the same: `metadata.agreed` of the result. A run with
 * functions is resumed with them: `resumeRun(id, { patternFunctions: { stateMerger } })`.
 *
 * @example
 * ```ts
 * const run = gossip({
 *   goal: "Find out why the login fails",
 *   peers: [{ name: "logs", task: "Read the logs" }, { name: "code", task: "Read the code" }],
 * });
 * console.log((await run.result).output);
 * ```
 */
export function gossip(options: GossipOptions): WorkflowRun {
  checkOptions("gossip", GOSSIP, options);
  assertPrograms("gossip", options.peers);
  const { goal, peers, fanout, roundIntervalMs, maxRounds } = options;
  const members = namedMembers(peers, "Peer");
  const roundInterval = roundIntervalMs === undefined ? undefined : `${roundIntervalMs}ms`;
  const block = present({ fanout, roundInterval, maxRounds });
  const { stateExtractor, stateMerger, convergenceTest } = options;
  const patternFunctions = present({ stateExtractor, stateMerger, convergenceTest });
  return beginTalk("gossip", { members, block, goal, options, patternFunctions });
}

const GOSSIP: OptionTable<GossipOptions> = {
  ...TALK_OPTIONS,
  ...{ goal: required(TEXT), peers: MEMBERS, fanout: NUMBER, roundIntervalMs: AMOUNT },
  ...{ maxRounds: NUMBER, stateExtractor: FUNCTION, stateMerger: FUNCTION },
  convergenceTest: FUNCTION,
};

export interface PoolOptions
  extends TalkOptions,
    Pick<PatternFunctions, "fitnessExtractor" | "mutateTask"> {
  /** What each member does. Plain text: nothing in it is expanded. */
  readonly goal: string;
  /** Whose copies the members are. */
  readonly agent: MemberTask;
  /** Members at the same time. Defaults to 8. */
  readonly populationSize?: number;
  /** Share of them that goes in each generation. Defaults to 0.5. */
  readonly cullRate?: number;
  /** Defaults to 5. */
  readonly maxGenerations?: number;
  /** Fitness that is good enough. Defaults to none. */
  readonly targetFitness?: number;
  /** The task of a child, with `{{parent}}` and `{{generation}}`. Defaults to the task of its parent. */
  readonly mutate?: string;
  /** Whether a child is told the answers of two parents. Defaults to false. */
  readonly crossover?: boolean;
  /** Who says how good an answer is, by `FITNESS`. Defaults to whoever gave it. */
  readonly judge?: MemberTask;
}

/**
 * Copies of an agent answer, the best answers live on, and others are made of them: `metadata.bestFitness` of the result. A
 * run with functions is resumed with them: `resumeRun(id, { patternFunctions: { fitnessExtractor } })`.
 *
 * @example
 * ```ts
 * const run = pool({
 *   goal: "Find a shorter route through the towns of towns.csv",
 *   agent: { name: "router", task: "FITNESS is minus the length of your route" },
 *   ...{ populationSize: 4, maxGenerations: 3, targetFitness: -7600 },
 * });
 * console.log((await run.result).output);
 * ```
 */
export function pool(options: PoolOptions): AgentPool {
  checkOptions("pool", POOL, options);
  assertPrograms("pool", [options.agent, options.judge ?? {}]);
  const { goal, agent, judge, populationSize, cullRate, maxGenerations } = options;
  const { targetFitness, mutate, crossover } = options;
  const judges = judge === undefined ? [] : namedMembers([judge], "Judge", "judge");
  const members = [...namedMembers([agent], "Member"), ...judges];
  const seats = { agent: members[0]?.name, judge: judges[0]?.name };
  const sizes = { populationSize, cullRate, maxGenerations, targetFitness };
  const block = present({ ...seats, ...sizes, mutate, crossover });
  const { fitnessExtractor, mutateTask } = options;
  const patternFunctions = present({ fitnessExtractor, mutateTask });
  return toAgentPool(beginTalk("pool", { members, block, goal, options, patternFunctions }));
}

const POOL: OptionTable<PoolOptions> = {
  ...TALK_OPTIONS,
  ...{ goal: required(TEXT), agent: required(ONE_MEMBER), judge: ONE_MEMBER },
  ...{ populationSize: NUMBER, cullRate: NUMBER, maxGenerations: NUMBER },
  ...{ targetFitness: NUMBER, mutate: TEXT, crossover: FLAG },
  ...{ fitnessExtractor: FUNCTION, mutateTask: FUNCTION },
};

export interface MeshOptions extends TalkOptions {
  /** What all work toward. Plain text: nothing in it is expanded. */
  readonly goal: string;
  readonly agents: readonly MemberTask[];
  /** Defaults to 10. */
  readonly maxRounds?: number;
}

/**
 * Peers that all talk to all, in rounds, until each of them is done.
 *
 * @example
 * ```ts
 * const run = mesh({
 *   goal: "Find out why the login fails",
 *   agents: [{ name: "logs", task: "Read the logs" }, { name: "code", task: "Read the code" }],
 *   maxRounds: 4,
 * });
 * await run.result;
 * ```
 */
export function mesh(options: MeshOptions): WorkflowRun {
  checkOptions<MeshOptions>(
    "mesh",
    { ...TALK_OPTIONS, goal: required(TEXT), agents: MEMBERS, maxRounds: NUMBER },
    options,
  );
  assertPrograms("mesh", options.agents);
  const { goal, agents, maxRounds } = options;
  const members = namedMembers(agents, "Peer", "peer");
  return beginTalk("mesh", { members, block: present({ maxRounds }), goal, options });
}

export interface Debater extends MemberTask {
  /** What it argues for. Defaults to what it finds right. */
  readonly position?: string;
}

export interface DebateOptions extends TalkOptions {
  /** Plain text: nothing in it is expanded. */
  readonly topic: string;
  readonly debaters: readonly Debater[];
  /** Who decides at the end. Defaults to nobody: the debaters converge, or stay split. */
  readonly judge?: MemberTask;
  /** Defaults to 3. */
  readonly maxRounds?: number;
  /** Whether it is over once all that still stand share a position. Defaults to true. */
  readonly earlyConvergence?: boolean;
}

/**
 * Debaters argue in rounds, each hearing the others' last arguments; a judge decides, if there is one.
 *
 * @example
 * ```ts
 * const run = debate({
 *   topic: "One repository or many?",
 *   debaters: [
 *     { name: "mono", task: "Argue", position: "one" },
 *     { name: "poly", task: "Argue", position: "many" },
 *   ],
 *   judge: { name: "judge", task: "Decide" },
 * });
 * console.log((await run.result).output);
 * ```
 */
export function debate(options: DebateOptions): WorkflowRun {
  checkOptions("debate", DEBATE, options);
  assertPrograms("debate", [...options.debaters, options.judge ?? {}]);
  const { topic, debaters, judge, maxRounds, earlyConvergence } = options;
  const sides = namedMembers(debaters, "Debater", "debater");
  const judges = judge === undefined ? [] : namedMembers([judge], "Judge", "judge");
  const positions = debaters.flatMap(({ position }, index) =>
    position === undefined ? [] : [[sides[index]?.name ?? "", position] as const],
  );
  const block = {
    ...(positions.length === 0 ? {} : { positions: Object.fromEntries(positions) }),
    ...present({ judge: judges[0]?.name, maxRounds, earlyConvergence }),
  };
  return beginTalk("debate", { members: [...sides, ...judges], block, goal: topic, options });
}

const DEBATER: OptionTable<Debater> = { ...MEMBER, position: TEXT };

const DEBATE: OptionTable<DebateOptions> = {
  ...TALK_OPTIONS,
  ...{ topic: required(TEXT), debaters: required(listOf(optionsOf(DEBATER))), judge: ONE_MEMBER },
  ...{ maxRounds: NUMBER, earlyConvergence: FLAG },
};
