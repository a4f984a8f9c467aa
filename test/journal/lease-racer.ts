/** Child process of the lease race: opens a run, waits for the word, claims the lease, tells the outcome. */
import { once } from "node:events";
import { systemClock } from "../../src/foundation/clock.ts";
import { retryWhileBusy } from "../../src/journal/sqlite-errors.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";

const [runsDirectory = "", run = ""] = process.argv.slice(2);
const journal = createSqliteStore(runsDirectory).open(run, "write");
process.send?.("ready");
await once(process, "message");

const options = { clock: systemClock, signal: new AbortController().signal };
const take = () => journal.takeLease(claim({ pid: process.pid }), RULES);
const { status } = await retryWhileBusy(take, options);
process.send?.(status);
journal.close();
process.disconnect();
