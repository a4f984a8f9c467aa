import { lstatSync } from "node:fs";
import { type BackgroundRuns, openBackgroundRuns } from "../app/background/background-runs.ts";
import type { DaemonFiles } from "../app/background/daemon-files.ts";
import {
  createToken,
  type DaemonContact,
  readContact,
  removeContact,
  writeContact,
} from "../app/background/daemon-record.ts";
import {
  assertNotElsewhere,
  removeSocketOwner,
  writeSocketOwner,
} from "../app/background/socket-owner.ts";
import { createMachineParts } from "../app/machine/machine.ts";
import type { Environment } from "../app/machine/place/project.ts";
import { BUILD } from "../app/machine/place/version.ts";
import { DAEMON_PROTOCOL, MAX_DAEMON_LINE_CHARS } from "../control/daemon-protocol.ts";
import { type LineServer, startLineServer } from "../control/line-server.ts";
import { delay } from "../foundation/abort.ts";
import type { Clock, Timer } from "../foundation/clock.ts";
import { RestingMemory } from "../foundation/garbage.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { type DaemonLog, rotateLog } from "./daemon-log.ts";
import { HeldRuns } from "./held-runs.ts";
import { KeptSchedules } from "./kept-schedules.ts";
import { resumeBackground } from "./resume-background.ts";
import { createRequestTaker, readDaemonRequest } from "./take-request.ts";

// Owns the socket, the files that tell of it, and the time of the daemon: its start, its rest and its end.
// Whoever makes one holds the daemon's lock.

export interface DaemonOptions {
  readonly files: DaemonFiles;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: DaemonLog;
  /** Time with nothing to do after which it ends. */
  readonly idleMs: number;
}

// Together below the 10 s within which a daemon that is told to stop is gone.
const DRAIN_MS = 8500;
const FAREWELL_MS = 500;
const CARE_MS = 5000;
const SOCKET_PATIENCE_MS = 20_000;
const FAILED_EXIT_CODE = 70;

