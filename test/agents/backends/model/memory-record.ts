import type { SessionFact, SessionRecord } from "../../../../src/contracts/session-record.ts";
import { sha256 } from "../../../../src/foundation/hash.ts";
import type { Json } from "../../../../src/foundation/json.ts";

/** A record in memory, with what was kept and as what. */
export interface MemoryRecord extends SessionRecord {
  /** What tools left out, by its hash. */
  readonly rests: ReadonlyMap<string, string>;
  readonly kept: readonly { readonly fact: SessionFact; readonly entry: Json }[];
}

/** A record; `dieAfter`: keeping more than so many entries fails, as in a process that has ended. */
export function createMemoryRecord(
  before: readonly { readonly fact: SessionFact; readonly entry: Json }[] = [],
  dieAfter = Infinity,
): MemoryRecord {
  const kept = [...before];
  const rests = new Map<string, string>();
  return {
    kept,
    rests,
    read: (isStart) => {
      const entries = kept.map(({ entry }) => entry);
      const start = entries.findLastIndex((entry) => isStart(entry));
      return entries.slice(Math.max(0, start));
    },
    keepRest: (text) => {
      const rest = { ref: sha256(text), sizeBytes: Buffer.byteLength(text), text };
      rests.set(rest.ref, text);
      return rest;
    },
    flushed: async () => {},
    keep: (_turn, fact, entry) => {
      if (kept.length >= dieAfter) throw new Error("the process is gone");
      kept.push({ fact, entry });
      return entry;
    },
  };
}
