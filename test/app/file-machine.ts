import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { toHead } from "../../src/fold/head.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";

/** A run as an earlier version wrote it. */
/** So many of the first events of a run are commits of their own. */
const ALONE = 24;

export interface RecordedRun {
  readonly run: string;
  readonly definition: string;
  readonly events: readonly JournalEvent[];
}

const RECORDED = new URL("./recorded/", import.meta.url);

const recordedSchema: z.ZodType<RecordedRun> = z.object({
  run: z.string(),
  definition: z.string(),
  events: z.array(z.custom<JournalEvent>()),
});

/** All recorded runs. */
export const recordedRuns: readonly RecordedRun[] = readdirSync(RECORDED)
  .filter((name) => name.endsWith(".json"))
  .map((name) => recordedSchema.parse(JSON.parse(readFileSync(new URL(name, RECORDED), "utf8"))));

/** A machine whose project is a directory of its own; it goes with the test. */
export function createFileMachine(): Machine & { readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), "troupe-app-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".troupe"));
  mkdirSync(join(root, "tmp"));
  const env = { PATH: process.env["PATH"], XDG_RUNTIME_DIR: root, TMPDIR: join(root, "tmp") };
  return { ...createMachineAt({ cwd: root, env }), root };
}

/** Puts events into a journal of the machine, as their owner would have written them. */
export async function writeRun(
  machine: Machine,
  { run, definition, events }: RecordedRun,
): Promise<void> {
  const journal = machine.store.create(run);
  journal.takeLease(claim({}), RULES);
  const head = toHead(foldAll(run, events), 8);
  const blobs = { [sha256(definition)]: definition };
  // A row is damaged as a whole: tests that damage one of the first events find the one before intact.
  for (const event of events.slice(0, ALONE)) await journal.append({ epoch: 1, events: [event] });
  await journal.append({ epoch: 1, events: events.slice(ALONE), head, blobs });
  journal.seal();
  journal.releaseLease(1);
  journal.close();
}

/** The first part of a recorded run, under another id; all of it unless told otherwise. */
export function recordedRun(run: string, eventCount: number = Infinity): RecordedRun {
  const [recorded] = recordedRuns;
  if (recorded === undefined) throw new Error("there is no recorded run");
  return { ...recorded, run, events: recorded.events.slice(0, eventCount) };
}

/** A run that began long ago and has only had messages since: `eventCount` events. */
export function longRun(run: string, eventCount: number): RecordedRun {
  const { events, ...recorded } = recordedRun(run, 2);
  const at = events.at(-1)?.at ?? 0;
  const messages = Array.from({ length: eventCount - events.length }, (_, index): JournalEvent => {
    const seq = events.length + index + 1;
    const text = `message ${seq}`;
    const who = { from: seq % 2 === 0 ? "ann" : "bob", mentions: [], signals: [] };
    return { type: "message-posted", id: `msg_${seq}`, ...who, text, seq, at: at + seq };
  });
  return { ...recorded, events: [...events, ...messages] };
}
