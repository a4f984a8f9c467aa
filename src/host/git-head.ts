import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemErrorCode } from "./system-error.ts";

/** Where a working tree stands. */
export interface GitHead {
  /** The id of the commit that is checked out; null before the first one. */
  readonly commit: string | null;
}

const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;
const MAX_SYMBOLIC_REFS = 5;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^ref: (refs\/[^\0\s]+)$/;

/** Whether a text is the id of a commit, and no option or name. */
export function isCommitId(text: string): boolean {
  return COMMIT.test(text);
}

/**
 * Which commit the working tree around a directory has checked out, from the files of the repository alone:
 * no program is started. Undefined outside a repository, and where the files are of another kind.
 */
export function readGitHead(cwd: string): GitHead | undefined {
  try {
    const gitDirectory = findGitDirectory(cwd);
    return gitDirectory === undefined ? undefined : headOf(gitDirectory);
  } catch (error) {
    // No right to look is as good as nothing to see.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function findGitDirectory(start: string): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    const path = join(directory, ".git");
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return path;
    // A worktree or a submodule: the file says where its repository is.
    const [, target] = /^gitdir: (.+)$/.exec(readLine(path)) ?? [];
    if (target !== undefined) return resolve(directory, target);
    if (dirname(directory) === directory) return undefined;
  }
}

function headOf(gitDirectory: string): GitHead | undefined {
  const common = readLine(join(gitDirectory, "commondir"));
  const commonDirectory = common === "" ? gitDirectory : resolve(gitDirectory, common);
  let content = readLine(join(gitDirectory, "HEAD"));
  for (let depth = 0; depth < MAX_SYMBOLIC_REFS; depth += 1) {
    if (COMMIT.test(content)) return { commit: content };
    const [, ref] = REF.exec(content) ?? [];
    // Reference tables leave this in place of a branch.
    if (ref === undefined || ref === "refs/heads/.invalid" || ref.includes("..")) return undefined;
    content =
      readLine(join(gitDirectory, ref)) ||
      readLine(join(commonDirectory, ref)) ||
      findPacked(join(commonDirectory, "packed-refs"), ref);
    if (content === "") return { commit: null };
  }
  return undefined;
}

function findPacked(path: string, ref: string): string {
  const line = readBounded(path, MAX_PACKED_BYTES)
    .split("\n")
    .find((each) => each.endsWith(` ${ref}`));
  return line?.slice(0, line.indexOf(" ")) ?? "";
}

function readLine(path: string): string {
  return readBounded(path, MAX_REF_BYTES).split("\n", 1)[0]?.trim() ?? "";
}

/** The text of a plain file; empty when there is none or it is too large to be what is looked for. */
function readBounded(path: string, maxBytes: number): string {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(systemErrorCode(error) ?? "")) return "";
    throw error;
  }
  try {
    const stat = fstatSync(handle);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(handle, "utf8") : "";
  } finally {
    closeSync(handle);
  }
}
