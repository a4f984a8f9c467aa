import { sha256 } from "../../../src/foundation/hash.ts";
import { exportLines } from "../../../src/journal/export/export-lines.ts";
import { openJournalRows } from "../../../src/journal/export/journal-rows.ts";
import { claim, logs, RULES } from "../../../src/testing/journal-case.ts";
import type { TemporaryStore } from "../temporary-store.ts";

/** The texts that the events of a run name, in no order. */
export const TEXTS = ["the definition of a run", "a prompt"];

/** A run of three events and two texts, which nobody owns. */
export async function writeRun({ store }: TemporaryStore, run: string): Promise<void> {
  const journal = store.create(run);
  journal.takeLease(claim({}), RULES);
  const blobs = Object.fromEntries(TEXTS.map((text) => [sha256(text), text]));
  await journal.append({ epoch: 1, events: logs(1, 3), head: { at: 3 }, blobs });
  journal.seal();
  journal.releaseLease(1);
  journal.close();
}

/** The lines of its export, each with its end. */
export function linesOf(
  { runsDirectory }: TemporaryStore,
  run: string,
  below?: readonly string[],
): readonly string[] {
  const rows = openJournalRows(runsDirectory, run, false);
  try {
    const origin = { run, troupe: "1.0.0", exportedAt: "2026-01-01T00:00:00Z" };
    return [...exportLines(rows, below === undefined ? origin : { ...origin, below })];
  } finally {
    rows.close();
  }
}

/** The same lines under a trailer whose hash is right for them. */
export function resealed(lines: readonly string[]): readonly string[] {
  const rows = lines.slice(0, -1);
  const trailer = (lines.at(-1) ?? "").replace(
    /"sha256":"\w+"/,
    `"sha256":"${sha256(rows.join(""))}"`,
  );
  return [...rows, trailer];
}
