import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentConstraints, AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend, StoredLogin } from "../../contracts/backend.ts";
import type { Confinement, NetworkReach } from "../../contracts/host.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { isLiteral, matchesPath, staticDirectory } from "../../foundation/path-pattern.ts";
import { toReach } from "../../host/egress/judge-target.ts";
import { listFiles } from "../../host/file-listing.ts";
import { findRepositoryPlace } from "../../host/git/repository-place.ts";
import { findGitPlaces, type GitPlaces } from "../../host/git-places.ts";
import { OBEYED_FILES, OBEYED_NAMES } from "../../host/obeyed-files.ts";
import { realPlace } from "../../host/sandbox/real-paths.ts";
import { isBelow } from "../../host/sandbox/sandbox-mounts.ts";
import type { SessionReach } from "./agent-place.ts";
import { sandboxImpossible } from "./errors.ts";
import type { Surroundings } from "./surroundings.ts";

/** What is to be confined. */
export interface ConfinedAgent {
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  readonly constraints: AgentConstraints;
  readonly network: NetworkReach;
  readonly onRefused: NonNullable<Confinement["onRefused"]>;
}

/** More than this and starting a program takes long; the rest is checked afterwards. */
const MOST_PROTECTED = 500;
/** Beyond this nothing is looked for. */
const MOST_LISTED = 100_000;

/** The bounds of an agent's processes: its place, its own directory and what it reaches (AGT-13, SEC-5). Raises AGENT_SANDBOX_IMPOSSIBLE. */
export async function confineAgent(
  { agent, cwd, constraints, network, onRefused }: ConfinedAgent,
  { reach, surroundings }: { readonly reach: SessionReach; readonly surroundings: Surroundings },
): Promise<Confinement> {
  const { home, troupeDirectory, hidden, sandbox } = surroundings;
  const { directory, login } = reach;
  const scoped = writableOf(cwd, constraints);
  const writable = [...scoped, ...sandbox.write];
  const search = { directory: cwd, beyond: [home], below: writable, names: OBEYED_NAMES };
  const repository = await findGitPlaces(search);
  const obeyed = [
    ...repository.directories,
    ...OBEYED_FILES.map(({ name }) => join(cwd, name)),
    ...repository.named.slice(0, MOST_PROTECTED),
    ...(await namedByGit(repository, writable, surroundings)),
    // Who lets it be written by its name has decided so.
  ].filter((path) => !sandbox.write.includes(path));
  assertNoLinks(agent, obeyed);
  const stored = login === undefined ? undefined : loginBounds(login);
  return {
    home,
    writable: [...writable, ...present(directory), ...(stored?.writable ?? [])],
    readOnly: [
      ...around(cwd, [repository.root, dirname(troupeDirectory)], home),
      ...(scoped.includes(cwd) ? [] : [cwd]),
      ...obeyed,
      troupeDirectory,
      ...(stored?.readOnly ?? []),
      ...sandbox.read,
      ...(await protectedFiles(cwd, constraints)),
    ],
    hidden,
    sockets: [],
    scratch: stored?.scratch ?? [],
    cache: directory === undefined ? undefined : makePrivate(join(directory, "cache")),
    network,
    onRefused,
  };
}

/** What git's configuration names for each working tree in which the agent writes, or which is around it. */
async function namedByGit(
  { trees }: GitPlaces,
  writable: readonly string[],
  { repositories }: Pick<Surroundings, "repositories">,
): Promise<readonly string[]> {
  const within = writable.map(realPlace);
  const found = new Set<string>();
  for (const tree of trees) {
    const place = findRepositoryPlace(tree);
    if (place === undefined) continue;
    for (const path of await repositories.filesNamed(place, within)) found.add(path);
  }
  return [...found];
}

/**
 * What a confined agent reaches: Troupe's tools in any case; its model and what the configuration names, unless it
 * is to have no network; any public name if it is declared with one (SEC-5).
 */
export function networkOf(
  { network }: AgentConstraints,
  { addresses }: Pick<SessionReach, "addresses">,
  configured: readonly string[],
): NetworkReach {
  const others = network === false ? [] : [...addresses.model, ...configured];
  const reach = toReach([...addresses.tools, ...others]);
  if (network === true) return { ...reach, hosts: "public" };
  return reach.hosts.length + reach.local.length === 0 ? "none" : reach;
}

