import { join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import { readFirstLine, readRegularFile } from "./read-regular-file.ts";
import { findRepositoryPlace, type RepositoryPlace } from "./repository-place.ts";

/** Where a working tree stands. */
export interface GitHead {
  /** The id of the commit that is checked out; null before the first one. */
  readonly commit: string | null;
}

/** Where a working tree stands, and on which branch. */
export interface BranchHead extends GitHead {
  /** Without `refs/heads/`; undefined when no branch is checked out. */
  readonly branch: string | undefined;
}

type RefPlace = Pick<RepositoryPlace, "gitDirectory" | "commonDirectory">;

const MAX_PACKED_BYTES = 64 * 1024 * 1024;
const MAX_SYMBOLIC_REFS = 5;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^ref: (refs\/[^\0\s]+)$/;
const BRANCHES = "refs/heads/";

/** Whether a text is the id of a commit, and no option or name. */
export function isCommitId(text: string): boolean {
  return COMMIT.test(text);
}

/**
 * Which commit the working tree around a directory has checked out, from the files of the repository alone:
 * no program is started. Undefined outside a repository, and where the files are of another kind.
 */
export function readGitHead(cwd: string): GitHead | undefined {
  const place = findRepositoryPlace(cwd);
  const head = place === undefined ? undefined : readBranchHead(place);
  return head === undefined ? undefined : { commit: head.commit };
}

/** What a working tree has checked out; undefined where the files are of another kind, or may not be read. */
export function readBranchHead(place: RefPlace): BranchHead | undefined {
  try {
    const content = readFirstLine(join(place.gitDirectory, "HEAD"));
    const commit = resolveContent(place, content);
    if (commit === undefined) return undefined;
    const [, ref = ""] = REF.exec(content) ?? [];
    const branch = ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : undefined;
    return { commit, branch };
  } catch (error) {
    // No right to look is as good as nothing to see.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** The id that a reference stands for, by its whole name; undefined when there is none. */
export function readRef(place: RefPlace, name: string): string | undefined {
  if (name.includes("..")) return undefined;
  return resolveContent(place, contentOf(place, name)) ?? undefined;
}

function resolveContent(place: RefPlace, first: string): string | null | undefined {
  let content = first;
  for (let depth = 0; depth < MAX_SYMBOLIC_REFS; depth += 1) {
    if (COMMIT.test(content)) return content;
    const [, ref] = REF.exec(content) ?? [];
    // Reference tables leave this in place of a branch.
    if (ref === undefined || ref === "refs/heads/.invalid" || ref.includes("..")) return undefined;
    content = contentOf(place, ref);
    if (content === "") return null;
  }
  return undefined;
}

function contentOf({ gitDirectory, commonDirectory }: RefPlace, ref: string): string {
  return (
    readFirstLine(join(gitDirectory, ref)) ||
    readFirstLine(join(commonDirectory, ref)) ||
    findPacked(join(commonDirectory, "packed-refs"), ref)
  );
}

function findPacked(path: string, ref: string): string {
  const line = readRegularFile(path, MAX_PACKED_BYTES)
    .split("\n")
    .find((each) => each.endsWith(` ${ref}`));
  return line?.slice(0, line.indexOf(" ")) ?? "";
}
