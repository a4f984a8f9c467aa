import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import type { Machine } from "../../src/app/machine/machine.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { toHead } from "../../src/fold/head.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { ExportReader } from "../../src/journal/export/export-reader.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";

const RUNS = join(import.meta.dirname, "runs");

/** One run of a recording, with the texts that it names by their hashes. */
export interface RecordedRun {
  readonly run: string;
  readonly events: readonly JournalEvent[];
  readonly texts: ReadonlyMap<string, string>;
}

/** The export of a recording. */
export function exportFile(name: string): string {
  return join(RUNS, `${name}.jsonl.gz`);
}

/** What `show --json` tells of a run, as far as it is compared by name. */
export interface ShownRun {
  readonly run: { readonly id: string; readonly outcome: string | null };
  readonly steps: readonly { readonly path: string; readonly execution: number }[];
}

/** What `show --json` told of the runs of a recording when it was made; the run at the top first. */
export function shownThen(name: string): readonly ShownRun[] {
  return JSON.parse(readFileSync(join(RUNS, `${name}.shown.json`), "utf8"));
}

/** The runs of a recording, the one at the top first, as if they had been made in another directory. */
export function recordedIn(directory: string, name: string): readonly RecordedRun[] {
  const runs = readExport(name);
  const [first] = runs[0]?.events ?? [];
  if (first?.type !== "run-created") throw new Error(`${name} does not begin with a run`);
  return runs.map((run) => moved(run, first.cwd, directory));
}

/** Puts runs into journals of a machine, as their owner would have written them. */
export async function writeRuns(machine: Machine, runs: readonly RecordedRun[]): Promise<void> {
  for (const { run, events, texts } of runs) {
    const journal = machine.store.create(run);
    journal.takeLease(claim({}), RULES);
    const head = toHead(foldAll(run, events), 1);
    await journal.append({ epoch: 1, events, head, blobs: Object.fromEntries(texts) });
    journal.seal();
    journal.releaseLease(1);
    journal.close();
  }
}

function readExport(name: string): readonly RecordedRun[] {
  const runs: { run: string; events: JournalEvent[]; texts: Map<string, string> }[] = [];
  const reader = new ExportReader(name, {
    begin: ({ run }) => void runs.push({ run, events: [], texts: new Map() }),
    text: ({ hash, text }) => void runs.at(-1)?.texts.set(hash, text),
    event: (event) => void runs.at(-1)?.events.push(event),
    end: ({ events }) => expect(events).toBeGreaterThan(0),
  });
  reader.push(gunzipSync(readFileSync(exportFile(name))));
  reader.end();
  return runs;
}

/** A run with another text in place of one, such as a directory; what is named by its hash gets another hash with it. */
export function moved({ run, events, texts }: RecordedRun, from: string, to: string): RecordedRun {
  const changed = [...texts].map(([hash, text]) => {
    const here = text.replaceAll(from, to);
    return { before: hash, after: sha256(here), text: here };
  });
  const named = JSON.stringify(events).replaceAll(from, to);
  const hashed = changed.reduce((all, { before, after }) => all.replaceAll(before, after), named);
  return {
    run,
    events: JSON.parse(hashed),
    texts: new Map(changed.map(({ after, text }) => [after, text])),
  };
}
