import { createLineSplitter } from "../foundation/line-splitter.ts";
import { endProcesses } from "./end-processes.ts";
import { familyMembers, ownedMembers, type ProcessFamily } from "./process-family.ts";
import { createProcessTable } from "./process-table.ts";
import { fromReaperLine } from "./reaper-protocol.ts";
import type { ProcessEntry, ProcessListing } from "./system/process-entry.ts";

// The program of the reaper. It owns nothing but a list of families; stdin is its line to the owner.
// I1 It ends only by `quit`, or after the owner's death when nothing of the owner's is left.
// I2 From the owner's death to the last SIGKILL it takes less than 5 s.

const GRACE_MS = 1500;
const KILL_MS = 3000;
const LONGEST_LINE_CHARS = 1024;

const owner = process.argv[2] ?? "";
const families = new Map<string, ProcessFamily>();
const lines = createLineSplitter(LONGEST_LINE_CHARS, obey);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
process.stdin.once("close", () => {
  lines.end();
  // What fails here has nobody to be told; the exit code is for whoever runs this by hand.
  endAll().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});

function obey(line: string): void {
  const order = fromReaperLine(line);
  if (order?.kind === "quit") process.exit(0);
  if (order?.kind === "watch") families.set(order.family.mark, order.family);
  if (order?.kind === "forget") families.delete(order.mark);
}

async function endAll(): Promise<void> {
  const find = (listing: ProcessListing) => {
    const found = new Map<number, ProcessEntry>();
    for (const entry of ownedMembers(listing, owner)) found.set(entry.pid, entry);
    for (const family of families.values())
      for (const entry of familyMembers(listing, family)) found.set(entry.pid, entry);
    return [...found.values()];
  };
  await endProcesses({ table: createProcessTable(), find, graceMs: GRACE_MS, killMs: KILL_MS });
}
