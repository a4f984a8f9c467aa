import type { MergeConflict } from "./merge-work.ts";

/** What an agent is told that is to resolve a conflict. File names are those of agents: they are quoted. */
export function conflictTask({ agent, branch, run, files }: MergeConflict): string {
  return [
    `A git merge is under way in this directory and has conflicts. Branch ${branch} holds the work of agent ${agent} of run ${run}; the checked out branch holds what was merged before.`,
    "",
    "Files in conflict:",
    ...files.map((path) => `- ${JSON.stringify(path)}`),
    "",
    "Resolve them so that the intention of both sides is kept, and remove all conflict markers. Look at both sides with `git log -p HEAD...MERGE_HEAD -- FILE`. Change nothing else. Do not commit, do not abort the merge, do not switch branches: that is done for you afterwards.",
    "",
    "When no marker is left, end with a line that starts with `DONE:` and says how you resolved them. If the two sides contradict each other so that a person has to decide, end with `BLOCKED:` and the question.",
  ].join("\n");
}
