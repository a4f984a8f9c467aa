import type { SessionFact, SessionRecord } from "../../../../src/contracts/session-record.ts";
import type { Json } from "../../../../src/foundation/json.ts";

/** A record in memory, with what was kept and as what. */
export interface MemoryRecord extends SessionRecord {
  readonly kept: readonly { readonly fact: SessionFact; readonly entry: Json }[];
}

/** A record; `dieAfter`: keeping more than so many entries fails, as in a process that has ended. */
export function createMemoryRecord(
  before: readonly { readonly fact: SessionFact; readonly entry: Json }[] = [],
  dieAfter = Infinity,
): MemoryRecord {
  const kept = [...before];
  return {
    kept,
    read: (isStart) => {
      const entries = kept.map(({ entry }) => entry);
      const start = entries.findLastIndex((entry) => isStart(entry));
      return entries.slice(Math.max(0, start));
    },
    keep: async (_turn, fact, entry) => {
      if (kept.length >= dieAfter) throw new Error("the process is gone");
      kept.push({ fact, entry });
      return entry;
    },
  };
}
