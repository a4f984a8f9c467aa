import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { sha256 } from "../../../foundation/hash.ts";
import { isTaken, MAX_SOCKET_PATH_BYTES } from "../../../host/private-socket.ts";
import { assertOwnProject, doubtProject } from "./believed-places.ts";
import { cwdNotFound, cwdOutside } from "./errors.ts";

const LONGEST_SOCKET_NAME = "r-0123456789abcdef.sock";

/** Environment variables by name. */
export type Environment = { readonly [name: string]: string | undefined };

/** Where a project's things are; all absolute. */
export interface Project {
  readonly root: string;
  /** `.troupe`, or TROUPE_DIR. */
  readonly troupeDirectory: string;
  readonly runsDirectory: string;
  /** Where agents start. */
  readonly cwd: string;
}

/**
 * The project of a directory: TROUPE_DIR's parent, else the nearest parent with `.troupe/`, else the git
 * root, else the directory itself. A `.troupe/` above that is of somebody else is passed over. Raises
 * RUN_DIRECTORY_NOT_FOUND, RUN_DIRECTORY_OUTSIDE, PROJECT_FOREIGN.
 */
export function findProject(cwd: string, env: Environment): Project {
  const start = realDirectory(resolve(cwd));
  const given = env["TROUPE_DIR"];
  const troupeDirectory =
    given === undefined || given === "" ? join(findRoot(start), ".troupe") : resolve(start, given);
  assertOwnProject(troupeDirectory, start, given !== undefined && given !== "");
  const root = dirname(troupeDirectory);
  const inside = relative(existsSync(root) ? realpathSync(root) : root, start);
  if (inside.startsWith("..") || isAbsolute(inside))
    throw cwdOutside({ cwd: start, project: root });
  return { root, troupeDirectory, runsDirectory: join(troupeDirectory, "runs"), cwd: start };
}

/** Where the owner of a run listens: short, private, the same for everybody who knows the run. */
export function controlSocketPath(project: Project, run: string, env: Environment): string {
  return join(runtimeDirectory(env), `r-${socketName(project, run)}.sock`);
}

/** Where the owner of a run lets processes of its agents in. */
export function contextSocketPath(project: Project, run: string, env: Environment): string {
  return join(runtimeDirectory(env), `c-${socketName(project, run)}.sock`);
}

/** Where what belongs to the user, not to a project, is kept: TROUPE_HOME, else the XDG state directory. */
export function stateDirectory(env: Environment): string {
  const { TROUPE_HOME: home, XDG_STATE_HOME: xdg, HOME: login } = env;
  if (home !== undefined && home !== "") return home;
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(login || homedir(), ".local", "state");
  return join(base, "troupe");
}

/**
 * Where the sockets of this user's processes lie: the first place whose paths the system can take. In a temporary
 * directory, which all users share, somebody may have taken the name before: then they lie with the state.
 */
export function runtimeDirectory(env: Environment): string {
  const base = env["XDG_RUNTIME_DIR"];
  const isThere = base !== undefined && base !== "" && existsSync(base);
  const own = `troupe-${process.getuid?.() ?? userInfo().uid}`;
  const places = [
    ...(isThere ? [join(base, "troupe")] : []),
    ...[join(tmpdir(), own), join("/tmp", own)],
  ];
  const place = places.find(hasRoomForSocket) ?? join(tmpdir(), own);
  // What the user names herself is hers to mend.
  if (dirname(place) === base || !isTaken(place)) return place;
  const withState = join(stateDirectory(env), "sockets");
  return hasRoomForSocket(withState) ? withState : place;
}

function hasRoomForSocket(directory: string): boolean {
  return Buffer.byteLength(join(directory, LONGEST_SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}

function socketName({ runsDirectory }: Project, run: string): string {
  // Two runs with one name would take each other's socket away: of a million, 64 bits leave none.
  return sha256(`${runsDirectory}:${run}`).slice(0, 16);
}

function realDirectory(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw cwdNotFound({ cwd: path }, { cause: error });
  }
  throw cwdNotFound({ cwd: path });
}

function findRoot(start: string): string {
  const isOwn = (directory: string) =>
    directory === start || doubtProject(join(directory, ".troupe"), start) === undefined;
  return nearestWith(start, ".troupe", isOwn) ?? nearestWith(start, ".git") ?? start;
}

function nearestWith(
  start: string,
  name: string,
  counts: (directory: string) => boolean = () => true,
): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, name)) && counts(directory)) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}
