import { markOf, showMark } from "./kernel-mark.ts";
import type { ProcessEntry, ProcessTable } from "./system/process-entry.ts";

// No mark and no run looks like it.
const UNKNOWN_FAMILY = "a program with a file-lock limit of";

/** The program that Troupe started and that this process came from. */
export interface AgentAbove {
  /** Names the nearest such program: its mark of the kernel, else what its environment holds. Only to be shown and compared. */
  readonly family: string;
  /** The run it belongs to, as environments tell it, which whoever has one can change. */
  readonly run: string | undefined;
  /** The agent that it is, told in the same way. */
  readonly agent: string | undefined;
  /** The limit of file locks that gives it away in place of a mark: which program it is, nobody can tell. */
  readonly unknownLimit?: bigint;
}

/**
 * The agent, command or other program of a run that this process stands below; undefined when there is
 * none. Decided by the kernel's mark of this process and by what its ancestors carry; the environment
 * can only add to that. A limit that is no mark counts as one: a program that lowers it throws its own
 * mark away, and hardly any person's shell has one. Where the system hands down no mark (macOS), a process that has lost both its
 * ancestors and its environment is not recognised.
 */
export function findAgentAbove(table: ProcessTable): AgentAbove | undefined {
  const line = ancestry(table);
  const marked = firstOf(line, markFamily);
  const unknownLimit =
    marked === undefined ? firstOf(line, (entry) => entry.lockLimit()) : undefined;
  if (unknownLimit !== undefined) {
    // It may say anything of itself, so its environment does not count.
    const family = `${UNKNOWN_FAMILY} ${unknownLimit}`;
    return { family, run: undefined, agent: undefined, unknownLimit };
  }
  const family = marked ?? firstOf(line, toldFamily);
  if (family === undefined) return undefined;
  // The outermost of the family is the program itself, with the environment that it was given.
  const program = line.findLast((entry) => (markFamily(entry) ?? toldFamily(entry)) === family);
  return {
    family,
    run: program?.variable("TROUPE_RUN"),
    agent: program?.variable("TROUPE_AGENT"),
  };
}

/** This process, its parent, and so on, as far as they are to be seen. */
function ancestry(table: ProcessTable): readonly ProcessEntry[] {
  const line = new Map<number, ProcessEntry>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); ) {
    const entry = table.find(pid);
    if (entry === undefined) break;
    line.set(pid, entry);
    pid = entry.parent;
  }
  return [...line.values()];
}

function firstOf<Found>(
  line: readonly ProcessEntry[],
  look: (entry: ProcessEntry) => Found | undefined,
): Found | undefined {
  return line.map(look).find((found) => found !== undefined);
}

function markFamily(entry: ProcessEntry): string | undefined {
  const mark = markOf(entry);
  return mark === undefined ? undefined : showMark(mark);
}

function toldFamily(entry: ProcessEntry): string | undefined {
  const told = entry.variable("TROUPE_MARK") ?? entry.variable("TROUPE_RUN");
  return told === "" ? undefined : told;
}
