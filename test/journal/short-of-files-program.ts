import { closeSync, openSync } from "node:fs";
import { openRunIndex } from "../../src/journal/run-index.ts";

// Prints how many runs an index still knows after each try to open it with few or no files left to open.
const path = process.argv[2] ?? "";
const known: number[] = [];
for (let left = 0; left < 8; left += 1) {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    for (const descriptor of held.splice(0, left)) closeSync(descriptor);
  }
  openRunIndex(path)?.close();
  for (const descriptor of held) closeSync(descriptor);
  const index = openRunIndex(path);
  known.push(index?.entries.size ?? -1);
  index?.close();
}
process.stdout.write(JSON.stringify(known));
