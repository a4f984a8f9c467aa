import { spawn } from "node:child_process";
import { closeSync, constants, fchmodSync, openSync, readFileSync, statSync } from "node:fs";
import { delay } from "../../foundation/abort.ts";
import type { Clock } from "../../foundation/clock.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { packageFile } from "../../foundation/package-file.ts";
import { distrustFile } from "../../host/owned-place.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import type { Environment } from "../machine/place/project.ts";
import { daemonEnvironment } from "./daemon-environment.ts";
import { type DaemonFiles, daemonFiles } from "./daemon-files.ts";
import { type DaemonContact, readContact } from "./daemon-record.ts";
import { daemonNotStarted, daemonUnwritable } from "./errors.ts";

const ANSWERS_WITHIN_MS = 5000;
// A machine that has a lot to do is no reason to give up on a process that lives.
const LIVING_ANSWERS_WITHIN_MS = 60_000;
const LOOK_MS = 25;
const SHOWN_LOG_LINES = 10;

/**
 * Starts the daemon in the background and waits until it answers. Several clients may do so at once: one of
 * the daemons stays. Raises DAEMON_NOT_STARTED, DAEMON_STATE_UNWRITABLE.
 */
export async function startDaemon(
  { env, clock }: { readonly env: Environment; readonly clock: Clock },
  isAnswering: (contact: DaemonContact) => Promise<boolean>,
): Promise<void> {
  const files = daemonFiles(env);
  const log = openLog(files);
  const logBytes = statSync(files.log).size;
  const child = spawn(process.execPath, [packageFile("bin/troupe.js"), "daemon", "serve"], {
    cwd: "/",
    env: daemonEnvironment(env),
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let problem: string | undefined;
  let isGone = false;
  child.on("error", (error) => {
    problem = error.message;
  });
  child.on("exit", (code, signal) => {
    isGone = true;
    // Code 0: another daemon was first; that one will answer.
    if (code !== 0) problem = `it ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  const startMs = clock.monotonic();
  const waitedMs = () => clock.monotonic() - startMs;
  const patienceMs = () => (isGone ? ANSWERS_WITHIN_MS : LIVING_ANSWERS_WITHIN_MS);
  while (waitedMs() < patienceMs() && problem === undefined) {
    const contact = readContact(files);
    if (contact !== undefined && (await isAnswering(contact))) return;
    await delay(clock, LOOK_MS, new AbortController().signal);
  }
  const waited = `it did not answer within ${Math.round(waitedMs() / 1000)} s`;
  throw daemonNotStarted({ problem: problem ?? waited, log: lastLines(files.log, logBytes) });
}

function openLog({ directory, log }: DaemonFiles): number {
  try {
    makeDirectory(directory, 0o700);
    // Never through a link: it would have the daemon write into whatever it leads to.
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    const problem = distrustFile(log);
    if (problem !== undefined) throw daemonUnwritable({ path: log, problem });
    const descriptor = openSync(log, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    fchmodSync(descriptor, 0o600);
    return descriptor;
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    throw daemonUnwritable({ path: directory, problem: reasonOf(error) }, { cause: error });
  }
}

function lastLines(log: string, afterBytes: number): readonly string[] {
  const text = readFileSync(log).subarray(afterBytes).toString("utf8");
  return text.split("\n").filter(Boolean).slice(-SHOWN_LOG_LINES);
}
