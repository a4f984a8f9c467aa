import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import { INSTANCE_PATTERN } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { memberNamed } from "../talk/find-members.ts";
import { jsonList } from "./json-list.ts";
import { markdownList } from "./markdown-list.ts";
import type { ListFormat } from "./written-list.ts";

const DEFAULT_MAX_WORKERS = 5;
/** Workers at most that a team may ask for. */
const MOST_WORKERS = 100;

/** What a file says of a team. */
export const teamBlock = z.strictObject({
  name: z
    .string()
    .optional()
    .describe("Names the directory of the task list. Default: one of this run alone."),
  leader: z
    .string()
    .optional()
    .describe("Who leads. Default: the only agent with the role lead, else the first."),
  maxWorkers: z
    .int()
    .min(1)
    .max(MOST_WORKERS)
    .optional()
    .describe(`Workers that live at the same time. Default: ${DEFAULT_MAX_WORKERS}.`),
  taskFormat: z
    .enum(["md", "json"])
    .optional()
    .describe("How the task list is written. Default: md."),
  notifications: z
    .boolean()
    .optional()
    .describe("Whether agents are told how many messages wait for them. Default: true."),
  workers: z
    .enum(["auto", "leader"])
    .optional()
    .describe(
      "Who gives tasks out: Troupe to workers that it starts (auto, default), or the leader by naming owners.",
    ),
});

/** Tools that the leader has of its team. */
const LEADER_ASKS = ["task_list", "task_create", "task_update", "task_claim", "team_exit"];
/** Tools that a worker has of its team. */
const WORKER_ASKS = ["task_list", "task_create", "task_update", "task_claim"];

/** A team with every default filled in. */
export interface TeamSettings {
  readonly leader: AgentSpec;
  readonly workers: readonly AgentSpec[];
  readonly name: string | undefined;
  readonly maxWorkers: number;
  readonly format: ListFormat;
  readonly notifies: boolean;
  /** Whether Troupe gives tasks to whoever is free, and starts workers. */
  readonly isAuto: boolean;
}

/** What a checked definition says of its team. */
export function teamSettings({ options, agents }: PatternDefinition): TeamSettings {
  const block = teamBlock.parse(options);
  const crew = crewOf(agents);
  const leader = leaderIn(crew, block.leader);
  if (leader === undefined) throw new Error("a team has no leader");
  return {
    leader,
    workers: crew.filter(({ id }) => id !== leader.id),
    name: block.name,
    maxWorkers: block.maxWorkers ?? DEFAULT_MAX_WORKERS,
    format: block.taskFormat === "json" ? jsonList : markdownList,
    notifies: block.notifications ?? true,
    isAuto: block.workers !== "leader",
  };
}

function leaderIn(crew: readonly AgentSpec[], named: string | undefined): AgentSpec | undefined {
  if (named !== undefined) return memberNamed(crew, named);
  return crew.find(({ role }) => role === "lead") ?? crew[0];
}

/** The agents of a team as they take part: the leader only plans and hands out, and that holds for nobody else. */
export function teamMembers(definition: PatternDefinition): readonly AgentSpec[] {
  const { leader, workers, maxWorkers, isAuto } = teamSettings(definition);
  const ids = workers.map(({ id }) => id);
  return definition.agents.map((agent): AgentSpec => {
    if (agent.shadow !== undefined) return agent;
    const { session: _session, reportsTo: _reportsTo, ...spec } = agent;
    if (agent.id !== leader.id) return asWorker(spec, leader.id);
    const asks = LEADER_ASKS;
    const mayWriteToAll = isAuto && ids.length < maxWorkers;
    const writesTo = mayWriteToAll ? {} : { writesTo: [...ids, "user", "#"] };
    return {
      ...{ ...spec, ...writesTo, asks },
      ...{ permissionMode: "delegate", wakes: "reports", signals: [], spawns: true },
    };
  });
}

/** A worker that Troupe starts: the leader's program without what is the leader's own. */
export function furtherWorker(leader: AgentSpec, id: string): AgentSpec {
  const { name: _name, role: _role, task: _task, permissionMode, settings, ...spec } = leader;
  const { systemPrompt: _systemPrompt, ...program } = settings ?? {};
  const { writesTo: _writesTo, spawns: _spawns, asks: _asks, ...rest } = spec;
  const mode = permissionMode === "delegate" ? "ask" : permissionMode;
  return asWorker(
    {
      ...{ ...rest, id, role: "worker" },
      ...present({ permissionMode: mode }),
      ...(Object.keys(program).length === 0 ? {} : { settings: program }),
    },
    leader.id,
  );
}

function asWorker(spec: AgentSpec, leader: string): AgentSpec {
  return { ...spec, reportsTo: leader, wakes: "reports", signals: [], asks: WORKER_ASKS };
}

/** What is wrong with a team, or with who takes part in it. */
export function teamFaults(definition: PatternDefinition): readonly PatternFault[] {
  const { agents, steps, onFailure, options } = definition;
  const block = teamBlock.parse(options);
  const crew = crewOf(agents);
  const faults: PatternFault[] = [];
  const leader = leaderIn(crew, block.leader);
  if (block.leader !== undefined && leader === undefined)
    faults.push({ key: "leader", problem: `leader names "${block.leader}", who is no agent` });
  const leads = crew.filter(({ role }) => role === "lead");
  if (block.leader === undefined && leads.length > 1)
    faults.push({
      problem: `${leads.map(({ id }) => id).join(" and ")} both have the role lead`,
      hint: "write leader under team, or role: worker",
    });
  for (const { id, role = "worker" } of crew)
    if (id !== leader?.id && role !== "worker")
      faults.push({
        agent: id,
        problem: `agent "${id}" has the role ${role}, and a team has a leader and workers`,
        hint: "write role: worker, or remove it",
      });
  if (block.name !== undefined && !INSTANCE_PATTERN.test(block.name))
    faults.push({
      key: "name",
      problem: `"${block.name}" cannot name a team`,
      hint: "use letters, digits, dots, - and _, at most 64",
    });
  if (block.workers === "leader" && crew.length < 2)
    faults.push({
      key: "workers",
      problem: "there is no worker whom the leader could give a task",
      hint: "write workers: auto, or declare agents with the role worker",
    });
  if (steps.length > 0)
    faults.push({
      problem: "a team has no steps: its tasks are what is to be done",
      hint: "write the goal as the task, or use hub-spoke for given steps",
    });
  if (onFailure !== "continue")
    faults.push({
      problem: `a task that fails is told to the leader, so onFailure: ${onFailure} means nothing`,
      hint: "remove onFailure",
    });
  return faults;
}
