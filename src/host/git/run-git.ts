import { StringDecoder } from "node:string_decoder";
import type { CommandResult, Host } from "../../contracts/host.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { diskFull, diskReadOnly, gitFailed } from "../system/errors.ts";

/** What git needs of a host. */
export type GitPorts = Pick<Host, "run" | "baseEnv">;

/** One call of git. */
export interface GitCall {
  readonly cwd: string;
  /** A command of git's plumbing and its arguments. */
  readonly args: readonly string[];
  /** Variables beyond the standing ones. */
  readonly env: { readonly [name: string]: string };
  readonly stdin?: string;
  readonly onStdout?: (text: string) => void;
  /** Defaults to 64 Mi. */
  readonly maxOutputChars?: number;
}

// Writing a large repository to disk takes its time; a pipe in the place of a file would take forever.
const TIMEOUT_MS = 120_000;
const MOST_CHARS = 64 * 1024 * 1024;
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.attributesFile", "/dev/null"],
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "all"],
  ["diff.submodule", "short"],
  ["protocol.allow", "never"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["core.quotePath", "false"],
];

/** Runs git with an environment made from nothing. Raises HOST_COMMAND_NOT_FOUND, HOST_SPAWN_FAILED. */
export function runGit(host: GitPorts, call: GitCall): Promise<CommandResult> {
  const { cwd, args, stdin, onStdout, maxOutputChars = MOST_CHARS } = call;
  const settings = SETTINGS.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const decoder = new StringDecoder("utf8");
  const onOutput = (stream: "stdout" | "stderr", chunk: Uint8Array) => {
    if (stream === "stdout") onStdout?.(decoder.write(chunk));
  };
  const request = {
    command: ["git", "--no-pager", ...settings, ...args],
    ...{ cwd, env: environment(host, call), maxOutputChars, timeoutMs: TIMEOUT_MS },
    ...(stdin === undefined ? {} : { stdin }),
    ...(onStdout === undefined ? {} : { onOutput }),
  };
  // It ends by itself or by its timeout; the port has no signal.
  return host.run(request, new AbortController().signal);
}

/** As runGit, where git has to work. Raises HOST_GIT_FAILED, HOST_DISK_FULL, HOST_DISK_READ_ONLY. */
export async function mustRunGit(host: GitPorts, call: GitCall): Promise<CommandResult> {
  const result = await runGit(host, call);
  if (result.exitCode === 0) return result;
  throw gitFailure(call, result);
}

/** What git answered in place of doing its work. */
function gitFailure({ cwd, args }: GitCall, result: CommandResult): TroupeError {
  const ended = result.timedOut ? `no answer in ${TIMEOUT_MS} ms` : `exit ${result.exitCode}`;
  const reason = result.stderr.trim() || ended;
  const failure = gitFailed({ cwd, action: args[0] ?? "", reason });
  const cause = { cause: failure };
  // It is asked in the language of the C locale.
  if (/No space left on device|Disk quota exceeded/.test(reason))
    return diskFull({ path: cwd }, cause);
  if (/Read-only file system/.test(reason)) return diskReadOnly({ path: cwd }, cause);
  return failure;
}

function environment(host: GitPorts, { env }: GitCall): { readonly [name: string]: string } {
  const { PATH: path } = host.baseEnv({});
  return {
    ...(path === undefined ? {} : { PATH: path }),
    HOME: "/dev/null",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: ":",
    ...env,
  };
}
