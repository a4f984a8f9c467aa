import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Owns: that this process stays small while programs print more than anybody reads (AGT-6). Left alone, V8 lets
// garbage pile up to more than 100 MB before it looks for it, since it does not know that none of it lasts.
// See docs/decisions/0030-memory-while-programs-are-loud.md.

/** From here on output is a stream and no answer. */
const LOUD_BYTES = 8 * 1024 * 1024;
const LOOK_EVERY_BYTES = 2 * 1024 * 1024;
const MOST_GARBAGE_BYTES = 12 * 1024 * 1024;
/** What is in use may grow by this share before it is looked through, so that looking costs little however much is in use. */
const MOST_GARBAGE_SHARE = 0.25;

let readBytes = 0;
let nextLookBytes = LOUD_BYTES;
let inUseBytes = Infinity;
let collect: (() => void) | undefined;

/** Counts what programs print to this process, and has garbage collected while they are loud. */
export function countOutput(bytes: number): void {
  readBytes += bytes;
  if (readBytes < nextLookBytes) return;
  nextLookBytes = readBytes + LOOK_EVERY_BYTES;
  const now = usedBytes();
  inUseBytes = Math.min(inUseBytes, now);
  collect ??= becomeSmall();
  if (now - inUseBytes <= Math.max(MOST_GARBAGE_BYTES, inUseBytes * MOST_GARBAGE_SHARE)) return;
  collect();
  inUseBytes = usedBytes();
}

/** Keeps the young generation from growing, and gives the collection of garbage. */
function becomeSmall(): () => void {
  // Everything of a stream dies young, however small that generation is.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  return typeof gc === "function" ? () => void gc() : () => {};
}

/** With long texts, which V8 keeps outside of its heap. */
function usedBytes(): number {
  const { used_heap_size: inHeap, external_memory: outside } = getHeapStatistics();
  return inHeap + outside;
}
