import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnRequest } from "../../../contracts/backend.ts";
import { outlastShortage } from "../../../foundation/shortage.ts";

/** A file that only this user can read, gone with `remove`. */
export interface TaskFile {
  /** Absolute. */
  readonly path: string;
  /** The same for the messages behind the task, as JSON; absent when there are none. */
  readonly messagesPath?: string;
  remove(): Promise<void>;
}

/**
 * Writes a task, and the messages behind it, to files of mode 0600 in a new directory of mode 0700. Where too many files
 * are open it waits.
 */
export function createTaskFile(request: Pick<TurnRequest, "task" | "messages">): Promise<TaskFile> {
  return outlastShortage(() => writeTaskFile(request));
}

async function writeTaskFile({
  task,
  messages,
}: Pick<TurnRequest, "task" | "messages">): Promise<TaskFile> {
  // The pid tells whose it is, should this process die before it removes it.
  const directory = await mkdtemp(join(tmpdir(), `troupe-task-${process.pid}-`));
  const path = join(directory, "task.txt");
  const messagesPath = join(directory, "messages.json");
  const remove = () => outlastShortage(() => rm(directory, { recursive: true, force: true }));
  try {
    await writeFile(path, task, { mode: 0o600, flag: "wx" });
    if (messages === undefined) return { path, remove };
    await writeFile(messagesPath, JSON.stringify(messages), { mode: 0o600, flag: "wx" });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, messagesPath, remove };
}
