import { realpathSync, rmSync } from "node:fs";
import { z } from "zod";
import { isListening } from "../../control/probe.ts";
import type { Clock } from "../../foundation/clock.ts";
import { distrustFile } from "../../host/owned-place.ts";
import { readIfThere, replacePrivateFile } from "../machine/place/private-file.ts";
import type { DaemonFiles } from "./daemon-files.ts";
import { daemonElsewhere } from "./errors.ts";

// The record of a daemon lies in its state directory, where a client of another one does not look. This says
// beside the socket itself whose it is.

const owner = z.object({ pid: z.number(), directory: z.string() });

/** Says that this process listens at the socket, for its state directory. Raises errors of the system. */
export function writeSocketOwner({ directory, socketOwner }: DaemonFiles): void {
  const text = JSON.stringify({ v: 1, pid: process.pid, directory: realpathSync(directory) });
  replacePrivateFile(socketOwner, `${text}\n`);
}

/** Takes away what this process said of the socket; what another one says stays. */
export function removeSocketOwner(files: DaemonFiles): void {
  if (readOwner(files)?.pid === process.pid) rmSync(files.socketOwner, { force: true });
}

/** Raises DAEMON_ELSEWHERE when a daemon of another state directory listens at the socket. */
export async function assertNotElsewhere(files: DaemonFiles, clock: Clock): Promise<void> {
  const found = readOwner(files);
  if (found === undefined || isSame(found.directory, files.directory)) return;
  if (!(await isListening(files.socket, clock))) return;
  throw daemonElsewhere({ ...found, own: files.directory, socket: files.socket });
}

function isSame(found: string, own: string): boolean {
  try {
    return found === realpathSync(own);
  } catch {
    // Where nothing is, no daemon has its state.
    return false;
  }
}

function readOwner({ socketOwner }: DaemonFiles): z.infer<typeof owner> | undefined {
  try {
    if (distrustFile(socketOwner) !== undefined) return undefined;
    const text = readIfThere(socketOwner);
    return text === undefined ? undefined : owner.parse(JSON.parse(text));
  } catch {
    // It only explains: the socket itself says whether anybody listens.
    return undefined;
  }
}
