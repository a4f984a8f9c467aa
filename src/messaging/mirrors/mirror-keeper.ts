import { type FSWatcher, watch } from "node:fs";
import type { Clock, Timer } from "../../foundation/clock.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { systemErrorCode } from "../../host/system/system-error.ts";
import type { ChannelMirror } from "./channel-mirror.ts";
import type { DocumentMirrors } from "./document-mirrors.ts";
import type { FileMark, MirrorDirectory } from "./mirror-directory.ts";
import type { MirrorLedger } from "./mirror-ledger.ts";

// Owns when the files of a run are written and looked at: one thing after the other, never in a turn's way.
// K1: what cannot be written is told once and tried again; the run goes on meanwhile.
// K2: every timer, and the watching of the directory, ends with `close`.
// K3: where nothing has changed since all was written, a look costs a call of the system for each file, and no more.

export interface MirrorKeeperOptions {
  readonly directory: MirrorDirectory;
  readonly ledger: MirrorLedger;
  readonly channel: ChannelMirror | undefined;
  readonly documents: DocumentMirrors;
  readonly clock: Clock;
  /** Makes the directory the run's own. */
  readonly claim: () => void;
  /** Tells people; the same text only once. */
  readonly warn: (text: string) => void;
  /** Something went wrong that must not. */
  readonly onFatal: (error: unknown) => void;
}

const LOOK_EVERY_MS = 2000;
/** Where the system tells of changes, looks that find none become rarer, up to this. */
const LONGEST_LOOK_MS = 8000;
/** How long a file must be left alone before a change of it counts as finished. */
const SETTLE_MS = 200;
const RETRY_MS = 5000;

const DIRECTORY = "";
const LEDGER = ".";

type Task = "look" | "settle" | "retry";

/** Keeps the files of one run in step with its journal. */
export class MirrorKeeper {
  readonly #options: MirrorKeeperOptions;
  readonly #timers = new Map<Task, Timer>();
  #status: "waiting" | "open" | "closed" = "waiting";
  #isDirty = false;
  #work: Promise<void> | undefined;
  #watch: DirectoryWatch | undefined;
  #quietLooks = 0;
  /** The directory when all was written, unless something is to be done since. */
  #seen: FileMark | undefined;
  /** Parts that could not be dealt with the last time. */
  readonly #troubles = new Map<string, string>();

  constructor(options: MirrorKeeperOptions) {
    this.#options = options;
  }

