import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file that only this user can read, gone with `remove`. */
export interface TaskFile {
  /** Absolute. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Writes a task to a file of mode 0600 in a new directory of mode 0700. */
export async function createTaskFile(task: string): Promise<TaskFile> {
  // The pid tells whose it is, should this process die before it removes it.
  const directory = await mkdtemp(join(tmpdir(), `troupe-task-${process.pid}-`));
  const path = join(directory, "task.txt");
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await writeFile(path, task, { mode: 0o600, flag: "wx" });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}
