import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, lstatSync, renameSync, rmSync, type Stats } from "node:fs";
import type { ListenOptions, Server } from "node:net";
import { dirname, join } from "node:path";
import { delay } from "../foundation/abort.ts";
import { systemClock } from "../foundation/clock.ts";
import { makeDirectory } from "../foundation/make-directory.ts";
import { outlastShortage } from "../foundation/shortage.ts";
import { reasonOf, systemErrorCode } from "./system/system-error.ts";

// Owns who listens at a path.
// S1: a socket at which a living process listens is never replaced, whoever asks; its own listening is the lock.
// S2: a path is taken in one step with a socket that listens already, so that nobody takes a fresh one for dead.
// S3: whoever stops listening takes away its own socket only.

/** Longest path of a unix socket: a longer one is cut without a word by the system. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** How long an owner that just learns that it lost its run may take to hang up. */
export const RUN_SOCKET_PATIENCE_MS = 5000;

/** Who counts as living of those that hold a socket. */
export interface SocketRule {
  readonly path: string;
  /**
   * `listens`: who listens, also without a word. `answers`: who says anything; of one that is silent the caller
   * knows by a lease that it owns nothing any more.
   */
  readonly living: "listens" | "answers";
  /** How long is waited for a living one to go. */
  readonly patienceMs: number;
}

/** What became of it: `release` takes the socket away if it is still this one. */
export type SocketPlace =
  | { readonly status: "listening"; release(): void }
  | { readonly status: "refused"; readonly problem: string; readonly cause?: unknown };

const RETRY_MS = 50;
const ANSWER_MS = 1500;

/**
 * Lets a server listen at a unix socket that only this user can open: the directory is private before the socket
 * exists, whatever the umask says. What a dead process left at the path is replaced.
 */
export async function listenPrivately(server: Server, rule: SocketRule): Promise<SocketPlace> {
  const { path } = rule;
  const problem = prepareDirectory(path);
  if (problem !== undefined) return { status: "refused", problem };
  const fresh = join(dirname(path), `n-${randomBytes(6).toString("hex")}.sock`);
  try {
    await startListening(server, { path: fresh });
    chmodSync(fresh, 0o600);
    const { ino } = lstatSync(fresh);
    if (!(await takePath(fresh, rule)))
      return await giveUp(server, fresh, "another process listens there and lives");
    return { status: "listening", release: () => removeOwn(path, ino) };
  } catch (error) {
    return { ...(await giveUp(server, fresh, reasonOf(error))), cause: error };
  }
}

/** Lets a server listen, waiting for a descriptor if need be; rejects with the error of the system. */
export async function startListening(server: Server, where: ListenOptions): Promise<void> {
  await outlastShortage(
    () =>
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(where, () => {
          server.off("error", reject);
          resolve();
        });
      }),
  );
  // What goes wrong with one that comes in, too few descriptors for one, is no end of the door.
  server.on("error", () => {});
}

/** Why a directory for sockets cannot be believed; undefined when it is this user's alone. Raises errors of the system. */
function prepareDirectory(path: string): string | undefined {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES)
    return `the path is longer than ${MAX_SOCKET_PATH_BYTES} bytes`;
  const directory = dirname(path);
  try {
    const made = makeDirectory(directory, 0o700);
    // A umask may take rights away from ourselves too.
    if (made !== undefined) chmodSync(directory, 0o700);
    return isTaken(directory) ? `${directory} is open to others` : undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Whether something lies at a path that is not a directory of this user alone. Raises errors of the system. */
export function isTaken(directory: string): boolean {
  // Not through a link: in a directory that all users share, somebody else may have put it there.
  const info = lookAt(directory);
  if (info === undefined) return false;
  return !info.isDirectory() || info.uid !== process.getuid?.() || (info.mode & 0o077) !== 0;
}

/** Whether the path is ours now; false when somebody lives there for as long as we have patience. */
async function takePath(fresh: string, rule: SocketRule): Promise<boolean> {
  const untilMs = systemClock.monotonic() + rule.patienceMs;
  for (;;) {
    const there = lookAt(rule.path);
    if (there === undefined) {
      if (putAt(rule.path, fresh)) return true;
    } else if (!(await isLiving(rule, there))) removeDead(rule.path, there.ino);
    else if (systemClock.monotonic() >= untilMs) return false;
    else await delay(systemClock, RETRY_MS, new AbortController().signal);
  }
}

/** Whether a socket lies at the path now and it is ours; somebody else may have been quicker. */
function putAt(path: string, fresh: string): boolean {
  try {
    linkSync(fresh, path);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    // Not every file system gives a socket a second name.
    renameSync(fresh, path);
    return true;
  }
  rmSync(fresh, { force: true });
  return true;
}

/** Between the look and the removal a living one may have come: it gets its name back. */
function removeDead(path: string, ino: number): void {
  const moved = `${dirname(path)}/x-${randomBytes(6).toString("hex")}`;
  try {
    renameSync(path, moved);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return;
    throw error;
  }
  if (lstatSync(moved).ino !== ino) putAt(path, moved);
  rmSync(moved, { force: true });
}

async function isLiving({ path, living }: SocketRule, there: Stats): Promise<boolean> {
  // A link or a file is nobody, whatever it leads to.
  if (!there.isSocket()) return false;
  const sign = await signOfLife(path, living);
  return sign === "answered" || sign === living;
}

async function signOfLife(
  path: string,
  wanted: SocketRule["living"],
): Promise<"none" | "listens" | "answered"> {
  // A megabyte, which whoever imports the library does not need as yet.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (sign: "none" | "listens" | "answered") => {
      timer.cancel();
      socket.destroy();
      resolve(sign);
    };
    const timer = systemClock.startTimer(ANSWER_MS, () => settle("listens"));
    // No request of any of our doors: each answers that it is none.
    socket.on("connect", () => {
      if (wanted === "listens") settle("listens");
      else socket.write("{}\n\n");
    });
    socket.on("data", () => settle("answered"));
    socket.on("end", () => settle("answered"));
    socket.on("error", (error) => {
      const code = systemErrorCode(error);
      // Whatever else goes wrong, too few descriptors for one, says nothing of the other side.
      settle(code === "ECONNREFUSED" || code === "ENOENT" ? "none" : "answered");
    });
  });
}

async function giveUp(server: Server, fresh: string, problem: string) {
  await new Promise<void>((resolve) => server.close(() => resolve()));
  rmSync(fresh, { force: true });
  return { status: "refused" as const, problem };
}

function removeOwn(path: string, ino: number): void {
  if (lookAt(path)?.ino === ino) rmSync(path, { force: true });
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
