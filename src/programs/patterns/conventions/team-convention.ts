import type { ConventionTemplate } from "./convention.ts";

/** Where the leader of a team stands. */
export interface TeamLeaderParams {
  readonly team: string;
  /** Path of the task list. */
  readonly list: string;
  readonly workers: readonly string[];
  readonly maxWorkers: number;
  /** Whether Troupe starts workers and gives tasks to whoever is free. */
  readonly isAuto: boolean;
  /** Whether it has the tools of the team. */
  readonly hasTools: boolean;
}

/** The convention of the leader. */
export const teamLeaderConvention: ConventionTemplate<TeamLeaderParams> = {
  name: "team/leader",
  place: ({ team, list }) =>
    `Delegate mode is active for team "${team}": you are its leader. The task list is ${list}. You only plan, hand out, read and judge; you change no file and run no command yourself, your workers do.`,
  result: () => "what came of the goal, and what is left",
  rules: ({ workers, maxWorkers, isAuto, hasTools }) => [
    ...(workers.length === 0 ? [] : [`Your workers: ${workers.join(", ")}.`]),
    isAuto
      ? `Troupe gives every task that can begin to a free worker, at most ${maxWorkers} at a time, and starts workers as they are needed.`
      : "A task is done by the worker that is its owner: name one with each.",
    "First divide the goal into tasks that one worker can finish alone, each in one line, and say which must come first. Who gets a task sees the goal, its title and the results of those before it.",
    hasTools
      ? "task_create adds a task, task_update changes or cancels one, task_list shows all with their results."
      : "Write each new task as a line of its own: `- [ ] title (after: #1; owner: worker-1)`; Troupe numbers them in this order and tells you the numbers. `- [-] #2 title` cancels one, `- [ ] #2 title` gives a failed one another chance.",
    "End your turn instead of waiting: you are woken when a task has failed twice, when nothing can go on, when all is over, and by messages.",
    "People may change the list while you work; what they write counts.",
    `Do NOT exit delegate mode before all tasks are complete.${hasTools ? " Then call team_exit, or say DONE." : ""}`,
  ],
  data: () => [],
};

/** Where a worker of a team stands. */
export interface TeamWorkerParams {
  readonly team: string;
  readonly list: string;
  readonly leader: string;
}

/** The convention of a worker. */
export const teamWorkerConvention: ConventionTemplate<TeamWorkerParams> = {
  name: "team/worker",
  place: ({ team, list, leader }) =>
    `You are a worker of team "${team}", led by ${leader}. Its task list is ${list}.`,
  result: () => "what came of the task, for those that build on it",
  rules: ({ leader }) => [
    "You are given one task at a time; others do the other ones, at the same time and in the same place. Do yours, and no more.",
    `What you answer is kept with the task and told to ${leader}.`,
  ],
  data: () => [],
};
