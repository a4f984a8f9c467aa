import { count } from "../../foundation/count.ts";
import { type DataBlock, fittingBlocks } from "../patterns/conventions/marked-text.ts";
import { countTasks, isClosed, type TeamTask } from "./task.ts";

const MAX_RESULTS_CHARS = 65_536;
const MAX_NEWS_CHARS = 32_768;
const MOST_LISTED = 50;

/** Which team it is. */
export interface TeamPlace {
  readonly team: string;
  /** Path of its list. */
  readonly list: string;
}

/** What a worker is asked for. */
export function taskText({ id, title }: TeamTask): string {
  return `Your task is #${id}: ${title}\n\nDo it and end with a line \`DONE: <what came of it>\`.`;
}

/** What a task builds on. */
export function taskBlocks(task: TeamTask, tasks: readonly TeamTask[]): readonly DataBlock[] {
  const before = tasks.filter(({ id }) => task.after.includes(id));
  const results = before.map(({ id, title, result }) => ({
    label: `result of task #${id}: ${title}`,
    text: result ?? "",
  }));
  const failure =
    task.failures === 0
      ? []
      : [{ label: "why this task came back the last time", text: task.result ?? "" }];
  return fittingBlocks([...results, ...failure], MAX_RESULTS_CHARS);
}

/** Messages that wait for an agent, by who wrote them. Empty when there are none (TEAM-4). */
export function notificationText(unread: ReadonlyMap<string, number>): string {
  if (unread.size === 0) return "";
  const lines = [...unread].map(([sender, number]) => `- ${sender}: ${number} unread message(s)`);
  return `Team collaboration notifications:\n${lines.join("\n")}`;
}

/** What the leader is reminded of with every turn. */
export function reminderText({ team, list }: TeamPlace): string {
  return `Delegate mode is active for team "${team}". Task list: ${list}. Do NOT exit delegate mode before all tasks are complete.`;
}

/** How the tasks stand, for the leader. */
export function standText(tasks: readonly TeamTask[]): string {
  if (tasks.length === 0)
    return "There are no tasks. Make them, or end with a line `DONE: <result>` if nothing is to be done.";
  const { total, completed, failed, cancelled } = countTasks(tasks);
  const open = tasks.filter((task) => !isClosed(task));
  const parts = [
    `${completed} of ${count(total, "task")} completed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(cancelled === 0 ? [] : [`${cancelled} cancelled`]),
  ];
  const named = open
    .slice(0, MOST_LISTED)
    .map(({ id }) => `#${id}`)
    .join(", ");
  const more = open.length > MOST_LISTED ? ` and ${open.length - MOST_LISTED} more` : "";
  const end =
    open.length === 0
      ? "All tasks are over. End with a line `DONE: <what came of the goal>`, or add what is missing."
      : `Open: ${named}${more}.`;
  return `${parts.join(", ")}. ${end}`;
}

/** What became of tasks since the leader was told last, as material. */
export function changeBlocks(tasks: readonly TeamTask[]): readonly DataBlock[] {
  const blocks = tasks.map(({ id, title, status, result }) => ({
    label: `task #${id} ${status}: ${title}`,
    text: result ?? "",
  }));
  return fittingBlocks(blocks, MAX_NEWS_CHARS);
}
