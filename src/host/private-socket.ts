import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "./system-error.ts";

/** Longest path of a unix socket: a longer one is cut without a word by the system. */
export const MAX_SOCKET_PATH_BYTES = 100;

/**
 * Makes a place for a unix socket that only this user can open: the directory is private before the socket
 * exists, whatever the umask says. What lies at the path is removed: the caller knows that its owner is gone.
 * Returns why the place cannot be used, if so.
 */
export function prepareSocketPlace(path: string): string | undefined {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES)
    return `the path is longer than ${MAX_SOCKET_PATH_BYTES} bytes`;
  const directory = dirname(path);
  try {
    const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
    // A umask may take rights away from ourselves too.
    if (made !== undefined) chmodSync(directory, 0o700);
    // Not through a link: in a directory that all users share, somebody else may have put it there.
    const info = lstatSync(directory);
    const isOurs =
      info.isDirectory() && info.uid === process.getuid?.() && (info.mode & 0o077) === 0;
    if (!isOurs) return `${directory} is open to others`;
    rmSync(path, { force: true });
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}
