import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { present } from "../foundation/present.ts";
import { roleUnfit } from "../workflows/checks/errors.ts";
import { beginPrepared } from "./begin-run.ts";
import {
  FLAG,
  listOf,
  NUMBER,
  type OptionTable,
  oneOf,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import { assertPrograms, checkOptions, TALK_OPTIONS, TASKLESS_MEMBER } from "./option-tables.ts";
import { buildTalk, type MemberTask, namesOfMembers, type TalkOptions } from "./talk-definition.ts";

/** One agent of a team. The goal of all is its task. */
export type TeamMember = Omit<MemberTask, "task">;

/** A leader and workers that share a list of tasks. */
export interface TeamOptions extends TalkOptions {
  /** What the team is to reach. Plain text. */
  readonly goal: string;
  readonly leader: TeamMember;
  /** Defaults to workers on the backend of the leader. */
  readonly workers?: readonly TeamMember[];
  /** Names the directory of the list. Defaults to the id of the run. */
  readonly teamName?: string;
  /** Workers that live at the same time. Defaults to 5. */
  readonly maxWorkers?: number;
  /** How the list is written. Defaults to `md`. */
  readonly taskFormat?: "md" | "json";
  /** Whether agents are told how many messages wait for them. Defaults to true. */
  readonly enableNotifications?: boolean;
}

/**
 * A leader that only plans and hands out, and workers that take tasks from a list which people may edit. Its `result` rejects with WORKFLOW_ROLE where something is wrong with who takes part.
 *
 * @example
 * ```ts
 * const run = team({ goal: "Port the parser", leader: { cli: "claude" }, maxWorkers: 3 });
 * const { metadata } = await run.result;
 * console.log(metadata.completed, "of", metadata.total);
 * ```
 */
export function team(options: TeamOptions): WorkflowRun {
  checkOptions("team", TEAM, options);
  assertPrograms("team", [options.leader, ...(options.workers ?? [])]);
  const { goal, leader, workers = [], teamName, enableNotifications } = options;
  const asTask = (member: TeamMember): MemberTask => ({ ...member, task: "" });
  const [lead = "lead"] = namesOfMembers([asTask(leader)], "lead");
  const tasks = workers.map(asTask);
  const names = namesOfMembers(tasks, "worker");
  const sketch = {
    pattern: "team",
    members: [
      { task: asTask(leader), name: lead, role: "lead" as const },
      ...tasks.map((task, index) => ({
        task,
        name: names[index] ?? `worker-${index + 1}`,
        role: "worker" as const,
      })),
    ],
    block: present({
      ...{ leader: lead, name: teamName, notifications: enableNotifications },
      ...{ maxWorkers: options.maxWorkers, taskFormat: options.taskFormat },
    }),
    goal,
  };
  const { definition: built, functions } = buildTalk(sketch, options);
  const agents = built.agents.map(({ task: _task, ...agent }) => agent);
  const definition = { ...built, agents };
  return beginPrepared(options, async () => {
    const { teamFaults } = await import("../programs/team/team-settings.ts");
    const [fault] = teamFaults(definition);
    if (fault !== undefined) throw roleUnfit({ problem: fault.problem, hint: fault.hint ?? "" });
    return { definition, start: { functions } };
  }).run;
}

const TEAM_MEMBER = optionsOf(TASKLESS_MEMBER);

const TEAM: OptionTable<TeamOptions> = {
  ...TALK_OPTIONS,
  ...{ goal: required(TEXT), leader: required(TEAM_MEMBER), workers: listOf(TEAM_MEMBER) },
  ...{ teamName: TEXT, maxWorkers: NUMBER, taskFormat: oneOf("md", "json") },
  enableNotifications: FLAG,
};
