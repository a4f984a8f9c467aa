import { readlinkSync } from "node:fs";
import { withDescendants } from "../../../src/host/process-family.ts";
import { createProcessTable } from "../../../src/host/process-table.ts";
import type { ProcessEntry, ProcessListing } from "../../../src/host/system/process-entry.ts";

/** Names the bench in the environment of whatever it starts. */
export const ROOT_VARIABLE = "CONFORMANCE_ROOT";

/**
 * The living processes that came from a bench: those that carry its variable, those that work below its
 * root, and what these have started. A client may clean the environment of what it starts, but hardly both.
 */
export async function seenProcesses(root: string): Promise<readonly ProcessEntry[]> {
  const listing: ProcessListing = await createProcessTable().list();
  const roots = listing.entries.filter(
    (entry) => !entry.isDead && entry.isOwn() && comesFrom(entry, root),
  );
  return withDescendants(listing, roots);
}

/** Kills what `seenProcesses` sees: only a test that failed has left any. */
export async function killSeenProcesses(root: string): Promise<void> {
  for (const { pid } of await seenProcesses(root)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function comesFrom(entry: ProcessEntry, root: string): boolean {
  return entry.variable(ROOT_VARIABLE) === root || directoryOf(entry).startsWith(root);
}

/** Empty where the system does not tell. */
function directoryOf({ pid }: ProcessEntry): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
