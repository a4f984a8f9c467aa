import type { Git, Host, ResourceLimits } from "../contracts/host.ts";
import type { Clock } from "../foundation/clock.ts";
import { createSecretMasker, type SecretMasker } from "../foundation/secret-masker.ts";
import type { ResolveName } from "./egress/dial-target.ts";
import {
  allowedEnvironment,
  type EnvironmentSource,
  namedVariable,
  wholeEnvironment,
} from "./environment.ts";
import type { GitHost, GitRepositories } from "./git/git-repositories.ts";
import type { UserFilter } from "./git/user-filters.ts";
import type { ManagedProcess } from "./managed-process.ts";
import { type OutputLog, openOutputLog } from "./output-log.ts";
import { createProcessSpawner, type SpawnRequest } from "./process-spawner.ts";
import { createProcessTable } from "./process-table.ts";
import { DEFAULT_RESOURCE_LIMITS, withinCeilings } from "./resource-limits.ts";
import { runHostCommand } from "./run-command.ts";
import { type DescriptorBounds, programPlaces } from "./sandbox/program-places.ts";
import { type SealedValues, withoutTokens } from "./sealed-values.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import { createWorkspace } from "./workspace.ts";

export interface HostOptions {
  /** Run id for TROUPE_RUN; empty for work that belongs to no run. */
  readonly run: string;
  /** For timeouts and durations; ending processes always takes real time. */
  readonly clock: Clock;
  /** The environment of this process. */
  readonly env: EnvironmentSource;
  /** Names beyond the harmless ones that children may see. */
  readonly allowEnv?: readonly string[];
  /** What the tokens in variables of the run stand for. Defaults to none. */
  readonly sealed?: SealedValues;
  /** Told each time a program waits because too many files are open. Defaults to nobody. */
  readonly onShortage?: (bounds: DescriptorBounds) => void;
  /** Masks log files. Defaults to none. */
  readonly masker?: SecretMasker;
  /** What git is not to take for anybody's work, and where it keeps what it remembers. Defaults to nothing, in a temporary directory. */
  readonly git?: GitOptions;
  /** Whether a reaper watches this process. Defaults to true. */
  readonly reaper?: boolean;
  /** From SIGTERM to SIGKILL. Defaults to 2 s. */
  readonly graceMs?: number;
  /** Defaults to that of this machine. */
  readonly processTable?: ProcessTable;
  /** What each program with all that it starts may take. Defaults to what no honest build meets. */
  readonly limits?: ResourceLimits;
  /** Beyond which none can ask for more. Defaults to none. */
  readonly ceilings?: Partial<ResourceLimits>;
  /** Finds the addresses of names that confined programs ask for. Defaults to what this machine does. */
  readonly resolveName?: ResolveName;
}

/** How a host works on repositories. */
export interface GitOptions {
  /** Absolute paths that are Troupe's own. */
  readonly ownFiles: readonly string[];
  /** Absolute directory below which something may be kept until the host is closed. */
  readonly directory?: string;
  /** Whether a filter of the user's own may run on these repositories. Defaults to none. */
  readonly trustsFilter?: (filter: UserFilter) => boolean;
}

/** A host with an end, and with programs that are kept. */
export interface ProcessHost extends Host, GitHost {
  /** Starts a program and leaves it running. Raises HOST_COMMAND_NOT_FOUND, HOST_SPAWN_FAILED, HOST_CLOSED. */
  spawn(request: SpawnRequest): Promise<ManagedProcess>;
  /** Waits for a place for a program that stays, if need be; resolves with what gives it back. */
  takePlace(): Promise<() => void>;
  /** Whether a program of this host that lives was given this mark of the kernel, as it is shown, or one above it. */
  hasStarted(shownMark: string): boolean;
  /** Opens a log for what such a program prints, with secrets masked; `maxBytes` defaults to that of the host. Raises HOST_LOG_FAILED. */
  openLog(path: string, maxBytes?: number): Promise<OutputLog>;
  /** Ends all programs and the reaper; later ones raise HOST_CLOSED. Idempotent. */
  close(): Promise<void>;
}