  /** Takes the directory and begins. What stands in it is dealt with before this returns. */
  open(): void {
    if (this.#status !== "waiting") return;
    const { directory, claim, documents } = this.#options;
    const isOpen = this.#tryNow(DIRECTORY, () => {
      directory.prepare();
      claim();
      documents.takeUp();
    });
    if (!isOpen) {
      this.#later("retry", RETRY_MS, () => this.open());
      return;
    }
    this.#status = "open";
    this.#look(true);
    this.#watchAnew();
    this.#lookAgain();
    this.kick();
  }

  /** There is something to write. */
  kick(): void {
    this.#isDirty = true;
    if (this.#status !== "open" || this.#work !== undefined) return;
    this.#work = this.#workOff()
      .catch(this.#options.onFatal)
      .finally(() => {
        this.#work = undefined;
        if (this.#isDirty) this.kick();
      });
  }

  /** Takes in what people have changed, finished or not. */
  lookLast(): void {
    if (this.#status === "open") this.#look(true);
  }

  /** Resolves once all that may be shown is shown, or could not be. */
  async flush(): Promise<void> {
    this.kick();
    while (this.#work !== undefined) await this.#work;
  }

  /** Ends everything at once. */
  close(): void {
    this.#status = "closed";
    this.#watch?.close();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #lookOnce(): void {
    if (this.#isAsLeft()) {
      this.#quietLooks += 1;
      return;
    }
    this.#quietLooks = 0;
    if (this.#tryNow(DIRECTORY, () => this.#options.directory.prepare())) {
      this.#watchAnew();
      this.#look(false);
    }
    this.kick();
  }

  /** Another directory may stand in the place of the one that was watched. */
  #watchAnew(): void {
    const { directory, documents } = this.#options;
    const identity = directory.identity();
    if (this.#watch !== undefined && this.#watch.identity === identity) return;
    this.#watch?.close();
    this.#watch = watchDirectory(directory.path, identity, (file) => {
      if (file === undefined || documents.concerns(file)) this.#lookSoon();
    });
  }

  #see(): void {
    this.#seen = this.#options.directory.mark();
  }

  #isAsLeft(): boolean {
    const { directory, documents } = this.#options;
    if (this.#seen === undefined || this.#isDirty || this.#work !== undefined) return false;
    try {
      return directory.mark() === this.#seen && documents.all().every((each) => each.isAsKnown());
    } catch {
      // The look that follows meets it as well, and tells of it.
      return false;
    }
  }

  #lookSoon(): void {
    this.#later("settle", SETTLE_MS, () => this.#lookOnce());
  }

  #look(isFinal: boolean): void {
    for (const document of this.#options.documents.all())
      this.#tryNow(document.file, () => {
        if (document.look(isFinal) === "unsettled") this.#lookSoon();
      });
  }

  #lookAgain(): void {
    // The keepers of all runs of a process look in the same moment: it wakes once, however many they are.
    const rarerMs = Math.min(LOOK_EVERY_MS * 2 ** this.#quietLooks, LONGEST_LOOK_MS);
    const everyMs = this.#watch?.isAlive() === true ? rarerMs : LOOK_EVERY_MS;
    const untilNextMs = everyMs - (this.#options.clock.monotonic() % everyMs);
    this.#later("look", untilNextMs, () => {
      if (!this.#timers.has("settle")) this.#lookOnce();
      this.#lookAgain();
    });
  }

  async #workOff(): Promise<void> {
    while (this.#isDirty && this.#status === "open") {
      this.#isDirty = false;
      const isWritten = await this.#writeAll();
      this.#seen = undefined;
      if (isWritten) this.#tryNow(DIRECTORY, () => this.#see());
      if (!isWritten) this.#later("retry", RETRY_MS, () => this.kick());
    }
  }

  async #writeAll(): Promise<boolean> {
    const { directory, ledger, channel, documents } = this.#options;
    const isReady = this.#tryNow(DIRECTORY, () => {
      directory.prepare();
      documents.takeUp();
    });
    if (!isReady) return false;
    let isWritten = await this.#try(LEDGER, () => ledger.save());
    if (channel !== undefined)
      isWritten = (await this.#try(channel.file, () => channel.sync())) && isWritten;
    for (const document of documents.all())
      isWritten = (await this.#try(document.file, () => document.sync())) && isWritten;
    return isWritten;
  }

  #tryNow(part: string, act: () => void): boolean {
    try {
      act();
    } catch (error) {
      return this.#failed(part, error);
    }
    this.#troubles.delete(part);
    return true;
  }

  async #try(part: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
    } catch (error) {
      return this.#failed(part, error);
    }
    this.#troubles.delete(part);
    return true;
  }

  /** Errors of files are expected; anything else is a mistake of ours. */
  #failed(part: string, error: unknown): false {
    const reason = systemErrorCode(error);
    if (!(error instanceof Error) || reason === undefined) throw error;
    // One reason for several files, a directory that may not be written, is one warning.
    const isKnown = [...this.#troubles.values()].includes(reason);
    this.#troubles.set(part, reason);
    if (isKnown) return false;
    const { directory, warn } = this.#options;
    const { message } = error;
    warn(
      error instanceof TroupeError
        ? `${message}; ${error.hint ?? "this is tried again"} [${error.code}]`
        : `${directory.path} does not show the run as it is: ${message}; this is tried again`,
    );
    return false;
  }

  #later(task: Task, delayMs: number, act: () => void): void {
    this.#timers.get(task)?.cancel();
    if (this.#status === "closed") return;
    const fire = () => {
      this.#timers.delete(task);
      act();
    };
    this.#timers.set(task, this.#options.clock.startTimer(delayMs, fire));
  }
}

/** What the system tells of one directory. */
interface DirectoryWatch {
  readonly identity: string | undefined;
  /** Whether the system tells of it, as far as is known. */
  isAlive(): boolean;
  close(): void;
}

/**
 * Calls `onChange` with the name of a file that something happened to, if it is known, by the means of the
 * system; where there are none, never.
 */
function watchDirectory(
  path: string,
  identity: string | undefined,
  onChange: (file: string | undefined) => void,
): DirectoryWatch {
  let watcher = tryWatch(path);
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  // Whoever watches looks for itself from time to time, too.
  watcher?.on("error", close);
  watcher?.on("change", (_kind, file) => onChange(typeof file === "string" ? file : undefined));
  return { identity, isAlive: () => watcher !== undefined, close };
}

function tryWatch(path: string): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false });
  } catch {
    return undefined;
  }
}
