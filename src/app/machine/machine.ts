import { randomBytes } from "node:crypto";
import type { LeaseHolder, RunStore } from "../../contracts/ports/store.ts";
import { type Clock, systemClock } from "../../foundation/clock.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { freeShortId } from "../../foundation/ids.ts";
import type { Random } from "../../foundation/random.ts";
import { secureRandom } from "../../foundation/secure-random.ts";
import { createHost, type HostOptions, type ProcessHost } from "../../host/host.ts";
import { OwnerBeats } from "../../host/owner-beats.ts";
import { createProcessTable } from "../../host/process-table.ts";
import type { ProcessTable } from "../../host/system/process-entry.ts";
import {
  currentProcessIdentity,
  describeElsewhere,
  type ProcessIdentity,
} from "../../host/system/process-identity.ts";
import { holderIdentity } from "../../journal/lease-rules.ts";
import { createMemoryStore } from "../../journal/memory-store.ts";
import { createSqliteStore } from "../../journal/sqlite-store.ts";
import type { ConfigReading } from "./config/config.ts";
import { assertOwnState } from "./place/believed-places.ts";
import { type Environment, findProject, type Project, stateDirectory } from "./place/project.ts";
import { createRunOrigins, type KeyedOrigins } from "./seals/run-origins.ts";
import { createSecretBox, type SecretBox } from "./seals/secret-box.ts";

/** This process, its project and where its runs are kept. */
export interface Machine {
  readonly project: Project;
  readonly env: Environment;
  readonly clock: Clock;
  readonly store: RunStore;
  /** Tells the runs of this user from others (SEC-2). */
  readonly origins: KeyedOrigins;
  /** Keeps the secrets of definitions unreadable in journals (AGT-11). */
  readonly secrets: () => SecretBox;
  /** Whether runs leave files behind: journals, logs, sockets. */
  readonly keepsFiles: boolean;
  /** Whether all of the project's configuration takes effect this once. */
  readonly trustsProject: boolean;
  readonly table: ProcessTable;
  readonly identity: Required<ProcessIdentity>;
  /** The command line, for people who meet the lease. */
  readonly command: string;
  /** Signs of life of what this process owns, and of owners on other hosts and in other containers. */
  readonly beats: OwnerBeats;
  /** True if lists show a run of this holder as owned by no process. Only the lease itself decides who may take it. */
  isGone(holder: LeaseHolder): boolean;
  /** Where an owner is whose pid means nothing here: "on host b"; undefined for all others. */
  whereIs(holder: LeaseHolder): string | undefined;
  /** Gets ENGINE_OWNER_ELSEWHERE when a command waits because only time can tell whether an owner is gone. */
  readonly onWait: (notice: TroupeError) => void;
  /** What a run starts programs with, and reads and writes files. */
  createHost(options: HostOptions): ProcessHost;
  /** An id that no run of the project has. */
  newRunId(): string;
  /** 128 random bits as text: what is named by it is never taken for anything else. */
  newKey(): string;
  /** The configuration of user and project, read at the first call. Raises what loadConfig raises. */
  readConfig(): Promise<ConfigReading>;
}

export interface MachineOptions {
  /** Defaults to the current directory. */
  readonly cwd?: string;
  /** Defaults to that of the process. */
  readonly env?: Environment;
  /** Defaults to the system's. */
  readonly clock?: Clock;
  /** `files` keeps every run in the project (default); `memory` forgets them with the process. */
  readonly store?: "files" | "memory";
  /** Takes all of the project's configuration this once, without `troupe trust`. Defaults to false. */
  readonly trustsProject?: boolean;
  /** Defaults to waiting without a word. */
  readonly onWait?: (notice: TroupeError) => void;
}

/** What several machines of one process may share, or a test put in. */
export interface MachineParts {
  /** Draws the ids of runs. */
  readonly random?: Random;
  readonly beats?: OwnerBeats;
}

/** Parts for all machines of one process that carries out many runs. */
export function createMachineParts(): MachineParts {
  return { beats: new OwnerBeats() };
}

/**
 * Looks at this process and its project. Changes no file. Raises RUN_DIRECTORY_OUTSIDE, PROJECT_FOREIGN,
 * STATE_FOREIGN.
 */
export function createMachineAt(
  options: MachineOptions = {},
  { random = secureRandom, beats = new OwnerBeats() }: MachineParts = {},
): Machine {
  const { cwd = process.cwd(), env = process.env, clock = systemClock, store = "files" } = options;
  const { trustsProject: trusts = false, onWait = () => {} } = options;
  const project = findProject(cwd, env);
  assertOwnState(stateDirectory(env));
  const table = createProcessTable();
  const isGone = (holder: LeaseHolder) =>
    beats.seemsGone(project.runsDirectory, {
      owner: holderIdentity(holder),
      table,
      lastSeenAt: holder.lastSeenAt,
    });
  const keepsFiles = store === "files";
  const origins = createRunOrigins(stateDirectory(env));
  const runs = keepsFiles
    ? createSqliteStore(project.runsDirectory, { clock, isGone, origins, beats })
    : createMemoryStore({ isGone });
  // Two that are wanted at the same time: neither is a run yet.
  const given = new Set<string>();
  // What is forgotten with the process needs no key that stays.
  const forgotten = createSecretBox(randomBytes(32));
  let reading: Promise<ConfigReading> | undefined;
  return {
    project,
    env,
    clock,
    store: runs,
    origins,
    secrets: keepsFiles ? origins.secrets : () => forgotten,
    keepsFiles,
    trustsProject: trusts,
    table,
    identity: currentProcessIdentity(table),
    command: process.argv.slice(1, 8).join(" "),
    beats,
    isGone,
    whereIs: (holder) => describeElsewhere(table, holderIdentity(holder)),
    onWait,
    createHost,
    newRunId: () => {
      const id = freeShortId("run", random, (drawn) => given.has(drawn) || runs.has(drawn));
      given.add(id);
      return id;
    },
    newKey: () => randomBytes(16).toString("hex"),
    readConfig: () => {
      reading ??= import("./config/load-config.ts").then(({ loadConfig }) =>
        loadConfig({ project, env, trusts }),
      );
      return reading;
    },
  };
}
