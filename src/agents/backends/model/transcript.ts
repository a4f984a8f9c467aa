import type { SessionFact, SessionRecord } from "../../../contracts/session-record.ts";
import { toJson } from "../../../foundation/json.ts";
import { isBeginning, readEntry, type SessionEntry } from "./loop/entry.ts";

/**
 * The record of a session as its loop reads it: in memory what the model is shown, in the journal all of it. What is
 * added is durable before anything follows from it.
 */
export class Transcript {
  readonly #record: SessionRecord | undefined;
  #entries: SessionEntry[];

  /** Without a record nothing outlives this process. */
  constructor(record: SessionRecord | undefined) {
    this.#record = record;
    const kept = record?.read(isBeginning) ?? [];
    this.#entries = kept.flatMap((entry) => readEntry(entry) ?? []);
  }

  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  async add(turn: number, fact: SessionFact, entry: SessionEntry): Promise<void> {
    const json = toJson(entry, "an entry of a session");
    const kept = (await this.#record?.keep(turn, fact, json)) ?? json;
    const read = readEntry(kept) ?? entry;
    // What a compaction leaves out is in the journal only.
    if (read.kind === "compacted") this.#entries = [read];
    else this.#entries.push(read);
  }
}
