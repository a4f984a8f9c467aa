import type { JournalEvent } from "../../contracts/events/event.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { isJsonArray, type Json, toJson } from "../../foundation/json.ts";
import { storeCorrupt } from "../../journal/errors.ts";
import { openJournalRows } from "../../journal/export/journal-rows.ts";
import { GENESIS_HASH, toJournalEvent } from "../../journal/hash-chain.ts";
import type { Machine } from "../machine/machine.ts";

/** What a fork can be made from: the events of a run as far as they are intact, and their texts. */
export interface ReadableRun {
  readonly events: readonly JournalEvent[];
  /** Texts that the events name, by their hashes. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads a run without owning it; of a damaged one what comes before the damage. Raises RUN_NOT_FOUND, STORE_* errors. */
export function readIntact(machine: Machine, run: string): ReadableRun {
  try {
    return readWhole(machine, run);
  } catch (error) {
    const isDamaged = error instanceof TroupeError && error.code === storeCorrupt.code;
    if (!isDamaged || !machine.keepsFiles) throw error;
    return readRest(machine, run);
  }
}

function readWhole({ store }: Machine, run: string): ReadableRun {
  const journal = store.open(run, "read");
  try {
    const events = [...journal.read()];
    const texts = new Map<string, string>();
    for (const hash of new Set(events.flatMap(hashesIn))) {
      const text = journal.blob(hash);
      if (text !== undefined) texts.set(hash, text);
    }
    return { events, texts };
  } finally {
    journal.close();
  }
}

function readRest({ project }: Machine, run: string): ReadableRun {
  const rows = openJournalRows(project.runsDirectory, run, true);
  try {
    const events: JournalEvent[] = [];
    let previous = { seq: 0, hash: GENESIS_HASH };
    for (const row of rows.events()) {
      const read = toJournalEvent({ ...row }, previous);
      if ("problem" in read) break;
      events.push(read.event);
      previous = { seq: row.seq, hash: read.hash };
    }
    return { events, texts: new Map(Array.from(rows.texts(), ({ hash, text }) => [hash, text])) };
  } finally {
    rows.close();
  }
}

/** The hashes of the texts that an event stands for. */
export function hashesIn(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case "run-created":
      return [event.definitionHash, ...(event.reuse === undefined ? [] : [event.reuse.hash])];
    case "definition-changed":
      return [event.definitionHash];
    default:
      return refsIn(toJson(event, "an event"));
  }
}

function refsIn(value: Json): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  if (isJsonArray(value)) return value.flatMap(refsIn);
  return Object.entries(value).flatMap(([key, member]) =>
    key === "ref" && typeof member === "string" && /^[0-9a-f]{64}$/.test(member)
      ? [member]
      : refsIn(member),
  );
}
