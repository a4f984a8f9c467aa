import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { AgentRole } from "../contracts/agent.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import type { ConsensusType } from "../programs/primitives/tally.ts";
import { beginRun } from "./begin-run.ts";
import {
  buildTalk,
  type MemberTask,
  namesOfMembers,
  type TalkMember,
  type TalkOptions,
} from "./talk-definition.ts";

export interface HubAndSpokeOptions extends TalkOptions {
  /** Who leads, and the task of the whole. */
  readonly hub: MemberTask;
  readonly workers: readonly MemberTask[];
  /** Whether the hub may have more workers. Defaults to true. */
  readonly hubCanSpawn?: boolean;
}

/**
 * A hub that leads workers: it gets what they report, writes to them, and ends the run with its DONE.
 *
 * @example
 * ```ts
 * const run = hubAndSpoke({
 *   hub: { name: "Lead", task: "Build a REST API for a blog" },
 *   workers: [{ name: "Db", task: "Write the models" }, { name: "Api", task: "Write the routes" }],
 * });
 * console.log((await run.result).output);
 * ```
 */
export function hubAndSpoke(options: HubAndSpokeOptions): WorkflowRun {
  const { hub, workers, hubCanSpawn } = options;
  const [lead = "Hub"] = namesOfMembers([hub], "Hub");
  const members: readonly TalkMember[] = [
    { task: hub, name: lead, role: "hub" },
    ...named(workers, "Worker", "worker").map((worker) => ({ ...worker, reportsTo: lead })),
  ];
  return begin("hub-spoke", {
    members,
    block: present({ agent: lead, canSpawn: hubCanSpawn }),
    options,
  });
}

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
  const { proposal, voters, consensusType: type, threshold, quorum, weights, discussion } = options;
  const members = named(voters, "Voter", "voter");
  const block = present({ type, threshold, quorum, weights, discussion });
  return begin("consensus", { members, block, goal: proposal, options });
}

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
  const { goal, agents, maxRounds } = options;
  const members = named(agents, "Peer", "peer");
  return begin("mesh", { members, block: present({ maxRounds }), goal, options });
}

export interface HandoffRoute {
  readonly agent: MemberTask;
  /** When this agent is to get the task, in words. */
  readonly condition: string;
}

export interface HandoffOptions extends TalkOptions {
  /** Who holds the task first. */
  readonly entryPoint: MemberTask;
  readonly routes: readonly HandoffRoute[];
  /** Hand-overs at most; then the holder must finish. Defaults to 5. */
  readonly maxHandoffs?: number;
  /** Who gets the task when it is handed to nobody. Defaults to the entry point. */
  readonly fallback?: MemberTask;
}

/**
 * One agent at a time holds the task, and finishes it or hands it over with all that was said of it.
 *
 * @example
 * ```ts
 * const run = handoff({
 *   entryPoint: { name: "triage", task: "Answer the customer: my invoice is wrong" },
 *   routes: [{ agent: { name: "billing", task: "Correct invoices" }, condition: "payment, invoice" }],
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function handoff(options: HandoffOptions): WorkflowRun {
  const { entryPoint, routes, maxHandoffs, fallback } = options;
  const [entry = "Entry"] = namesOfMembers([entryPoint], "Entry");
  const others = named(
    routes.map(({ agent }) => agent),
    "Specialist",
  );
  const last = fallback === undefined ? [] : named([fallback], "Fallback");
  const block = {
    entryPoint: entry,
    routes: routes.map(({ condition }, index) => ({ agent: others[index]?.name ?? "", condition })),
    ...present({ maxHandoffs, fallback: last[0]?.name }),
  };
  const members = [{ task: entryPoint, name: entry }, ...others, ...last];
  return begin("handoff", { members, block, options });
}

export interface CascadeTier {
  readonly agent: MemberTask;
  /** Confidence from which its answer stands, 0 to 1. Defaults to 0.7. */
  readonly confidenceThreshold?: number;
  /** What it costs beside the others. Defaults to 1. */
  readonly costWeight?: number;
}

