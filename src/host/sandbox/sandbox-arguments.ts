import { existsSync, statSync } from "node:fs";
import type { Confinement } from "../../contracts/host.ts";
import { sandboxUnavailable } from "../system/errors.ts";
import { realPlace } from "./real-paths.ts";
import { FIRST_SLOT } from "./sandbox-descriptors.ts";
import { isBelow, type SandboxMount, SCRATCH_DIRECTORY } from "./sandbox-mounts.ts";
import {
  COVERED_PROC_DIRECTORIES,
  COVERED_PROC_FILES,
  ownFiles,
  sandboxUser,
} from "./sandbox-system.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** What is to be confined. */
export interface ConfineRequest {
  readonly confine: Confinement;
  /** Absolute file of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Variables of `env` that the file itself does not see. Defaults to none. */
  readonly unset?: readonly string[];
}

/** How bubblewrap is started. */
export interface SandboxArguments {
  readonly args: readonly string[];
  /** What it reads from its descriptors from `FIRST_SLOT` on. */
  readonly contents: readonly (string | Buffer)[];
}

const FLAGS = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  // No namespaces inside: most ways out of a kernel begin in one.
  "--disable-userns",
  ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
];
const SCRATCH_BYTES = 1024 ** 3;
/** Leads to the other one, so that both together have one bound. */
const SECOND_SCRATCH = "/var/tmp";
// Bubblewrap leaves /proc/sys writable for root, whatever namespace its user is in.
const PROC = ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"];
const DEVICES = ["--dev", "/dev", ...space("/dev/shm")];

/** The arguments of bubblewrap for a program that sees these mounts, and what it reads beside them. Raises HOST_SANDBOX_UNAVAILABLE. */
export function sandboxArguments(
  { confine, file, args, cwd, env, unset = [] }: ConfineRequest,
  mounts: readonly SandboxMount[],
): SandboxArguments {
  const user = sandboxUser(env);
  const filter = seccompFilter(confine.sockets.length > 0);
  if (filter === undefined)
    throw sandboxUnavailable({ reason: `no filter of calls is known for ${process.arch}` });
  const files = Object.entries(ownFiles(user));
  // A project or a program in it needs a real directory there.
  const hasLinkedScratch = !mounts.some(({ path }) => isBelow(path, SECOND_SCRATCH));
  return {
    args: [
      ...FLAGS,
      ...["--uid", String(user.uid), "--gid", String(user.gid)],
      "--unshare-net",
      ...PROC,
      ...coveredProc(),
      ...DEVICES,
      ...(hasLinkedScratch ? [] : space(SECOND_SCRATCH)),
      ...mounts.flatMap(toArguments),
      ...(hasLinkedScratch ? ["--symlink", SCRATCH_DIRECTORY, SECOND_SCRATCH] : []),
      ...files.flatMap(([path], index) => ["--ro-bind-data", String(FIRST_SLOT + 1 + index), path]),
      // What is not a mount of its own is memory without a bound.
      ...emptied(mounts).flatMap((path) => ["--remount-ro", path]),
      ...["--seccomp", String(FIRST_SLOT)],
      ...variables(env, confine.writable),
      ...unset.flatMap((name) => ["--unsetenv", name]),
      ...["--chdir", cwd, "--", file],
      ...args,
    ],
    contents: [filter, ...files.map(([, text]) => text)],
  };
}

function toArguments(mount: SandboxMount): readonly string[] {
  if (mount.access === "writable") return ["--bind", mount.source, mount.path];
  if (mount.access === "readable") return ["--ro-bind", mount.source, mount.path];
  if (mount.access === "link") return ["--symlink", mount.target, mount.path];
  if (mount.access === "private") return space(mount.path);
  return isDirectory(mount.path) ? nothing(mount.path) : ["--ro-bind", "/dev/null", mount.path];
}

/** What nothing may be put into, once all that lies in it is there. */
function emptied(mounts: readonly SandboxMount[]): readonly string[] {
  const hidden = mounts.filter(({ access, path }) => access === "hidden" && isDirectory(path));
  return [...hidden.map(({ path }) => path), ...coveredDirectories(), "/dev", "/"];
}

function coveredDirectories(): readonly string[] {
  return COVERED_PROC_DIRECTORIES.filter(existsSync);
}

function coveredProc(): readonly string[] {
  return [
    ...COVERED_PROC_FILES.filter(existsSync).flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...coveredDirectories().flatMap(nothing),
  ];
}

function variables(env: ConfineRequest["env"], writable: readonly string[]): readonly string[] {
  const { TMPDIR: scratch } = env;
  const isThere =
    scratch !== undefined && writable.some((root) => isBelow(realPlace(scratch), realPlace(root)));
  return [
    ...(isThere ? [] : ["--setenv", "TMPDIR", SCRATCH_DIRECTORY]),
    // Git would refresh its index, which it cannot write.
    ...["--setenv", "GIT_OPTIONAL_LOCKS", "0"],
  ];
}

function space(path: string): readonly string[] {
  return ["--size", String(SCRATCH_BYTES), "--tmpfs", path];
}

function nothing(path: string): readonly string[] {
  return ["--size", "65536", "--tmpfs", path];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