/** Where a link lies another file can be put in its place: only what it leads to could be protected. */
function assertNoLinks(agent: string, paths: readonly string[]): void {
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return;
  const reason = `${link} is a link, in whose place it could put what programs outside obey`;
  throw sandboxImpossible({ agent, reason });
}

/** The directories around the agent's own that are its project: seen, and not written. */
function around(
  cwd: string,
  directories: readonly (string | undefined)[],
  home: string,
): readonly string[] {
  return directories
    .filter((directory) => directory !== undefined)
    .filter((directory) => directory !== cwd && isBelow(cwd, directory))
    .filter((directory) => !isBelow(realPlace(home), realPlace(directory)));
}

/** Of a login only the files of tokens and sessions may be written. */
function loginBounds({
  directory,
  beside = [],
  tokens = [],
  sessions = [],
  scratch = [],
}: StoredLogin) {
  return {
    readOnly: [directory, ...beside],
    writable: [...tokens.filter(existsSync), ...sessions.map(makePrivate)],
    scratch: scratch.map(makePrivate),
  };
}

function makePrivate(path: string): string {
  makeDirectory(path, 0o700);
  return path;
}

/** The directories that hold what the agent may change; none of them leads out of its own. */
function writableOf(cwd: string, { fileScope }: AgentConstraints): readonly string[] {
  if (fileScope?.include === undefined) return [cwd];
  const root = realpathSync(cwd);
  const directories = new Set(
    fileScope.include.map((pattern) => join(cwd, staticDirectory(pattern))),
  );
  return [...directories].filter((directory) => {
    const there = nearest(directory);
    if (!isBelow(realpathSync(there), root)) return false;
    if (!existsSync(directory)) makeDirectory(directory);
    return isBelow(realpathSync(directory), root) && isDirectory(directory);
  });
}

/** The files that `readOnly` and `exclude` name: those written out, and what is found for the others. */
async function protectedFiles(
  cwd: string,
  { fileScope, readOnly = [] }: AgentConstraints,
): Promise<readonly string[]> {
  const patterns = [...readOnly, ...(fileScope?.exclude ?? [])];
  const literal = patterns.filter(isLiteral).map((pattern) => join(cwd, pattern));
  const others = patterns.filter((pattern) => !isLiteral(pattern));
  if (others.length === 0) return literal;
  const root = realpathSync(cwd);
  const options = { root, starts: [root], exclude: [], maxFiles: MOST_LISTED };
  const listed = await listFiles({ ...options, follows: () => false });
  const found = [...(listed?.keys() ?? [])].filter((path) =>
    others.some((pattern) => matchesPath(pattern, path)),
  );
  return [...literal, ...found.slice(0, MOST_PROTECTED).map((path) => join(cwd, path))];
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(join(path, ".."));
}

function present(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [path];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Where an agent is to be confined. */
interface SandboxPlace {
  /** Directory of the agent, absolute. */
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home: string;
  /** Whether sandboxes are left out because somebody said so. */
  readonly isUnsandboxed: boolean;
}

/** What keeps an agent of this backend from being confined there as its declaration says. */
export function sandboxProblem(
  { id: agent, isolation, constraints = {} }: AgentSpec,
  backend: AgentBackend,
  place: SandboxPlace,
): TroupeError | undefined {
  const isSandboxed = isolation === "sandbox";
  const reason =
    (isSandboxed ? confinementProblem(backend, place) : undefined) ??
    (constraints.network === false ? networkProblem(backend, isSandboxed) : undefined);
  return reason === undefined ? undefined : sandboxImpossible({ agent, reason });
}

function confinementProblem(
  { name, runsInProcess = false, livesInSandbox = false }: AgentBackend,
  { cwd, home, isUnsandboxed }: SandboxPlace,
): string | undefined {
  if (runsInProcess) return `agents of backend ${name} have no process of their own`;
  if (isUnsandboxed) return undefined;
  if (!livesInSandbox)
    return `the program of backend ${name} is not known to work in one; those of command, script, acp, claude, codex and gemini are`;
  if (isBelow(realPlace(home), realPlace(cwd)))
    return `its directory ${cwd} holds the home directory, which a sandbox hides; work in a directory below`;
  return undefined;
}

function networkProblem(
  { name, metering }: AgentBackend,
  isSandboxed: boolean,
): string | undefined {
  if (!isSandboxed) return "only a sandbox keeps it off the network: add isolation: sandbox";
  if (metering === "free") return undefined;
  return `backend ${name} reaches its model over the network; leave network: false to agents that use none, such as command`;
}
