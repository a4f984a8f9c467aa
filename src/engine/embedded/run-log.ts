import type { Journal } from "../../contracts/ports/store.ts";
import type { RunLog } from "../ports.ts";

/** The log of a run in its journal, appended under one epoch. */
export function createRunLog(journal: Journal, epoch: number): RunLog {
  return {
    run: journal.run,
    append: (batch) => journal.append({ epoch, ...batch }),
    read: (afterSeq) => journal.read(afterSeq),
    blob: (hash) => journal.blob(hash),
    seal: () => journal.seal(),
    beginWork: () => journal.beginWork(),
    giveUpWork: () => journal.giveUpWork(),
  };
}