/** The one process that carries out a user's background runs. */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #contact: DaemonContact;
  readonly #background: BackgroundRuns;
  readonly #held: HeldRuns;
  readonly #schedules: KeptSchedules;
  readonly #idle: IdleWatch;
  readonly #over = Promise.withResolvers<number>();
  readonly #parts = createMachineParts();
  readonly #memory = new RestingMemory();
  #server: LineServer | undefined;
  #care: Timer | undefined;
  #draining: Promise<unknown> | undefined;

  /** Raises DAEMON_STATE_UNREADABLE. */
  constructor(options: DaemonOptions) {
    const { files, env, clock, log, idleMs } = options;
    this.#options = options;
    const startedAt = toIsoTime(clock.now());
    this.#contact = {
      record: { pid: process.pid, startedAt, version: BUILD, socket: files.socket },
      token: createToken(),
    };
    this.#background = openBackgroundRuns(files.background);
    this.#held = new HeldRuns({
      background: this.#background,
      log,
      onChange: () => this.#idle.look(),
    });
    this.#schedules = new KeptSchedules({
      ...{ file: files.schedules, clock, log, env, parts: this.#parts },
      ...{ background: this.#background, held: this.#held },
      onChange: () => this.#idle.look(),
    });
    this.#idle = createIdleWatch({
      clock,
      idleMs,
      isIdle: () => this.#held.isEmpty && !this.#schedules.isWaiting,
      onIdle: () => {
        log.info("nothing left to do");
        // Nothing is held, so nothing can go wrong but what `serve` tells.
        void this.stop(0);
      },
    });
  }

  /** Listens, goes on with what an earlier daemon left, and resolves with the exit code at the end. */
  async serve(): Promise<number> {
    const { files, env, clock, log } = this.#options;
    await assertNotElsewhere(files, clock);
    // Before it listens: whoever can connect must find the token that counts.
    writeContact(files, this.#contact);
    try {
      await this.#listen();
    } catch (error) {
      if (this.#isFindable()) removeContact(files);
      throw error;
    }
    writeSocketOwner(files);
    log.info(`troupe ${BUILD} daemon, pid ${process.pid}, listens at ${files.socket}`);
    this.#takeCare();
    try {
      const [background, held] = [this.#background, this.#held];
      await resumeBackground({ background, held, log, clock, env, parts: this.#parts });
      await this.#schedules.begin();
      this.#idle.look();
      return await this.#over.promise;
    } finally {
      this.#idle.close();
      this.#care?.cancel();
      await this.#withLimit(this.#server?.close() ?? Promise.resolve(), FAREWELL_MS);
      removeSocketOwner(files);
      if (this.#isFindable()) removeContact(files);
      log.info("the daemon ends");
    }
  }

  /** Lets go of all runs and ends the daemon; resolves with how many were let go, at the latest when time is up. */
  async stop(exitCode: number): Promise<number> {
    // Together: what is about to start is refused by the runs that drain.
    this.#draining ??= Promise.all([this.#held.drain(), this.#schedules.close()]);
    const drained = await this.#withLimit(this.#draining, DRAIN_MS);
    if (drained === undefined)
      this.#options.log.error(
        "not all runs were let go in time; the next daemon goes on with them",
      );
    this.#over.resolve(exitCode);
    return this.#held.letGo;
  }

  async #listen(): Promise<void> {
    const take = createRequestTaker({
      record: this.#contact.record,
      background: this.#background,
      held: this.#held,
      schedules: this.#schedules,
      log: this.#options.log,
      parts: this.#parts,
      env: this.#options.env,
      stop: () => this.stop(0),
    });
    const { socket: path } = this.#options.files;
    // Another one of this user that cannot be found any more sees it by the record, and goes.
    const rule = { path, living: "listens", patienceMs: SOCKET_PATIENCE_MS } as const;
    this.#server = await startLineServer(rule, {
      version: DAEMON_PROTOCOL,
      maxLineChars: MAX_DAEMON_LINE_CHARS,
      read: (value) => readDaemonRequest(value, this.#contact),
      take: ({ ask }) => take(ask),
    });
  }

  /** From time to time: the log must not grow without end, and sockets may be swept away under a daemon. */
  #takeCare(): void {
    const { clock, files, log } = this.#options;
    this.#care = clock.startTimer(CARE_MS, () => {
      this.#memory.look();
      try {
        rotateLog(files.log);
      } catch (error) {
        log.failure("the log could not be turned over", error);
      }
      if (!this.#isFindable()) {
        log.error("its record is gone or another's, so nobody can find this daemon any more");
        // Whoever serves sees how it ends.
        void this.stop(FAILED_EXIT_CODE);
        return;
      }
      this.#relisten()
        .catch((error: unknown) => log.failure("the socket could not be made again", error))
        .finally(() => {
          if (this.#draining === undefined) this.#takeCare();
        });
    });
  }

  #isFindable(): boolean {
    try {
      return readContact(this.#options.files)?.record.pid === process.pid;
    } catch (error) {
      this.#options.log.failure("its record could not be read; it is looked at again", error);
      return true;
    }
  }

  async #relisten(): Promise<void> {
    const { socket } = this.#options.files;
    if (this.#draining !== undefined || lstatSync(socket, { throwIfNoEntry: false }) !== undefined)
      return;
    const before = this.#server;
    await this.#listen();
    await before?.close();
  }

  /** What a promise comes to, or undefined when time is up. */
  async #withLimit<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | undefined> {
    const over = new AbortController();
    try {
      const limit = delay(this.#options.clock, limitMs, over.signal).catch(() => undefined);
      return await Promise.race([promise, limit.then(() => undefined)]);
    } finally {
      over.abort();
    }
  }
}

/** Ends a daemon that nobody needs. */
interface IdleWatch {
  /** Looks whether there is still, or again, nothing to do. */
  look(): void;
  close(): void;
}

interface IdleWatchOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly isIdle: () => boolean;
  readonly onIdle: () => void;
}

/** Calls `onIdle` once there was nothing to do for `idleMs` in a row. */
export function createIdleWatch({ clock, idleMs, isIdle, onIdle }: IdleWatchOptions): IdleWatch {
  let timer: Timer | undefined;
  const stop = () => {
    timer?.cancel();
    timer = undefined;
  };
  return {
    look: () => {
      if (!isIdle()) stop();
      else timer ??= clock.startTimer(idleMs, onIdle);
    },
    close: stop,
  };
}
