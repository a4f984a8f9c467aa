import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import { defineError } from "../../foundation/errors.ts";

const RULES: { readonly [Rule in PlaceBreach["rule"]]: string } = {
  include: "not in fileScope.include",
  exclude: "in fileScope.exclude",
  readOnly: "in readOnly",
  link: "leads out of its directory",
  obeyed: "obeyed by programs outside",
  stash: "of all worktrees",
  branch: "of its worktree",
  outside: "outside its worktree",
  network: "not within its reach",
};

export const constraintBreached = defineError("AGENT_CONSTRAINT_BREACHED", {
  message: (details: { agent: string; breaches: readonly PlaceBreach[]; more: number }) => {
    const listed = details.breaches.map(({ path, rule }) => `${path} (${RULES[rule]})`);
    const rest = details.more > 0 ? [`${details.more} more`] : [];
    return `agent "${details.agent}" changed what its constraints protect: ${[...listed, ...rest].join(", ")}`;
  },
  hint: () =>
    "look at the files and undo what should not be; if others work in the same directory, give the agent isolation: worktree",
  about:
    "The files were compared before and after the turn. What `constraints` do not allow was changed, so the step failed; the changes are still there. Only the difference is known, not who made it: agents that work side by side in one directory are answerable for each other.",
});

export const constraintUnverifiable = defineError("AGENT_CONSTRAINT_UNVERIFIABLE", {
  message: (details: { agent: string; directory: string; reason: string }) =>
    `the constraints of agent "${details.agent}" cannot be checked in ${details.directory}: ${details.reason}`,
  hint: () => "make it a git repository, with an ignore list for what nobody has to look at",
  about:
    "Constraints on files are checked by comparing them before and after a turn. Where that is impossible the turn is not taken.",
});

export const worktreeImpossible = defineError("AGENT_WORKTREE_IMPOSSIBLE", {
  message: (details: { agent: string; directory: string; reason: string }) =>
    `agent "${details.agent}" cannot have a worktree of ${details.directory}: ${details.reason}`,
  hint: ({ reason }) => wayToWorktree(reason),
  about:
    "`isolation: worktree` gives an agent a working tree of git on a branch of its own. That needs a repository with a working tree and at least one commit, and a run that keeps files.",
});

export const worktreeFailed = defineError("AGENT_WORKTREE_FAILED", {
  message: (details: {
    agent: string;
    run: string;
    branch: string;
    path: string;
    reason: string;
  }) => `agent "${details.agent}" has no worktree on branch ${details.branch}: ${details.reason}`,
  hint: ({ run, branch, path }) =>
    `look at ${path} and at branch ${branch} (git log ${branch}), then run the step again: troupe rerun ${run} --failed`,
  about:
    "The worktree of an agent could not be made, or it is gone: somebody removed its directory or what the repository records about it. The step of that agent fails, and the other steps go on. Troupe does not make a worktree again in which an agent has already worked, because what was not committed there would be missing without a word.",
});

function wayToWorktree(reason: string): string {
  if (reason.includes("commit")) return "commit what is there: git add -A && git commit";
  if (reason.includes("branch")) return "give that branch another name: git branch -m OLD NEW";
  return "work in a git repository, or give the agent isolation: sandbox or a cwd of its own";
}

export const sandboxImpossible = defineError("AGENT_SANDBOX_IMPOSSIBLE", {
  message: (details: { agent: string; reason: string }) =>
    `agent "${details.agent}" cannot be confined as it should: ${details.reason}`,
  hint: () =>
    "give the agent another backend, directory or isolation; --unsandboxed starts it without bounds",
  about:
    "`isolation: sandbox` bounds the processes of an agent. An agent without processes has nothing that could be bounded, and one whose program asks a model over the network cannot do without it. A program that was not shown to work in a sandbox is refused by its backend's name. A directory that holds the home cannot be let in while the home is hidden, and a link in place of `.git`, `.claude` or the like could be replaced by what programs outside would obey.",
});
