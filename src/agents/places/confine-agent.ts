import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentConstraints } from "../../contracts/agent.ts";
import type { Confinement, NetworkReach } from "../../contracts/host.ts";
import { type GitPorts, git } from "../../host/git.ts";
import { isBelow } from "../../host/sandbox-mounts.ts";
import type { SessionReach } from "./agent-place.ts";
import { isLiteral, staticDirectory } from "./path-pattern.ts";
import { hiddenPaths, type Surroundings } from "./surroundings.ts";

/** What is to be confined. */
export interface ConfinedAgent {
  /** Absolute. */
  readonly cwd: string;
  readonly constraints: AgentConstraints;
  readonly network: NetworkReach;
  readonly onRefused: NonNullable<Confinement["onRefused"]>;
}

/** More than this and starting a program takes long; the rest is checked afterwards. */
const MOST_PROTECTED = 500;

/** What makes programs of the user do something later, whether it is there yet or not. */
const PROTECTED = [
  ...[".git/hooks", ".git/config", ".git/info/attributes", ".claude", ".codex", ".gemini"],
  ...[".cursor", ".mcp.json", ".opencode", "opencode.json", ".vscode", ".husky", ".idea", ".envrc"],
];

/** The bounds of an agent's processes: its place, its own directory and what it reaches (AGT-13, SEC-5). */
export async function confineAgent(
  host: GitPorts,
  { cwd, constraints, network, onRefused }: ConfinedAgent,
  { reach, surroundings }: { readonly reach: SessionReach; readonly surroundings: Surroundings },
): Promise<Confinement> {
  const { directory, login } = reach;
  const scoped = writableOf(cwd, constraints);
  const protectedPaths = isDirectory(join(cwd, ".git"))
    ? PROTECTED.map((name) => join(cwd, name))
    : // A worktree's `.git` is a file, and where there is none, none may be made for others to trust.
      [".git", ...PROTECTED.filter((name) => !name.startsWith(".git/"))].map((name) =>
        join(cwd, name),
      );
  return {
    writable: [...scoped, ...present(directory), ...present(login)],
    readOnly: [
      ...protectedPaths,
      surroundings.troupeDirectory,
      // Claude Code keeps who is signed in beside its directory, too.
      ...(login === undefined ? [] : [`${login}.json`]),
      ...(await protectedFiles(host, cwd, constraints)),
    ],
    hidden: hiddenPaths(surroundings),
    network,
    onRefused,
  };
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
    if (!existsSync(directory)) mkdirSync(directory, { recursive: true });
    return isBelow(realpathSync(directory), root) && isDirectory(directory);
  });
}

/** The files that `readOnly` and `exclude` name: those written out, and what git lists for the others. */
async function protectedFiles(
  host: GitPorts,
  cwd: string,
  { fileScope, readOnly = [] }: AgentConstraints,
): Promise<readonly string[]> {
  const patterns = [...readOnly, ...(fileScope?.exclude ?? [])];
  const literal = patterns.filter(isLiteral).map((pattern) => join(cwd, pattern));
  const others = patterns.filter((pattern) => !isLiteral(pattern));
  if (others.length === 0) return literal;
  const specs = others.map(toPathspec);
  const listed = await git(host, cwd, ["ls-files", "-z", "--cached", "--others", "--", ...specs]);
  const found = listed.exitCode === 0 ? listed.stdout.split("\0") : [];
  const files = found.filter((path) => path !== "" && existsSync(join(cwd, path)));
  return [...literal, ...files.slice(0, MOST_PROTECTED).map((path) => join(cwd, path))];
}

/** A pattern as git reads it: from the current directory, without brackets that would mean something. */
export function toPathspec(pattern: string): string {
  return `:(glob)${pattern.replace(/[[\]]/g, "\\$&")}`;
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
