import { join } from "node:path";
import { type Environment, runtimeDirectory, stateDirectory } from "../machine/place/project.ts";

/** Where the daemon of a user keeps what it needs; all but the socket and whose it is in the state directory. */
export interface DaemonFiles {
  readonly directory: string;
  /** Locked by the daemon for as long as it lives. */
  readonly lock: string;
  /** Who runs and where it listens. */
  readonly record: string;
  readonly token: string;
  readonly log: string;
  /** The runs that the daemon is to carry out. */
  readonly background: string;
  /** What the daemon is to start, and when. */
  readonly schedules: string;
  readonly socket: string;
  /** Of which state directory the daemon is that listens at the socket. */
  readonly socketOwner: string;
}

/** The places of the daemon in an environment. Touches no file. */
export function daemonFiles(env: Environment): DaemonFiles {
  const directory = stateDirectory(env);
  const sockets = runtimeDirectory(env);
  return {
    directory,
    lock: join(directory, "daemon.lock"),
    record: join(directory, "daemon.json"),
    token: join(directory, "token"),
    log: join(directory, "daemon.log"),
    background: join(directory, "background.json"),
    schedules: join(directory, "schedules.json"),
    socket: join(sockets, "d.sock"),
    socketOwner: join(sockets, "d.json"),
  };
}
