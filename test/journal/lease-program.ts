// Creates a run, takes its lease, renews it so often and gives it back: `node lease-program.ts RUNS RENEWALS`.
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";

const [runs = "", renewals = "0"] = process.argv.slice(2);
const journal = createSqliteStore(runs).create("run_lease");
const holder = { pid: process.pid, pidStartedAt: "1", bootId: "boot" };
const claim = { ...holder, socketPath: "", command: "test", nowMs: 0 };
const attempt = journal.takeLease(claim, { ttlMs: 10_000, isGone: () => false });
if (attempt.status === "held") throw new Error("somebody else owns a new run");
const { epoch } = attempt;
await journal.append({
  epoch,
  events: [{ seq: 1, at: 0, type: "log", note: "n", level: "info", text: "x" }],
});
for (let renewal = 1; renewal <= Number(renewals); renewal += 1) journal.renewLease(epoch, renewal);
journal.releaseLease(epoch);
journal.close();
