import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessTable } from "./system/process-entry.ts";
import { currentProcessIdentity, isAlive, viewName } from "./system/process-identity.ts";

// Owns temporary directories that must not outlive their process. The name says which process that is, and in which view of
// processes its pid counts, so that the next command can remove what a killed one left.

const NAME = /^troupe-([a-z]+)-(\d+)-(\d+)-([0-9a-f]{8})-[A-Za-z0-9]{6}$/;

/** Makes a private directory for this process. Raises errors of the system. */
export function makeProcessDirectory(kind: string, table: ProcessTable): string {
  const { pid, startedAt } = currentProcessIdentity(table);
  return mkdtempSync(join(tmpdir(), `troupe-${kind}-${pid}-${startedAt}-${viewName(table)}-`));
}

/** Removes directories of one kind whose processes are gone. Those of other users and of other containers stay. */
export function removeLeftDirectories(kind: string, table: ProcessTable): void {
  const parent = tmpdir();
  for (const name of readdirSync(parent)) {
    const [, found, pid = "", startedAt = "", view] = NAME.exec(name) ?? [];
    if (found !== kind || view !== viewName(table)) continue;
    if (isAlive(table, { pid: Number(pid), startedAt })) continue;
    const path = join(parent, name);
    const isOwn = statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOwn) rmSync(path, { recursive: true, force: true });
  }
}
