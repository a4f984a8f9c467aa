import { markOf, showMark } from "./kernel-mark.ts";
import type { ProcessEntry, ProcessTable } from "./system/process-entry.ts";

/** The program that Troupe started and that this process came from. */
export interface AgentAbove {
  /** Names the nearest such program: its mark of the kernel, else what its environment holds. Only to be shown and compared. */
  readonly family: string;
  /** The run it belongs to, as environments tell it, which whoever has one can change. */
  readonly run: string | undefined;
  /** The agent that it is, told in the same way. */
  readonly agent: string | undefined;
}

/**
 * The agent, command or other program of a run that this process stands below; undefined when there is
 * none. Decided by the kernel's mark of this process and by what its ancestors carry; the environment
 * can only add to that. Where the system hands down no mark (macOS), a process that has lost both its
 * ancestors and its environment is not recognised.
 */
export function findAgentAbove(table: ProcessTable): AgentAbove | undefined {
  const line = ancestry(table);
  const family = line.map(familyOf).find((name) => name !== undefined);
  if (family === undefined) return undefined;
  // The outermost of the family is the program itself, with the environment that it was given.
  const program = line.findLast((entry) => familyOf(entry) === family);
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

function familyOf(entry: ProcessEntry): string | undefined {
  const mark = markOf(entry);
  if (mark !== undefined) return showMark(mark);
  const told = entry.variable("TROUPE_MARK") ?? entry.variable("TROUPE_RUN");
  return told === "" ? undefined : told;
}
