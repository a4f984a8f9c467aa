import { defineError } from "../../foundation/errors.ts";

export const taskUnknown = defineError("TEAM_TASK_UNKNOWN", {
  message: (details: { task: number; known: number }) => `there is no task #${details.task}`,
  hint: (details) =>
    details.known === 0 ? "no task has been made yet" : "task_list shows all of them",
  about: "A task of a team is named by its number, and nothing on the list has this one.",
});

export const listUnreadable = defineError("TEAM_LIST_UNREADABLE", {
  message: (details: { list: string; problem: string }) =>
    `the tasks in ${details.list} cannot be read: ${details.problem}`,
  hint: ({ list }) => `correct or remove ${list}, and run the team again`,
  about:
    "The list of a team is there and cannot be read: a number stands in it twice, it is too large, or something else is in its place. The run waits before the first turn; this is how it ends when a person rejects that.",
});

export const taskRefused = defineError("TEAM_TASK_REFUSED", {
  message: (details: { task: number; problem: string }) =>
    `task #${details.task} stays as it is: ${details.problem}`,
  about:
    "What was asked for does not go together with where the task is, who holds it, or what comes before it. Nothing was changed.",
});

export const taskCycle = defineError("TEAM_TASK_CYCLE", {
  message: (details: { task: number; way: string }) =>
    `task #${details.task} would wait for itself: ${details.way}`,
  hint: () => "leave one of these out of `after`",
  about: "Tasks that wait for each other in a circle could never begin. Nothing was changed.",
});

export const tasksTooMany = defineError("TEAM_TASKS_TOO_MANY", {
  message: (details: { limit: number }) => `a team has at most ${details.limit} tasks`,
  hint: () => "let one of its open tasks take this in: task_update; or begin another team",
  about: "The list of a team holds only so many tasks, those included that are over.",
});

export const nothingToClaim = defineError("TEAM_NOTHING_TO_CLAIM", {
  message: () => "no task can begin now",
  hint: () => "end your turn; whoever is needed is woken",
  about: "Every task is over, held by somebody, kept for somebody else, or waits for another one.",
});

export const exitRefused = defineError("TEAM_EXIT_REFUSED", {
  message: (details: { open: readonly number[] }) =>
    `the team has open tasks: ${details.open.map((id) => `#${id}`).join(", ")}`,
  hint: () => "wait until they are over, cancel them with task_update, or force the exit",
  about:
    "A team ends when none of its tasks is pending or in progress. With `force` they are given up, and the run has failed.",
});

export const titleUnfit = defineError("TEAM_TITLE_UNFIT", {
  message: (details: { title: string; problem: string }) =>
    `"${details.title}" cannot be the title of a task: ${details.problem}`,
  hint: () => "say it in one line; owner and after have fields of their own",
  about:
    "A task has its title in one line of the list, and what stands in parentheses at its end is read as its owner and what it waits for.",
});
