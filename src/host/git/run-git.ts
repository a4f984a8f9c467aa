import { statfsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { CommandResult, Host } from "../../contracts/host.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { diskFull, diskReadOnly, gitFailed } from "../system/errors.ts";
import { exactText, quotedName } from "./exact-names.ts";

/** What git needs of a host. */
export type GitPorts = Pick<Host, "run" | "baseEnv">;

/** One call of git. */
export interface GitCall {
  readonly cwd: string;
  /** A command of git's plumbing and its arguments. */
  readonly args: readonly string[];
  /** Variables beyond the standing ones. */
  readonly env: { readonly [name: string]: string };
  readonly stdin?: string | undefined;
  readonly onStdout?: (text: string) => void;
  /** Defaults to 64 Mi. */
  readonly maxOutputChars?: number;
  /** Whether names that are no UTF-8 come out and go in as they are, see exact-names.ts. */
  readonly hasExactNames?: boolean;
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
export async function runGit(host: GitPorts, call: GitCall): Promise<CommandResult> {
  const { cwd, onStdout, maxOutputChars = MOST_CHARS, hasExactNames = false } = call;
  const { args, stdin } = hasExactNames ? withQuotedNames(call) : call;
  const settings = SETTINGS.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const decoder = new StringDecoder("utf8");
  const kept: Uint8Array[] = [];
  const onOutput = (stream: "stdout" | "stderr", chunk: Uint8Array) => {
    if (stream !== "stdout") return;
    onStdout?.(decoder.write(chunk));
    if (hasExactNames) kept.push(Uint8Array.from(chunk));
  };
  const request = {
    command: ["git", "--no-pager", ...settings, ...args],
    ...{ cwd, env: environment(host, call), maxOutputChars, timeoutMs: TIMEOUT_MS },
    ...(stdin === undefined ? {} : { stdin }),
    ...(onStdout === undefined && !hasExactNames ? {} : { onOutput }),
  };
  // It ends by itself or by its timeout; the port has no signal.
  const result = await host.run(request, new AbortController().signal);
  const isExact = result.stdoutTruncated || !result.stdout.includes(REPLACED);
  return isExact || !hasExactNames ? result : { ...result, stdout: exactText(Buffer.concat(kept)) };
}

/** What stands for bytes that are no text. */
const REPLACED = "\u{fffd}";

/** A list for git that holds names which are no UTF-8, as lines: text is all that can be given. */
function withQuotedNames({ args, stdin }: GitCall): Pick<GitCall, "args" | "stdin"> {
  if (stdin === undefined || stdin.isWellFormed() || !args.includes("-z")) return { args, stdin };
  const lines = stdin.split("\0").filter((line) => line !== "");
  const quoted = lines.map((line) => {
    const begin = line.indexOf("\t") + 1;
    const isEntry = /^[0-7]+ [0-9a-f]{40}/.test(line);
    return isEntry
      ? `${line.slice(0, begin)}${quotedName(line.slice(begin))}\n`
      : `${quotedName(line)}\n`;
  });
  return { args: args.filter((arg) => arg !== "-z"), stdin: quoted.join("") };
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
  const isFull =
    /No space left on device|Disk quota exceeded/.test(reason) ||
    // Of a file that it cannot check out git gives no cause.
    (/unable to write file/.test(reason) && isNearlyFull(cwd));
  if (isFull) return diskFull({ path: cwd }, cause);
  if (/Read-only file system/.test(reason)) return diskReadOnly({ path: cwd }, cause);
  return failure;
}

const NEARLY_FULL_BYTES = 1024 * 1024;

function isNearlyFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < NEARLY_FULL_BYTES;
  } catch {
    return false;
  }
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
