import { lstatSync } from "node:fs";
import { runFiles } from "./run-files.ts";

/** What the files of a run look like from outside. */
export interface RunSignature {
  /** Differs whenever a file of the run was written, replaced or moved. */
  readonly text: string;
  /** Last change of any of them, in ms since the epoch. */
  readonly changedAtMs: number;
}

/**
 * Looks at the files of a run without opening one; undefined when there is no journal. The time of the last
 * change of an inode is in it, which nobody can set, so that an altered journal is seen whatever its size.
 */
export function readSignature(runsDirectory: string, run: string): RunSignature | undefined {
  const files = runFiles(runsDirectory, run);
  if (files === undefined) return undefined;
  const parts: string[] = [];
  let changedAtMs = 0;
  for (const path of [files.journal, `${files.journal}-wal`, files.seal]) {
    const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined && path === files.journal) return undefined;
    // Readers make and leave empty logs, which say nothing.
    if (stat === undefined || (stat.size === 0n && path !== files.journal)) {
      parts.push("-");
      continue;
    }
    changedAtMs = Math.max(changedAtMs, Number(stat.ctimeMs));
    parts.push(`${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`);
  }
  return { text: parts.join(" "), changedAtMs };
}
