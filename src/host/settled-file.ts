import { type FSWatcher, watch } from "node:fs";
import { link, lstat, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FoundText } from "../contracts/host.ts";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { systemErrorCode } from "./system/system-error.ts";

/** How long a file must stay as it is before its text counts as finished. */
const SETTLE_MS = 60;
/** How often a file is looked at of which the system tells nothing. */
const LOOK_EVERY_MS = 500;

type Read = () => Promise<string | undefined>;

/** The text of a file once it is the same at two looks. Rejects with the signal's reason. */
export async function readSettled(
  read: Read,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let before = await read(); ; ) {
    await delay(clock, SETTLE_MS, signal);
    const now = await read();
    if (now === before) return now;
    before = now;
  }
}

/** A file that is watched. */
interface WatchedFile {
  readonly directory: string;
  readonly read: Read;
  readonly clock: Clock;
}

/** What is found in the place of a file once it is settled and not known. Rejects with the signal's reason. */
export async function readUnknown(
  { directory, read, clock }: WatchedFile,
  isKnown: (found: FoundText) => boolean,
  signal: AbortSignal,
): Promise<FoundText> {
  const wake = new Wake(directory);
  try {
    for (;;) {
      const stirred = wake.next();
      if (!isKnown(await look(read))) {
        const found = await look(() => readSettled(read, clock, signal));
        signal.throwIfAborted();
        if (!isKnown(found)) return found;
      }
      await firstOf(stirred, clock, signal);
    }
  } finally {
    wake.end();
  }
}

async function look(read: Read): Promise<FoundText> {
  try {
    return { text: await read() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Waits for the promise, and no longer than until the next look. */
async function firstOf(stirred: Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const waited = delay(clock, LOOK_EVERY_MS, AbortSignal.any([signal, over.signal]));
  try {
    await Promise.race([stirred, waited]);
  } finally {
    over.abort();
    // Whoever won the race ended it.
    waited.catch(() => {});
  }
}

/** Tells that something happened in a directory, where the system does. */
class Wake {
  readonly #watcher: FSWatcher | undefined;
  #stir = Promise.withResolvers<void>();

  constructor(directory: string) {
    this.#watcher = tryWatch(directory);
    this.#watcher?.on("error", () => this.#watcher?.close());
    this.#watcher?.on("change", () => this.#stir.resolve());
  }

  next(): Promise<void> {
    this.#stir = Promise.withResolvers();
    return this.#stir.promise;
  }

  end(): void {
    this.#watcher?.close();
  }
}

function tryWatch(directory: string): FSWatcher | undefined {
  try {
    return watch(directory, { persistent: false });
  } catch {
    return undefined;
  }
}

// What somebody writes into a file while it is being replaced is in neither text. So the file that is replaced keeps a
// second name until it was looked at. Who saves by renaming can still be lost, between two calls of the system.

/** A file that is to be replaced. */
interface ReplacedFile {
  readonly place: string;
  readonly clock: Clock;
  readonly read: (place: string) => Promise<string>;
  /** Puts the new text in its place, in one moment. */
  readonly replace: () => Promise<void>;
}

/** Replaces a file; what was in it, if that is not known, once nobody writes to it. Rejects with the signal's reason. */
export async function replaceKnown(
  { place, clock, read, replace }: ReplacedFile,
  isKnown: (text: string | undefined) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const aside = join(dirname(place), `.${basename(place)}.troupe-aside`);
  const kept = await keep(place, aside);
  // Whoever died before it was looked at has replaced the file already.
  if (kept !== "replaced") await replace();
  if (kept === "nothing") return undefined;
  try {
    if (isKnown(await read(aside))) return undefined;
    const text = await readSettled(() => read(aside), clock, signal);
    return isKnown(text) ? undefined : text;
  } finally {
    await rm(aside, { force: true });
  }
}

async function keep(place: string, aside: string): Promise<"kept" | "replaced" | "nothing"> {
  const found = await lstat(place).catch(() => undefined);
  const before = await lstat(aside).catch(() => undefined);
  if (before !== undefined) return before.ino === found?.ino ? "kept" : "replaced";
  if (found?.isFile() !== true) return "nothing";
  try {
    await link(place, aside);
    return "kept";
  } catch (error) {
    // It has just gone, or the file system knows no second names.
    if (
      ["ENOENT", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(systemErrorCode(error) ?? "")
    )
      return "nothing";
    throw error;
  }
}
