import type { CommandRequest, CommandResult, Git, Host } from "../contracts/host.ts";
import { TroupeError } from "../foundation/errors.ts";
import { sha256 } from "../foundation/hash.ts";
import { commandNotFound, gitFailed } from "./errors.ts";
import { fingerprintFile } from "./file-fingerprint.ts";

const TIMEOUT_MS = 60_000;
const MOST_DIFF_CHARS = 1024 * 1024;
const MOST_STATUS_CHARS = 64 * 1024 * 1024;
// A repository may name programs of its own in many places; none of them may run.
const SAFE_SETTINGS = [
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.fsmonitor="],
  ...["-c", "core.quotePath=false"],
  "--no-pager",
];
const NO_REPOSITORY = /not a git repository|must be run in a work tree/;

/** What git needs of a host. */
export type GitPorts = Pick<Host, "run" | "baseEnv">;

/** Git by the `git` program. Where it is not installed nothing is a repository. Raises HOST_GIT_FAILED. */
export function createGit(host: GitPorts): Git {
  return {
    branch: async (cwd) => {
      if ((await topLevel(host, cwd)) === undefined) return undefined;
      const result = await git(host, cwd, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
      // A detached HEAD is on no branch.
      return result.exitCode === 0 ? result.stdout.trim() : "HEAD";
    },
    diff: async (cwd) => {
      const root = await topLevel(host, cwd);
      return root === undefined ? undefined : diffOf(host, root);
    },
    fingerprint: async (cwd) => {
      const root = await topLevel(host, cwd);
      return root === undefined ? undefined : fingerprintOf(host, root);
    },
  };
}

async function diffOf(host: GitPorts, root: string): Promise<string> {
  const head = await git(host, root, ["rev-parse", "--quiet", "--verify", "HEAD"]);
  // Before the first commit everything is new: the comparison is with a directory without files.
  const base =
    head.exitCode === 0
      ? "HEAD"
      : (await mustGit(host, root, ["hash-object", "-t", "tree", "/dev/null"])).stdout.trim();
  const flags = ["--no-ext-diff", "--no-textconv", "--no-color"];
  const diff = await mustGit(host, root, ["diff", ...flags, base, "--"]);
  const listed = await mustGit(host, root, ["ls-files", "--others", "--exclude-standard", "-z"]);
  const cut = diff.stdoutTruncated ? "[the beginning of this diff was cut off]\n" : "";
  const untracked = listed.stdout.split("\0").filter((path) => path !== "");
  return cut + diff.stdout + untracked.map((path) => `untracked: ${path}\n`).join("");
}

/** HEAD, what git sees as changed, and the content of that. */
async function fingerprintOf(host: GitPorts, root: string): Promise<string> {
  const flags = ["--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames"];
  const seen = ["--untracked-files=all", "--ignore-submodules=none"];
  const status = await mustGit(host, root, ["status", ...flags, ...seen]);
  const parts: string[] = [];
  for (const record of status.stdout.split("\0")) {
    // What the branch is compared with changes by a fetch, which changes nothing here.
    if (/^# branch\.(upstream|ab) /.test(record)) continue;
    const path = changedPath(record);
    parts.push(record, path === undefined ? "" : await fingerprintFile(root, path));
  }
  return sha256(parts.join("\0"));
}

/** The path in a record of `git status --porcelain=v2`: the last field, and the only one with spaces. */
function changedPath(record: string): string | undefined {
  return /^(?:1 (?:\S+ ){7}|u (?:\S+ ){9}|\? )(.+)$/s.exec(record)?.[1];
}

/** The root of the working tree around a directory; undefined outside a repository and without git. */
export async function topLevel(host: GitPorts, cwd: string): Promise<string | undefined> {
  let result: CommandResult;
  try {
    result = await git(host, cwd, ["rev-parse", "--show-toplevel"]);
  } catch (error) {
    if (error instanceof TroupeError && error.code === commandNotFound.code) return undefined;
    throw error;
  }
  if (result.exitCode === 0) return result.stdout.replace(/\n$/, "");
  if (NO_REPOSITORY.test(result.stderr)) return undefined;
  throw failure(cwd, "rev-parse", result);
}

/** Runs git where it has to work. Raises HOST_GIT_FAILED. */
export async function mustGit(
  host: GitPorts,
  cwd: string,
  args: readonly string[],
): Promise<CommandResult> {
  const result = await git(host, cwd, args);
  if (result.exitCode === 0) return result;
  throw failure(cwd, args[0] ?? "", result);
}

function failure(cwd: string, action: string, result: CommandResult): TroupeError {
  const ended = result.timedOut ? `no answer in ${TIMEOUT_MS} ms` : `exit ${result.exitCode}`;
  return gitFailed({ cwd, action, reason: result.stderr.trim() || ended });
}

/** As mustGit, for output of any length, handed out as it comes. Raises HOST_GIT_FAILED. */
export async function streamGit(
  host: GitPorts,
  { cwd, args, onStdout }: GitCall & { readonly onStdout: (text: string) => void },
): Promise<void> {
  const onOutput = (stream: "stdout" | "stderr", text: string) => {
    if (stream === "stdout") onStdout(text);
  };
  const result = await runGit(host, { cwd, args }, { onOutput });
  if (result.exitCode !== 0) throw failure(cwd, args[0] ?? "", result);
}

/** Runs git without anything that a repository could make it run. */
export function git(host: GitPorts, cwd: string, args: readonly string[]): Promise<CommandResult> {
  return runGit(host, { cwd, args }, {});
}

interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
}

function runGit(
  host: GitPorts,
  { cwd, args }: GitCall,
  output: Pick<CommandRequest, "onOutput">,
): Promise<CommandResult> {
  const env = host.baseEnv({
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  });
  const maxOutputChars = args[0] === "diff" ? MOST_DIFF_CHARS : MOST_STATUS_CHARS;
  const command = ["git", ...SAFE_SETTINGS, ...args];
  // It ends by itself or by its timeout; the port has no signal.
  const never = new AbortController().signal;
  return host.run({ command, cwd, env, maxOutputChars, timeoutMs: TIMEOUT_MS, ...output }, never);
}
