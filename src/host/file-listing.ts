import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "./system-error.ts";

/** All files below a directory with what changes when they do; links are not followed. */
export type FileListing = ReadonlyMap<string, string>;

/**
 * Lists the files below a directory where no git knows them; undefined when there are more than `maxFiles`.
 * `exclude`: paths from the root that are left out.
 */
export async function listFiles(
  root: string,
  { exclude, maxFiles }: { readonly exclude: readonly string[]; readonly maxFiles: number },
): Promise<FileListing | undefined> {
  const left = new Set(exclude);
  const files = new Map<string, string>();
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of await entriesOf(join(root, directory))) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (left.has(path)) continue;
      if (entry.isDirectory()) pending.push(path);
      else files.set(path, await stampOf(join(root, path)));
      if (files.size + pending.length > maxFiles) return undefined;
    }
  }
  return files;
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    // Gone meanwhile, or closed to us: then nothing in it can be told apart.
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

/** The time of the last change is the system's and cannot be set back, so contents need not be read. */
async function stampOf(path: string): Promise<string> {
  try {
    const { mode, size, ino, ctimeNs } = await lstat(path, { bigint: true });
    const stamp = `${mode} ${size} ${ino} ${ctimeNs}`;
    return (mode & 0o170000n) === 0o120000n ? `link ${await readlink(path)} ${stamp}` : stamp;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return "gone";
  }
}
