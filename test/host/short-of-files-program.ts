import { openSync } from "node:fs";
import { createProcessTable } from "../../src/host/process-table.ts";
import { systemErrorCode } from "../../src/host/system/system-error.ts";

// Prints what looking for a living process comes to while no file can be opened.
const table = createProcessTable();
const seen: unknown[] = [table.find(process.ppid) !== undefined];
let held = 0;
try {
  for (;;) held = openSync("/dev/null", "r");
} catch (error) {
  seen.push(held > 0, systemErrorCode(error));
}
try {
  seen.push(table.find(process.ppid) === undefined ? "gone" : "found");
} catch (error) {
  seen.push(systemErrorCode(error));
}
process.stdout.write(JSON.stringify(seen));
