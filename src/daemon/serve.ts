import { writeSync } from "node:fs";
import { refuseCall } from "../app/authority/refuse-call.ts";
import { forgetAllocation } from "../app/background/daemon-environment.ts";
import { type DaemonFiles, daemonFiles } from "../app/background/daemon-files.ts";
import { type DaemonLock, readContact, takeDaemonLock } from "../app/background/daemon-record.ts";
import { lookAbove } from "../app/machine/agent-above.ts";
import { assertOwnState } from "../app/machine/place/believed-places.ts";
import { faultMask } from "../app/machine/place/mask-fault.ts";
import type { Environment } from "../app/machine/place/project.ts";
import { isListening } from "../control/probe.ts";
import { delay } from "../foundation/abort.ts";
import { type Clock, systemClock } from "../foundation/clock.ts";
import { parseDuration } from "../foundation/duration.ts";
import { isShortage } from "../foundation/shortage.ts";
import { Daemon } from "./daemon.ts";
import { createDaemonLog, type DaemonLog } from "./daemon-log.ts";

const DEFAULT_IDLE = "10m";
const LOOK_MS = 50;
// One that lets go of its runs takes at most 10 s.
const LOCK_PATIENCE_MS = 15_000;
const FAILED = 70;
const STANDARD_OUTPUT = 1;

/**
 * Is the daemon of this user until it is told to end or nobody needs it any more; resolves with the exit
 * code. Ends at once, with 0, when another one is there.
 */
export async function serveDaemon(env: Environment): Promise<number> {
  process.umask(0o077);
  forgetAllocation(process.env);
  const clock = systemClock;
  const log = createDaemonLog(clock, writeLog, faultMask(env));
  try {
    await assertPerson(env);
    const idleMs = parseDuration(env["TROUPE_DAEMON_IDLE"] ?? DEFAULT_IDLE, "TROUPE_DAEMON_IDLE");
    const files = daemonFiles(env);
    assertOwnState(files.directory);
    const lock = await waitForLock(files, clock);
    if (lock === undefined) {
      log.info("another daemon is there, so this one ends");
      return 0;
    }
    try {
      const daemon = new Daemon({ files, env, clock, log, idleMs });
      watchProcess(daemon, log);
      return await daemon.serve();
    } finally {
      lock.release();
    }
  } catch (error) {
    log.failure("the daemon cannot go on", error);
    return FAILED;
  }
}

/** A line that has no room, on a full disk, is lost: the runs of a user are worth more. */
function writeLog(line: string): void {
  try {
    // A stream that has failed once writes nothing more, and one on a pipe makes it refuse what comes too fast.
    writeSync(STANDARD_OUTPUT, line);
  } catch {
    // The next one is tried again.
  }
}

/** What goes on in the background outlives whoever starts it. Raises USAGE_CONTROL_BY_AGENT. */
async function assertPerson(env: Environment): Promise<void> {
  const above = lookAbove();
  if (above === undefined) return;
  await refuseCall({ act: "controls", command: "troupe daemon serve", above }, { env });
}

/** The lock, or undefined as soon as whoever holds it answers. */
async function waitForLock(files: DaemonFiles, clock: Clock): Promise<DaemonLock | undefined> {
  const untilMs = clock.monotonic() + LOCK_PATIENCE_MS;
  while (clock.monotonic() < untilMs) {
    const lock = takeDaemonLock(files.lock);
    if (lock !== undefined) return lock;
    // It may be about to begin, or about to end and free the lock.
    const contact = readContact(files);
    if (contact !== undefined && (await isListening(contact.record.socket, clock)))
      return undefined;
    await delay(clock, LOOK_MS, new AbortController().signal);
  }
  return undefined;
}

function watchProcess(daemon: Daemon, log: DaemonLog): void {
  const exitCodes = { SIGTERM: 143, SIGINT: 130 } as const;
  let isAsked = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (isAsked) process.exit(exitCodes[signal]);
      isAsked = true;
      log.info(`${signal}: letting go of all runs; a second one ends the process at once`);
      daemon.stop(exitCodes[signal]).catch((error: unknown) => log.failure("stopping", error));
    });
  }
  // Warnings of Node go there, to the same log.
  process.stderr.on("error", () => {});
  // The terminal that it was started from is none of its business.
  process.on("SIGHUP", () => {});
  // A promise that the module of one workflow forgot must not end the runs of others.
  process.on("unhandledRejection", (error) => log.failure("a promise that nobody watched", error));
  process.on("uncaughtException", (error) => {
    // It passes, and the runs of a user are worth more than what was not done.
    if (isShortage(error)) return log.failure("the system is short of something", error);
    log.failure("an error that nobody caught; letting go of all runs", error);
    daemon.stop(FAILED).catch(() => process.exit(FAILED));
  });
}
