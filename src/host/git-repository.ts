import { type GitPorts, git, mustGit, topLevel } from "./git.ts";

/** A repository as it is found around a directory. */
export interface Repository {
  /** Of the working tree, absolute. */
  readonly root: string;
  /** What all working trees of the repository share, absolute. */
  readonly commonDirectory: string;
  /** Of the commit that is checked out; undefined before the first one. */
  readonly commit: string | undefined;
  /** Undefined when no branch is checked out. */
  readonly branch: string | undefined;
  readonly hasSubmodules: boolean;
}

// Large repositories take their time to be written to disk.
const WRITING_MS = 600_000;

const ASKED = "^(user[.](name|email)|(filter|merge)[.].*[.](clean|smudge|process|driver))$";
const IDENTITY = {
  GIT_AUTHOR_NAME: "Troupe",
  GIT_AUTHOR_EMAIL: "troupe@localhost",
  GIT_COMMITTER_NAME: "Troupe",
  GIT_COMMITTER_EMAIL: "troupe@localhost",
};

/** The repository around a directory; undefined where there is none, or none with a working tree. Raises HOST_GIT_FAILED. */
export async function readRepository(host: GitPorts, cwd: string): Promise<Repository | undefined> {
  const root = await topLevel(host, cwd);
  if (root === undefined) return undefined;
  const common = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const [shared, listed, commit, branch] = await Promise.all([
    mustGit(host, root, common),
    git(host, root, ["ls-files", "-z", "--", ":(top,literal).gitmodules"]),
    readCommit(host, root, "HEAD"),
    readBranch(host, root),
  ]);
  const commonDirectory = shared.stdout.replace(/\n$/, "");
  return { root, commonDirectory, commit, branch, hasSubmodules: listed.stdout !== "" };
}

/** The id of the commit that a name stands for; undefined when there is none. */
export async function readCommit(
  host: GitPorts,
  cwd: string,
  name: string,
): Promise<string | undefined> {
  const args = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`];
  const found = await git(host, cwd, args);
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

/** The branch that a working tree has checked out; undefined when it is none. */
export async function readBranch(host: GitPorts, cwd: string): Promise<string | undefined> {
  const found = await git(host, cwd, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

/** Whether everything of one commit is part of another. */
export async function isAncestor(
  host: GitPorts,
  cwd: string,
  { of, commit }: { readonly of: string; readonly commit: string },
): Promise<boolean> {
  return (await git(host, cwd, ["merge-base", "--is-ancestor", commit, of])).exitCode === 0;
}

/**
 * Git for where it writes files: filters and merge drivers that only the repository's own configuration
 * names are off, because whoever works in it may have written them. A file with such a driver conflicts when both
 * sides changed it. Commits are Troupe's where nobody else's name is configured. Raises HOST_GIT_FAILED.
 */
export async function writingPorts(host: GitPorts, cwd: string): Promise<GitPorts> {
  const args = ["config", "--null", "--show-scope", "--get-regexp", ASKED];
  const found = toSettings((await git(host, cwd, args)).stdout);
  const ofRepository = found.filter(({ scope }) => scope === "local" || scope === "worktree");
  const programs = ofRepository.map(({ key }) => key).filter((key) => !key.startsWith("user."));
  const settings: readonly (readonly [string, string])[] = [
    ["commit.gpgSign", "false"],
    ["gc.auto", "0"],
    ...programs.flatMap(withoutProgram),
  ];
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const isSomebody = ["user.name", "user.email"].every((key) =>
    found.some((setting) => setting.key === key && setting.value !== ""),
  );
  return withVariables(host, {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
    GIT_EDITOR: ":",
    ...(isSomebody ? {} : IDENTITY),
  });
}

/** Git with variables of its own, and with time for what takes long. */
export function withVariables(
  host: GitPorts,
  variables: { readonly [name: string]: string },
): GitPorts {
  return {
    baseEnv: host.baseEnv,
    run: (request, signal) => {
      const env = { ...request.env, ...variables };
      return host.run({ ...request, env, timeoutMs: WRITING_MS }, signal);
    },
  };
}

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** Git prints the scope, then key and value with a line break between, with NUL after each of the two. */
function toSettings(output: string): readonly Setting[] {
  const parts = output.split("\0");
  const settings: Setting[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key = "", ...value] = (parts[index + 1] ?? "").split("\n");
    settings.push({ scope: parts[index] ?? "", key, value: value.join("\n") });
  }
  return settings;
}

function withoutProgram(key: string): readonly (readonly [string, string])[] {
  // An empty driver would silently take one side; one that fails makes a conflict.
  if (key.startsWith("merge.")) return [[key, "false"]];
  return [
    [key, ""],
    [key.replace(/[^.]+$/, "required"), "false"],
  ];
}
