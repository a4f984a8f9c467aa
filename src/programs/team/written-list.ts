import type { TaskStatus, TeamTask } from "./task.ts";

/** A task as it stands in a file. */
export interface WrittenTask {
  /** Undefined where somebody has added it and it has no number yet. */
  readonly id: number | undefined;
  readonly title: string;
  readonly status: TaskStatus;
  readonly owner: string | null;
  readonly after: readonly number[];
}

/** What a file holds, or why it cannot be read. */
export type ListReading =
  | { readonly status: "read"; readonly tasks: readonly WrittenTask[] }
  | { readonly status: "unreadable"; readonly problem: string };

/** What is to be written. */
export interface ListView {
  readonly team: string;
  readonly tasks: readonly TeamTask[];
  /** Numbers that those without one get, in the order in which they stand in the text; null: none. */
  readonly fresh: readonly (number | null)[];
}

/** A way to write the tasks of a team down. */
export interface ListFormat {
  /** Name of the file. */
  readonly file: string;
  read(text: string): ListReading;
  /** The text with the tasks as they are; all else of it stays as it is. Undefined: there is none yet. */
  write(text: string | undefined, view: ListView): string;
}
