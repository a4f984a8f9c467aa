import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gitFailed } from "../system/errors.ts";
import { systemErrorCode } from "../system/system-error.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { RepositoryPlace } from "./repository-place.ts";

const RULES: ReadonlySet<string> = new Set([".gitignore", ".gitattributes", ".gitmodules"]);
const READ_OF_NESTED = ["HEAD", "config", "commondir", "packed-refs", "gitdir"];
const MAX_RULES_BYTES = 16 * 1024 * 1024;
const MAX_ALTERNATES_BYTES = 64 * 1024;
const MAX_ALTERNATES = 5;
const AT_ONCE = 200;

/** What is looked at. */
export interface HazardSearch {
  readonly place: RepositoryPlace;
  /** Absolute directories that are left out. */
  readonly leftOut: readonly string[];
}

/**
 * Makes sure that what git is about to read in a working tree and its store of objects are plain files of a
 * sensible size: it would wait forever for the other end of a pipe. Raises HOST_GIT_FAILED.
 */
export async function assertReadable({ place, leftOut }: HazardSearch): Promise<void> {
  const { root, commonDirectory } = place;
  assertObjects(root, join(commonDirectory, "objects"), 0);
  const left = new Set(leftOut);
  const pending = [root];
  for (let seen = 1; ; seen += 1) {
    const directory = pending.pop();
    if (directory === undefined) return;
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.name === ".git" && directory !== root) assertNested(root, path, entry);
      else if (RULES.has(entry.name)) assertRules(root, path);
      else if (entry.isDirectory() && entry.name !== ".git" && !left.has(path)) pending.push(path);
    }
    // Others have work to do, too.
    if (seen % AT_ONCE === 0) await new Promise((resume) => setImmediate(resume));
  }
}

function assertRules(root: string, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // git follows no links here, and a directory of that name says nothing.
  if (stat === undefined || stat.isSymbolicLink() || stat.isDirectory()) return;
  if (!stat.isFile()) throw hazard(root, `${path} is no plain file`);
  if (stat.size > MAX_RULES_BYTES) throw hazard(root, `${path} has ${stat.size} bytes`);
}

function assertNested(root: string, path: string, entry: Dirent): void {
  if (!entry.isDirectory()) {
    if (!entry.isFile() && !entry.isSymbolicLink()) throw hazard(root, `${path} is no plain file`);
    return;
  }
  for (const name of READ_OF_NESTED) assertPlain(root, join(path, name));
}

function assertObjects(root: string, objects: string, depth: number): void {
  const alternates = join(objects, "info", "alternates");
  assertPlain(root, alternates);
  for (const part of ["info", "pack"])
    for (const entry of entriesOf(join(objects, part)))
      if (entry.isFIFO()) throw hazard(root, `${join(objects, part, entry.name)} is no plain file`);
  if (depth >= MAX_ALTERNATES) return;
  for (const line of readRegularFile(alternates, MAX_ALTERNATES_BYTES).split("\n"))
    if (line !== "" && !line.startsWith("#"))
      assertObjects(root, resolve(dirname(dirname(alternates)), line), depth + 1);
}

function assertPlain(root: string, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()) return;
  throw hazard(root, `${path} is no plain file`);
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    // Gone meanwhile, or closed to us: git cannot read it either.
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

function hazard(cwd: string, reason: string) {
  return gitFailed({ cwd, action: "reading", reason: `${reason}, so it is not looked at` });
}
