import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** What an effect tells the world outside of the run: that it starts, that it is done. */
export interface LedgerEntry {
  readonly mark: "start" | "end";
  /** The idempotency key that it was given. */
  readonly key: string;
  readonly step: string;
  readonly attempt: number;
}

/** Adds one line in one write, so that lines of several processes never mix. */
export function appendToLedger(file: string, { mark, key, step, attempt }: LedgerEntry): void {
  appendFileSync(file, `${mark} ${key} ${step} ${attempt}\n`);
}

/** The entries so far; none when nothing was ever done. */
export function readLedger(file: string): readonly LedgerEntry[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n").filter(Boolean).map(toEntry);
}

function toEntry(line: string): LedgerEntry {
  const [mark, key = "", step = "", attempt] = line.split(" ");
  if (mark !== "start" && mark !== "end") throw new Error(`no line of the ledger: ${line}`);
  return { mark, key, step, attempt: Number(attempt) };
}
