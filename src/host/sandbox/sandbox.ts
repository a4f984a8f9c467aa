import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { Duplex } from "node:stream";
import type { Confinement } from "../../contracts/host.ts";
import { packageFile } from "../../foundation/package-file.ts";
import { type ResolveName, resolveByMachine } from "../egress/dial-target.ts";
import { behindForwarder } from "../egress/forwarder.ts";
import { serveEgress } from "../egress/serve-egress.ts";
import { sandboxUnavailable } from "../system/errors.ts";
import { findProgram, searchedDirectories } from "../system/find-program.ts";
import type { ProcessTable } from "../system/process-entry.ts";
import { CREDENTIAL_PLACES } from "./credential-places.ts";
import { realPaths, realPlace } from "./real-paths.ts";
import { type ConfineRequest, sandboxArguments } from "./sandbox-arguments.ts";
import { type DescriptorSlot, type Descriptors, openDescriptors } from "./sandbox-descriptors.ts";
import { holdPath } from "./sandbox-holds.ts";
import { isBelow, type LetIn, planMounts, type SandboxMount } from "./sandbox-mounts.ts";
import { SYSTEM_DIRECTORIES, SYSTEM_FILES } from "./sandbox-system.ts";
import { type ToolSearch, toolPaths } from "./tool-directories.ts";

// Confines programs by bubblewrap, which makes them a world of their own out of mounts and namespaces.
// B1: no program is ever started with less than was asked for; where that is impossible nothing starts.
// B2: the program that confines comes from Troupe's own PATH, never from that of an agent.
// B3: ending the outermost process ends all that is inside: it is the parent of their process namespace.
// B4: what nobody named is not there: the world begins empty.
// B6: the only network is the line to this process, which decides on every connection.
// B5: it inherits the agent's environment and the named descriptors, for its processes can read both.

/** A program with its arguments, as it is started inside its bounds. */
export interface ConfinedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** What it is started with from descriptor 3 on. */
  readonly slots: readonly DescriptorSlot[];
  /** Lets go of what only starting it needs. Idempotent. */
  started(): void;
  /** Takes the outer end of descriptor 3 of the program, its only network; absent: it has none. */
  serveNetwork?(line: Duplex): void;
  /** Gives back what was taken for as long as the program runs. Idempotent. */
  release(): void;
}

/** Confines programs, if this machine can. */
export interface Sandbox {
  /** Raises HOST_SANDBOX_UNAVAILABLE. */
  confine(request: ConfineRequest): Promise<ConfinedProgram>;
}

type ToolFinder = (search: ToolSearch) => readonly string[];

const PROBE_MS = 10_000;

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
  const known = new Map<string, readonly string[]>();
  // Looking takes tens of milliseconds, and what is installed seldom changes during a run.
  const toolsFor: ToolFinder = (search) => {
    const key = JSON.stringify(search);
    const found = known.get(key) ?? toolPaths(search, realPaths);
    known.set(key, found);
    return found;
  };
  return {
    confine: async (request) => {
      probe ??= findSandbox(path);
      const sandbox = await probe;
      return confineBy(sandbox, request, { table, toolsFor, resolveName });
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
  if (problem !== undefined)
    throw sandboxUnavailable({ reason: `bubblewrap does not work here: ${problem}` });
  return file;
}

/** Confines a program that does nothing; what went wrong, if anything did. */
async function tryOut(file: string): Promise<string | undefined> {
  const nothing = { writable: [], readOnly: [], hidden: [], sockets: [], scratch: [] };
  const confine = { ...nothing, home: "/nonexistent", cache: undefined, network: "none" } as const;
  const request = { confine, file: "/bin/sh", args: ["-c", ":"], cwd: "/", env: {} };
  const search: ToolFinder = (tools) => toolPaths(tools, realPaths);
  const mounts = planMounts(confine, letIn(request, search), realPaths);
  const { slots, args, close } = inBounds(request, mounts);
  const child = spawn(file, args, {
    env: {},
    stdio: ["ignore", "ignore", "pipe", ...slots],
    timeout: PROBE_MS,
  });
  close();
  let printed = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : printed.trim() || `it ended with ${signal ?? code}`);
    });
  });
}

interface ConfiningParts {
  readonly table: ProcessTable;
  readonly toolsFor: ToolFinder;
  readonly resolveName: ResolveName;
}

function confineBy(
  sandbox: string,
  request: ConfineRequest,
  { table, toolsFor, resolveName }: ConfiningParts,
): ConfinedProgram {
  const { confine } = request;
  const { network, onRefused } = confine;
  const forwarded = network === "none" ? undefined : behindForwarder(request, network);
  const world = letIn(request, toolsFor);
  const readable = [...world.readable, ...(forwarded?.readable ?? [])];
  const mounts = planMounts(confine, { ...world, readable }, realPaths);
  const { held, release } = holdAbsent(mounts, confine, table);
  try {
    const present = mounts.filter((mount) => isPresent(mount, held));
    const { args, slots, close } = inBounds({ ...request, ...forwarded }, present);
    const program = { file: sandbox, args, slots, started: close, release };
    if (network === "none") return program;
    const told = onRefused === undefined ? {} : { onRefused };
    return {
      ...program,
      slots: ["pipe", ...slots.slice(1)],
      serveNetwork: (line) => serveEgress(line, { reach: network, resolveName, ...told }),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The arguments and descriptors with which bubblewrap confines a program to these mounts. */
function inBounds(
  request: ConfineRequest,
  mounts: readonly SandboxMount[],
): Descriptors & { readonly args: readonly string[] } {
  const { args, contents } = sandboxArguments(request, mounts);
  return { ...openDescriptors(contents), args };
}

/** What is let in for every program: the system, the programs of PATH, Troupe's own; and an empty home. */
function letIn({ confine, env, file }: ConfineRequest, toolsFor: ToolFinder): LetIn {
  const { HOME: home = confine.home } = env;
  const homes = [...new Set([confine.home, home, homedir()])].filter((each) => each !== "/");
  const tools = toolsFor({
    directories: searchedDirectories(env),
    programs: [file, process.execPath],
    homes: homes.map(realPlace),
  });
  return {
    readable: [
      ...SYSTEM_DIRECTORIES,
      ...SYSTEM_FILES.map(({ path }) => path),
      ...tools,
      ...ownPackage(),
    ].filter(existsSync),
    empty: [...new Set([confine.home, home])].filter((each) => each !== "/"),
    hidden: homes.flatMap((each) => CREDENTIAL_PLACES.map((place) => `${each}/${place}`)),
  };
}

/** Troupe itself, whose commands agents use, with the packages beside it. */
function ownPackage(): readonly string[] {
  const directory = realPlace(packageFile(""));
  const [packages = directory] = /^.*?\/node_modules(?=\/)/.exec(directory) ?? [];
  return [packages];
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

function isPresent(mount: SandboxMount, held: ReadonlySet<string>): boolean {
  if (mount.access === "private" || mount.access === "link") return true;
  const source = mount.access === "hidden" ? mount.path : mount.source;
  return held.has(source) || existsSync(source);
}
