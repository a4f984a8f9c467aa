import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import { systemErrorCode } from "../system/system-error.ts";

/**
 * Replaces a file of a git directory as git does: by a lock that only one can take, then at once. Links are
 * replaced, never followed. Raises HOST_GIT_FAILED.
 */
export function replaceGitFile(directory: string, name: string, content: string | Buffer): void {
  const path = join(directory, name);
  const lock = `${path}.lock`;
  try {
    writeFileSync(lock, content, { flag: "wx" });
    renameSync(lock, path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const reason = code === "EEXIST" ? `${lock} is there: another git is at work` : code;
    throw gitFailed({ cwd: directory, action: `writing ${name}`, reason });
  }
}

/** Removes a file of a git directory, if it is there. */
export function removeGitFile(directory: string, name: string): void {
  rmSync(join(directory, name), { force: true });
}

/** Raises HOST_GIT_FAILED for what is there and no directory, or a link to one. */
export function assertPlainDirectory(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  throw gitFailed({ cwd: path, action: "writing", reason: `${path} is no directory` });
}