export interface CascadeOptions extends TalkOptions {
  /** From cheap to strong. */
  readonly tiers: readonly CascadeTier[];
  /** Tiers after the first at most. Defaults to all. */
  readonly maxEscalations?: number;
}

/**
 * Tiers from cheap to strong: the first answer that is sure enough stands.
 *
 * @example
 * ```ts
 * const run = cascade({
 *   tiers: [
 *     { agent: { name: "fast", task: "Classify the ticket", model: "haiku" }, confidenceThreshold: 0.8 },
 *     { agent: { name: "strong", task: "Classify the ticket", model: "opus" }, costWeight: 20 },
 *   ],
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function cascade(options: CascadeOptions): WorkflowRun {
  const { tiers, maxEscalations } = options;
  const members = named(
    tiers.map(({ agent }) => agent),
    "Tier",
  );
  const block = {
    tiers: tiers.map(({ confidenceThreshold, costWeight }, index) => ({
      agent: members[index]?.name ?? "",
      ...present({ confidenceThreshold, costWeight }),
    })),
    ...present({ maxEscalations }),
  };
  return begin("cascade", { members, block, options });
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
  const { topic, debaters, judge, maxRounds, earlyConvergence } = options;
  const sides = named(debaters, "Debater", "debater");
  const judges = judge === undefined ? [] : named([judge], "Judge", "judge");
  const positions = debaters.flatMap(({ position }, index) =>
    position === undefined ? [] : [[sides[index]?.name ?? "", position] as const],
  );
  const block = {
    ...(positions.length === 0 ? {} : { positions: Object.fromEntries(positions) }),
    ...present({ judge: judges[0]?.name, maxRounds, earlyConvergence }),
  };
  return begin("debate", { members: [...sides, ...judges], block, goal: topic, options });
}

export interface HierarchicalAgent extends MemberTask {
  /** Its id in the tree. */
  readonly id: string;
  readonly role: "lead" | "coordinator" | "worker";
  /** Id of the agent above. Absent for the lead. */
  readonly reportsTo?: string;
}

export interface HierarchicalOptions extends TalkOptions {
  /** A tree with one lead at its root. */
  readonly agents: readonly HierarchicalAgent[];
}

/**
 * A tree of lead, coordinators and workers: reports go up, and the lead's DONE ends the run.
 *
 * @example
 * ```ts
 * const run = hierarchical({
 *   agents: [
 *     { id: "lead", role: "lead", task: "Build the shop" },
 *     { id: "web", role: "coordinator", reportsTo: "lead", task: "The pages" },
 *     { id: "cart", role: "worker", reportsTo: "web", task: "The cart" },
 *   ],
 * });
 * await run.result;
 * ```
 */
export function hierarchical(options: HierarchicalOptions): WorkflowRun {
  const members = options.agents.map(
    ({ id, role, reportsTo, ...task }): TalkMember => ({
      task,
      name: id,
      role,
      ...present({ reportsTo }),
    }),
  );
  return begin("hierarchical", { members, block: {}, options });
}

interface Talking {
  readonly members: readonly TalkMember[];
  readonly block: { readonly [key: string]: Json };
  readonly goal?: string;
  readonly options: TalkOptions;
}

function begin(pattern: string, { members, block, goal, options }: Talking): WorkflowRun {
  const { definition, functions } = buildTalk({ pattern, members, block, goal }, options);
  return beginRun(definition, options, { functions });
}

function named(
  tasks: readonly MemberTask[],
  label: string,
  role?: AgentRole,
): readonly TalkMember[] {
  const names = namesOfMembers(tasks, label);
  return tasks.map((task, index) => ({
    task,
    name: names[index] ?? label,
    ...present({ role }),
  }));
}
