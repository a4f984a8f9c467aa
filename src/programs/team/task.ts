import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";

/** Where a task of a team is. */
export const TASK_STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "failed",
  "cancelled",
] as const;

/** Where a task of a team is. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A task of a team. */
export interface TeamTask {
  /** From 1; never used again. */
  readonly id: number;
  readonly title: string;
  readonly status: TaskStatus;
  /** Who alone may do it, as somebody said; null: anybody. */
  readonly assigned: string | null;
  /** Who works on it, or has done it. */
  readonly holder: string | null;
  /** Ids of those that must be completed first. */
  readonly after: readonly number[];
  /** What came of it, or why it failed; the beginning of it. */
  readonly result: string | null;
  /** How often it came back unfinished. */
  readonly failures: number;
  /** Whether the file shows it: people may take off what is over. */
  readonly isListed: boolean;
}

/** Who is shown as the owner of a task. */
export function ownerOf({ holder, assigned }: TeamTask): string | null {
  return holder ?? assigned;
}

/** Whether nothing more comes of a task by itself. */
export function isClosed({ status }: Pick<TeamTask, "status">): boolean {
  return status !== "pending" && status !== "in_progress";
}

/** How many tasks of a team came to what. */
export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Counts tasks by what they came to. */
export function countTasks(tasks: readonly Pick<TeamTask, "status">[]): TaskCounts {
  const of = (wanted: TaskStatus) => tasks.filter(({ status }) => status === wanted).length;
  return {
    total: tasks.length,
    completed: of("completed"),
    failed: of("failed"),
    cancelled: of("cancelled"),
  };
}

/** Author of a change that was found in the file of the list, when nothing says whose it is. */
export const BY_FILE = "file";

/** Kind of the note that tells of a changed task. */
export const TASK_NOTE = "task-changed";

const taskNote = z.object({
  task: z.int(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  owner: z.string().nullable(),
  after: z.array(z.int()),
  result: z.string().nullable(),
  by: z.string(),
});

/** A task as the result of a run has it. */
export type TaskReport = Omit<z.output<typeof taskNote>, "by">;

/** The tasks as they were noted last, by id. */
export function taskReports(advances: readonly PatternAdvance[]): readonly TaskReport[] {
  const reports = new Map<number, TaskReport>();
  for (const { kind, data } of advances) {
    if (kind !== TASK_NOTE) continue;
    const { by: _by, ...report } = taskNote.parse(data);
    reports.set(report.task, report);
  }
  return [...reports.values()].sort((left, right) => left.task - right.task);
}

/** A task as it is noted. */
export function toNote(task: TeamTask, by: string): z.output<typeof taskNote> {
  const { id, title, status, after, result } = task;
  return { task: id, title, status, owner: ownerOf(task), after: [...after], result, by };
}
