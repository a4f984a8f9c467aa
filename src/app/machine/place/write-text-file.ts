import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileUnwritable } from "./errors.ts";

/**
 * Writes a text to a file that was named on the command line, whole or not at all. Devices and directories are
 * left alone. `mode` is that of a new file. Raises FILE_UNWRITABLE.
 */
export function writeTextFile(path: string, text: string, mode: number = 0o666): void {
  assertPlace(path);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const problem = error instanceof Error ? error.message : String(error);
    throw fileUnwritable({ path, problem }, { cause: error });
  }
}

/** Raises FILE_UNWRITABLE where no file can be: what is there is none, or its directory does not exist. */
export function assertPlace(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw fileUnwritable({ path, problem: "it is a directory" });
  if (found?.isFile() === false) throw fileUnwritable({ path, problem: "it is no regular file" });
  const directory = dirname(path);
  if (statSync(directory, { throwIfNoEntry: false }) === undefined)
    throw fileUnwritable({ path, problem: `there is no directory ${directory}` });
}
