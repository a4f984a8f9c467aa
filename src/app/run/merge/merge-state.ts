import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readIfThere, replacePrivateFile } from "../../machine/place/private-file.ts";
import { mergeStateBroken } from "./errors.ts";

/** A branch of a run that is to be merged. */
export interface MergeBranch {
  readonly agent: string;
  readonly branch: string;
  /** Id of its last commit. */
  readonly commit: string;
  /** Directory of its worktree, absolute. */
  readonly path: string;
}

/** How far a merge is; survives the death of its process. */
export interface MergeState {
  readonly run: string;
  /** Root of the working tree, absolute. */
  readonly root: string;
  /** The branch that the others come into; empty when none is checked out. */
  readonly into: string;
  /** Id of the commit before the first merge. */
  readonly start: string;
  /** What was checked out before, where that was another branch; empty when none was. */
  readonly switchedFrom?: string;
  /** Ids of commits that somebody has agreed to merge although they delete much or bring obeyed files. */
  readonly agreed?: readonly string[];
  /** Shell text that has to succeed after each merge. */
  readonly verify?: string;
  readonly verifyTimeoutMs: number;
  /** Who is asked to resolve conflicts. */
  readonly agent?: string;
  /** Whether branches and worktrees stay. */
  readonly keeps: boolean;
  readonly branches: readonly MergeBranch[];
  /** Names of branches that are merged and verified. */
  readonly merged: readonly string[];
  /** The merge in progress, and the commit before it. */
  readonly current?: { readonly branch: string; readonly before: string };
}

const stateSchema: z.ZodType<MergeState> = z.object({
  run: z.string(),
  root: z.string(),
  into: z.string(),
  start: z.string(),
  switchedFrom: z.string().exactOptional(),
  agreed: z.array(z.string()).exactOptional(),
  verify: z.string().exactOptional(),
  verifyTimeoutMs: z.number(),
  agent: z.string().exactOptional(),
  keeps: z.boolean(),
  branches: z.array(
    z.object({ agent: z.string(), branch: z.string(), commit: z.string(), path: z.string() }),
  ),
  merged: z.array(z.string()),
  current: z.object({ branch: z.string(), before: z.string() }).exactOptional(),
});

/** Where a run's merge is written down. */
export interface MergeRecord {
  /** Undefined when no merge is under way. Raises RUN_MERGE_STATE_BROKEN. */
  read(): MergeState | undefined;
  write(state: MergeState): void;
  remove(): void;
}

/** Its name in the directory of a run. */
export const MERGE_RECORD = "merge.json";

/** The record in the directory of a run. */
export function mergeRecord(runDirectory: string): MergeRecord {
  const path = join(runDirectory, MERGE_RECORD);
  return {
    read: () => {
      const text = readIfThere(path);
      return text === undefined ? undefined : parse(text, path);
    },
    write: (state) => replacePrivateFile(path, `${JSON.stringify(state)}\n`),
    remove: () => rmSync(path, { force: true }),
  };
}

function parse(text: string, path: string): MergeState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw mergeStateBroken({ path, problem: "it is no JSON" }, { cause: error });
  }
  const state = stateSchema.safeParse(value);
  if (!state.success) throw mergeStateBroken({ path, problem: z.prettifyError(state.error) });
  return state.data;
}
