import { type FSWatcher, watch } from "node:fs";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";

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

/** The text of a file once it is settled and is one that is not known. Rejects with the signal's reason. */
export async function readUnknown(
  { directory, read, clock }: WatchedFile,
  isKnown: (text: string | undefined) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const wake = new Wake(directory);
  try {
    for (;;) {
      const stirred = wake.next();
      if (!isKnown(await read())) {
        const text = await readSettled(read, clock, signal);
        if (!isKnown(text)) return text;
      }
      await firstOf(stirred, clock, signal);
    }
  } finally {
    wake.end();
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
