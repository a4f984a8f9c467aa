import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { present } from "../foundation/present.ts";
import { beginTalk, namedMembers } from "./begin-talk.ts";
import {
  FLAG,
  listOf,
  type OptionTable,
  oneOf,
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
import {
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
  checkOptions<HubAndSpokeOptions>(
    "hubAndSpoke",
    { ...TALK_OPTIONS, hub: required(ONE_MEMBER), workers: MEMBERS, hubCanSpawn: FLAG },
    options,
  );
  assertPrograms("hubAndSpoke", [options.hub, ...options.workers]);
  const { hub, workers, hubCanSpawn } = options;
  const [lead = "Hub"] = namesOfMembers([hub], "Hub");
  const members: readonly TalkMember[] = [
    { task: hub, name: lead, role: "hub" },
    ...namedMembers(workers, "Worker", "worker").map((worker) => ({ ...worker, reportsTo: lead })),
  ];
  return beginTalk("hub-spoke", {
    members,
    block: present({ agent: lead, canSpawn: hubCanSpawn }),
    options,
  });
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
  const agents = required(listOf(optionsOf(IN_TREE)));
  checkOptions<HierarchicalOptions>("hierarchical", { ...TALK_OPTIONS, agents }, options);
  assertPrograms("hierarchical", options.agents);
  const members = options.agents.map(
    ({ id, role, reportsTo, ...task }): TalkMember => ({
      task,
      name: id,
      role,
      ...present({ reportsTo }),
    }),
  );
  return beginTalk("hierarchical", { members, block: {}, options });
}

const IN_TREE: OptionTable<HierarchicalAgent> = {
  ...MEMBER,
  id: required(TEXT),
  role: required(oneOf("lead", "coordinator", "worker")),
  reportsTo: TEXT,
};

export interface CollaborationOptions extends TalkOptions {
  /** Who leads, and what is to be done. */
  readonly agent: MemberTask;
  /** Roles of the configuration that it is told of. Defaults to what its tools say. */
  readonly roles?: readonly string[];
}

/**
 * One agent that spawns others as it needs them: what they come to wakes it, and its DONE ends the run.
 *
 * @example
 * ```ts
 * const run = collab({
 *   agent: { name: "lead", task: "Why is the nightly build slow?", cli: "claude" },
 * });
 * console.log((await run.result).output);
 * ```
 */
export function collab(options: CollaborationOptions): WorkflowRun {
  checkOptions<CollaborationOptions>(
    "collab",
    { ...TALK_OPTIONS, agent: required(ONE_MEMBER), roles: listOf(TEXT) },
    options,
  );
  assertPrograms("collab", [options.agent]);
  const { agent, roles } = options;
  const [name = "orchestrator"] = namesOfMembers([agent], "orchestrator");
  const members = [{ task: agent, name }];
  return beginTalk("collab", { members, block: present({ roles }), options });
}
