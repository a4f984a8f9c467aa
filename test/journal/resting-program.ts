// Creates a run of one owner whose journal comes to rest and wakes up again, and prints each event that it was told is
// durable: `node resting-program.ts RUNS [short]`. `short`: no file can be opened for a moment when it wakes up.
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";

const [runs = "", shortage] = process.argv.slice(2);
const journal = createSqliteStore(runs).create("run-a");
journal.takeLease(claim({ pid: process.pid }), RULES);
const append = async (seq: number) => {
  await journal.append({ epoch: 1, events: logs(seq, seq) });
  writeSync(1, `${seq}\n`);
};
for (const seq of [1, 2, 3]) await append(seq);
for (const nowMs of [3000, 6000]) journal.renewLease(1, nowMs);
while (existsSync(join(runs, "run-a", "journal.db-wal"))) await new Promise(setImmediate);
const held = shortage === undefined ? [] : fill();
const woken = append(4);
for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
for (const descriptor of held) closeSync(descriptor);
await woken;

function fill(): readonly number[] {
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync("/dev/null", "r"));
  } catch {
    writeSync(1, "short\n");
    return opened;
  }
}
