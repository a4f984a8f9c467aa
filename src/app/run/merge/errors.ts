import { defineError } from "../../../foundation/errors.ts";
import { toShellWord } from "../../../foundation/printable.ts";

export const mergeNothing = defineError("RUN_MERGE_NOTHING", {
  message: (details: { run: string }) => `no agent of ${details.run} has a branch with work on it`,
  hint: () => "give agents of a workflow isolation: worktree; each then works on its own branch",
  about:
    "`troupe merge` brings together the branches of agents that worked in worktrees. This run has none, or they were merged and removed already.",
});

export const mergeRunning = defineError("RUN_MERGE_RUNNING", {
  message: (details: { run: string; state: string }) =>
    `${details.run} is ${details.state}, so its branches are not finished`,
  hint: ({ run }) => `let it end first: troupe resume ${run}, or troupe cancel ${run}`,
  about:
    "What agents left in their worktrees is committed when their run is over. Before that a merge would miss some of it.",
});

export const mergeDirty = defineError("RUN_MERGE_DIRTY", {
  message: (details: { directory: string }) =>
    `${details.directory} has changes that are not committed`,
  hint: ({ directory }) =>
    `commit or stash what git -C ${toShellWord(directory)} status lists, then merge again`,
  about:
    "Branches are merged into a working tree without changes of its own, so that everything can be undone. In the worktree of an agent, changes that nobody committed would be missing in the merge.",
});

export const mergeUnfinished = defineError("RUN_MERGE_UNFINISHED", {
  message: (details: { run: string; branch: string }) =>
    `a merge of ${details.run} is under way, at branch ${details.branch}`,
  hint: ({ run }) => `troupe merge ${run} --continue, or troupe merge ${run} --abort`,
  about:
    "The merge stopped at a conflict or a failed verification, or its process was killed. It goes on with --continue, or is given up with --abort.",
});

export const mergeNotBegun = defineError("RUN_MERGE_NOT_BEGUN", {
  message: (details: { run: string }) => `no merge of ${details.run} is under way`,
  hint: ({ run }) => `troupe merge ${run} begins one`,
  about: "--continue and --abort are for a merge that stopped. There is none, or it is done.",
});

export const mergeDeletes = defineError("RUN_MERGE_DELETES", {
  message: (details: {
    branch: string;
    deleted: number;
    added: number;
    more: number;
    run: string;
  }) =>
    `branch ${details.branch} deletes ${details.deleted} files and adds ${details.added}${details.more === 0 ? "" : `, and ${details.more} more like it`}`,
  hint: ({ branch, run }) =>
    `look: git diff --name-only --diff-filter=D HEAD...${branch}; if that is wanted: troupe merge ${run} -y`,
  about:
    "A branch that deletes more than 20 files, and more than it adds, is merged only when somebody agrees: at a terminal, or by -y. Nothing of it was merged.",
});

export const mergeObeyed = defineError("RUN_MERGE_OBEYED", {
  message: (details: { branch: string; path: string; reason: string; more: number; run: string }) =>
    `branch ${details.branch} brings ${details.path}${details.more === 0 ? "" : ` and ${details.more} more`}: ${details.reason}`,
  hint: ({ branch, run }) =>
    `look: git diff HEAD...${branch}; if that is wanted: troupe merge ${run} -y`,
  about:
    "Hooks, tasks of editors, settings of agents and whatever git's configuration names take effect without anybody asking for it. A branch that adds or changes such files is merged only when somebody agrees: at a terminal, or by -y. Nothing of it was merged.",
});

/** What is checked out where that is a commit. */
export const NO_BRANCH = "no branch";

export const mergeElsewhere = defineError("RUN_MERGE_ELSEWHERE", {
  message: (details: { run: string; root: string; expected: string; found: string }) =>
    `${details.root} has ${details.found} checked out, and the merge goes into ${details.expected}`,
  hint: ({ run, expected }) =>
    expected === NO_BRANCH
      ? `check out the commit that it went into: git switch --detach, then troupe merge ${run} --continue`
      : `git switch ${expected}, then troupe merge ${run} --continue`,
  about: "A merge goes on where it began: on the same branch of the same working tree.",
});

export const mergeFailed = defineError("RUN_MERGE_FAILED", {
  message: (details: { run: string; action: string; reason: string; hasBegun: boolean }) =>
    `git could not ${details.action}: ${details.reason}`,
  hint: ({ run, hasBegun }) =>
    hasBegun
      ? `correct that, then: troupe merge ${run} --continue`
      : "nothing was merged yet: correct that, and merge again",
  about:
    "git refused for another reason than a conflict: files that nobody follows are in the way, another git is at work, or the disk is full. Nothing was removed.",
});

export const mergeScattered = defineError("RUN_MERGE_SCATTERED", {
  message: (details: { run: string; roots: readonly string[] }) =>
    `the branches of ${details.run} are in several repositories: ${details.roots.join(", ")}`,
  hint: ({ run }) => `merge them by hand, in each of them: git merge troupe/${run}/AGENT`,
  about: "`troupe merge` works on one repository.",
});

export const mergeStateBroken = defineError("RUN_MERGE_STATE_BROKEN", {
  message: (details: { path: string; problem: string }) =>
    `${details.path} does not say how far the merge is: ${details.problem}`,
  hint: () => "finish or abort what git is doing, remove that file, and merge again",
  about:
    "How far a merge is stands in the directory of its run. The file was changed by somebody else.",
});
