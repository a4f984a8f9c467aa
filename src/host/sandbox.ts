import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { Confinement } from "../contracts/host.ts";
import { type ResolveName, resolveByMachine } from "./egress/dial-target.ts";
import { behindForwarder } from "./egress/forwarder.ts";
import { serveEgress } from "./egress/serve-egress.ts";
import { sandboxUnavailable } from "./errors.ts";
import { findProgram } from "./find-program.ts";
import type { ProcessTable } from "./process-entry.ts";
import { holdPath } from "./sandbox-holds.ts";
import { isBelow, type PathFacts, planMounts, type SandboxMount } from "./sandbox-mounts.ts";
import { systemErrorCode } from "./system-error.ts";

// Confines programs by bubblewrap, which makes them a world of their own out of mounts and namespaces.
// B1: no program is ever started with less than was asked for; where that is impossible nothing starts.
// B2: the program that confines comes from Troupe's own PATH, never from that of an agent.
// B4: the only network is the line to this process, which decides on every connection.
// B3: ending the outermost process ends all that is inside: it is the parent of their process namespace.

/** A program with its arguments, as it is started inside its bounds. */
export interface ConfinedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Takes the outer end of descriptor 3 of the program, its only network; absent: it has none. */
  serveNetwork?(line: Duplex): void;
  /** Gives back what was taken for as long as the program runs. Idempotent. */
  release(): void;
}

/** What is to be confined. */
export interface ConfineRequest {
  readonly confine: Confinement;
  /** Absolute file of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

/** Confines programs, if this machine can. */
export interface Sandbox {
  /** Raises HOST_SANDBOX_UNAVAILABLE. */
  confine(request: ConfineRequest): Promise<ConfinedProgram>;
}

const PROBE_MS = 10_000;
const FLAGS = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"];
const WORLD = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

const REAL_PATHS: PathFacts = { resolve: realPlace, exists: existsSync };

/** What a sandbox is made of. */
export interface SandboxOptions {
  /** The PATH of this process. */
  readonly path: string | undefined;
  readonly table: ProcessTable;
  /** Defaults to what this machine does. */
  readonly resolveName?: ResolveName | undefined;
}

/** The sandbox of this machine. Looks for nothing before the first program. */
export function createSandbox({
  path,
  table,
  resolveName = resolveByMachine,
}: SandboxOptions): Sandbox {
  let probe: Promise<string> | undefined;
  return {
    confine: async ({ confine, file, args, cwd, env }) => {
      probe ??= findSandbox(path);
      const sandbox = await probe;
      const mounts = planMounts(confine, REAL_PATHS);
      const { held, release } = holdAbsent(mounts, confine, table);
      const { network, onRefused } = confine;
      const forwarded =
        network === "none" ? undefined : behindForwarder({ file, args, env }, network);
      const inner = forwarded ?? { file, args, readable: [], unset: [] };
      const present = mounts.filter(({ path: each }) => held.has(each) || existsSync(each));
      return {
        file: sandbox,
        args: [
          ...FLAGS,
          "--unshare-net",
          ...WORLD,
          ...present.flatMap(toArguments),
          ...(isWritable(env["TMPDIR"], confine) ? [] : ["--setenv", "TMPDIR", "/tmp"]),
          ...inner.readable.flatMap((each) => ["--ro-bind", each, each]),
          ...inner.unset.flatMap((name) => ["--unsetenv", name]),
          ...["--chdir", cwd, "--", inner.file],
          ...inner.args,
        ],
        ...(network === "none"
          ? {}
          : {
              serveNetwork: (line: Duplex) =>
                serveEgress(line, {
                  reach: network,
                  resolveName,
                  ...(onRefused === undefined ? {} : { onRefused }),
                }),
            }),
        release,
      };
    },
  };
}

/** The file of bubblewrap, tried out. Raises HOST_SANDBOX_UNAVAILABLE. */
export async function findSandbox(path: string | undefined): Promise<string> {
  if (process.platform !== "linux")
    throw sandboxUnavailable({ reason: `there is none for the platform "${process.platform}"` });
  const file = findProgram("bwrap", path === undefined ? {} : { PATH: path }, "/");
  if (file === undefined)
    throw sandboxUnavailable({ reason: "bubblewrap (bwrap) is not installed" });
  const problem = await tryOut(file);
  if (problem !== undefined) throw sandboxUnavailable({ reason: problem });
  return file;
}

/** Confines a program that does nothing; what went wrong, if anything did. */
function tryOut(file: string): Promise<string | undefined> {
  const args = [...FLAGS, "--unshare-net", ...WORLD, "--", "/bin/sh", "-c", ":"];
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, timeout: PROBE_MS }, (error, _, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(`bubblewrap does not work here: ${stderr.trim() || error.message}`);
    });
  });
}

/** Puts something where something is to be protected that is not there. */
function holdAbsent(
  mounts: readonly SandboxMount[],
  { writable }: Confinement,
  table: ProcessTable,
): { readonly held: ReadonlySet<string>; release(): void } {
  const roots = writable.map(realPlace);
  const releases = new Map<string, () => void>();
  const release = () => {
    for (const giveBack of releases.values()) giveBack();
    releases.clear();
  };
  try {
    for (const { path, access } of mounts) {
      if (access !== "readable" || !roots.some((root) => isBelow(path, root))) continue;
      const giveBack = holdPath(path, table);
      if (giveBack !== undefined) releases.set(path, giveBack);
    }
  } catch (error) {
    release();
    throw sandboxUnavailable({ reason: `a path cannot be protected: ${error}` }, { cause: error });
  }
  return { held: new Set(releases.keys()), release };
}

function toArguments({ path, access }: SandboxMount): readonly string[] {
  if (access === "writable") return ["--bind", path, path];
  if (access === "readable") return ["--ro-bind", path, path];
  return isDirectory(path) ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

function isWritable(path: string | undefined, { writable }: Confinement): boolean {
  return path !== undefined && writable.some((root) => isBelow(realPlace(path), realPlace(root)));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The path with all links resolved; what does not exist keeps its name below what does. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");
    if (!isAbsent || dirname(path) === path) throw error;
    return join(realPlace(dirname(path)), basename(path));
  }
}
