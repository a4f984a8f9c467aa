import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  access,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { reasonOf, systemErrorCode } from "../../host/system/system-error.ts";
import { fileExists, fileLeadsOut, writeRefused } from "./errors.ts";

/** A file to write, by its path below a root. */
export interface NewFile {
  /** With `/`, relative. */
  readonly path: string;
  readonly text: string;
  /** `create` never touches what is there; `replace` takes its place. */
  readonly mode: "create" | "replace";
}

/**
 * Writes all of the files below a root, or none: every place is checked first, and what was written is
 * taken back when a later one fails. Raises FILE_EXISTS, FILE_LEADS_OUT, FILE_UNWRITABLE.
 */
export async function writeFiles(root: string, files: readonly NewFile[]): Promise<void> {
  const realRoot = await realpath(root);
  for (const file of files) await assertWritable(realRoot, file);
  const undo: (() => Promise<unknown>)[] = [];
  for (const file of files) {
    try {
      await write(join(realRoot, file.path), file, undo);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => {});
      throw writeRefused({ file: file.path, reason: reasonOf(error) }, { cause: error });
    }
  }
}

/** Whether something is at this path, be it a link that leads nowhere. */
export async function isPathTaken(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return false;
    throw error;
  }
}

async function assertWritable(root: string, { path, mode }: NewFile): Promise<void> {
  const target = join(root, path);
  try {
    const directory = await nearestDirectory(dirname(target), root, path);
    if (await isPathTaken(target)) {
      if (mode === "create") throw fileExists({ file: path });
      const info = await lstat(target);
      if (info.isSymbolicLink()) throw fileLeadsOut({ file: path, root });
      if (!info.isFile()) throw writeRefused({ file: path, reason: "it is no regular file" });
    }
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemErrorCode(error)?.startsWith("FILE_")) throw error;
    throw writeRefused({ file: path, reason: reasonOf(error) }, { cause: error });
  }
}

/** The nearest directory that exists, which must lie in the root when links are followed. */
async function nearestDirectory(wanted: string, root: string, path: string): Promise<string> {
  if (!(await isPathTaken(wanted))) return nearestDirectory(dirname(wanted), root, path);
  const real = await realpath(wanted).catch(() => undefined);
  const way = real === undefined ? ".." : relative(root, real);
  if (real === undefined || way === ".." || way.startsWith(`..${sep}`))
    throw fileLeadsOut({ file: relative(root, wanted), root });
  if (!(await lstat(real)).isDirectory())
    throw writeRefused({ file: path, reason: `${relative(root, wanted)} is no directory` });
  return real;
}

async function write(
  target: string,
  { text, mode }: NewFile,
  undo: (() => Promise<unknown>)[],
): Promise<void> {
  await makeDirectories(dirname(target), undo);
  const fresh = `${target}.${randomBytes(6).toString("hex")}`;
  if (mode === "create" || !(await isPathTaken(target))) {
    await writeNew(fresh, { text, mode: 0o644, undo });
    await giveName(fresh, target);
    undo.push(() => rm(target, { force: true }));
    return;
  }
  const [before, info] = [await readFile(target), await lstat(target)];
  await writeNew(fresh, { text, mode: info.mode, undo });
  await rename(fresh, target);
  undo.push(() => writeFile(target, before));
}

/** Gives a complete file its name, and fails where something has come to be there since the check. */
async function giveName(fresh: string, target: string): Promise<void> {
  try {
    await link(fresh, target);
    await rm(fresh);
  } catch (error) {
    // Some file systems have no second names.
    if (!["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"].includes(systemErrorCode(error) ?? ""))
      throw error;
    if (await isPathTaken(target)) throw error;
    await rename(fresh, target);
  }
}

interface NewContent {
  readonly text: string;
  readonly mode: number;
  readonly undo: (() => Promise<unknown>)[];
}

/** Fails where something has come to be since the check, a link included. */
async function writeNew(path: string, { text, mode, undo }: NewContent): Promise<void> {
  const handle = await open(path, "wx", mode);
  undo.push(() => rm(path, { force: true }));
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

async function makeDirectories(directory: string, undo: (() => Promise<unknown>)[]): Promise<void> {
  if (await isPathTaken(directory)) return;
  await makeDirectories(dirname(directory), undo);
  await mkdir(directory);
  undo.push(() => rmdir(directory));
}