/** This machine. Starts nothing before the first program. */
export function createHost(options: HostOptions): ProcessHost {
  const {
    run,
    clock,
    env,
    git = { ownFiles: [] },
    allowEnv = [],
    sealed = new Map(),
    onShortage = () => {},
    graceMs = 2000,
    reaper: hasReaper = true,
  } = options;
  const { masker = createSecretMasker([]), processTable: table = createProcessTable() } = options;
  const { limits = DEFAULT_RESOURCE_LIMITS, ceilings = {} } = options;
  const { TROUPE_MARK: outerMark, PATH: path } = env;
  const { resolveName } = options;
  const spawner = createProcessSpawner({
    ...{ run, outerMark, path, hasReaper, graceMs, table, limits, resolveName },
  });
  // Looked through once: every session of every agent asks.
  let allowed: { readonly [name: string]: string } | undefined;
  const ports: Pick<Host, "run" | "baseEnv"> = {
    run: (request, signal) =>
      runHostCommand(bounded(request, ceilings), signal, {
        spawner,
        clock,
        masker,
        logBytes: limits.logBytes,
      }),
    baseEnv: (extra) => {
      allowed ??= allowedEnvironment(env, allowEnv, {});
      return { ...allowed, ...withoutTokens(extra, sealed) };
    },
  };
  const repositories = openedLater(async () => {
    const { createGitRepositories } = await import("./git/git-repositories.ts");
    return createGitRepositories(ports, {
      ownFiles: git.ownFiles,
      directory: git.directory,
      trustsFilter: git.trustsFilter,
      places: {
        home: env["HOME"],
        configHome: env["XDG_CONFIG_HOME"],
        file: env["GIT_CONFIG_GLOBAL"],
      },
    });
  });
  return {
    ...ports,
    run: async (request, signal) => {
      const giveBack = await programPlaces.take(signal, onShortage);
      return ports.run(request, signal).finally(giveBack);
    },
    takePlace: () => programPlaces.take(new AbortController().signal, onShortage),
    commandEnv: (extra, passEnv = []) =>
      allowedEnvironment(
        env,
        [...allowEnv, "SSH_AUTH_SOCK", ...passEnv],
        withoutTokens(extra, sealed),
      ),
    callerEnv: (extra) => wholeEnvironment(env, extra),
    repositories,
    workspace: (root) => createWorkspace(root, { clock, ownFiles: git.ownFiles }),
    git: askedLater(async () => {
      const { createGit } = await import("./git/git.ts");
      return createGit(repositories);
    }),
    variable: (name) => namedVariable(env, name),
    spawn: (request) => spawner.spawn(bounded(request, ceilings)),
    hasStarted: spawner.hasStarted,
    openLog: (path, asked = limits.logBytes) =>
      openOutputLog(path, { masker, maxBytes: Math.min(asked, ceilings.logBytes ?? asked) }),
    close: async () => {
      await spawner.close();
      await repositories.close();
    },
  };
}

/** Repositories that are loaded when one is opened for the first time: most runs look at none. */
function openedLater(load: () => Promise<GitRepositories>): GitRepositories {
  let loading: Promise<GitRepositories> | undefined;
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    open: async (cwd) => (await loaded()).open(cwd),
    openAt: async (place) => (await loaded()).openAt(place),
    filesNamed: async (place, within) => (await loaded()).filesNamed(place, within),
    close: async () => (await loading)?.close(),
  };
}

/** What git tells, loaded when somebody asks. */
function askedLater(load: () => Promise<Git>): Git {
  return {
    branch: async (cwd) => (await load()).branch(cwd),
    diff: async (cwd, since) => (await load()).diff(cwd, since),
    fingerprint: async (cwd) => (await load()).fingerprint(cwd),
    mark: async (cwd, patterns) => (await load()).mark(cwd, patterns),
    changedSince: async (cwd, mark, patterns) => (await load()).changedSince(cwd, mark, patterns),
    touchedSince: async (cwd, mark) => (await load()).touchedSince(cwd, mark),
    keep: async (cwd) => (await load()).keep(cwd),
    commitSince: async (cwd, kept, request) => (await load()).commitSince(cwd, kept, request),
  };
}

function bounded<Request extends { readonly limits?: Partial<ResourceLimits> }>(
  request: Request,
  ceilings: Partial<ResourceLimits>,
): Request {
  const { limits } = request;
  return limits === undefined ? request : { ...request, limits: withinCeilings(limits, ceilings) };
}
