import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ContextFiles } from "../../../src/contracts/context-files.ts";
import type { EventOf, JournalEvent } from "../../../src/contracts/events/event.ts";
import type { RunDriver } from "../../../src/engine/driver/run-driver.ts";
import type { LogBatch } from "../../../src/engine/ports.ts";
import { editDocument } from "../../../src/messaging/edit-document.ts";
import { startMirrors } from "../../../src/messaging/mirrors/start-mirrors.ts";
import { sendAsAgent } from "../../../src/messaging/post-message.ts";
import { createTestRun, type TestRun } from "../../../src/testing/test-run.ts";

/** A directory of one test, with links resolved, removed after it. */
export function newDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "troupe-mirrors-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface MirroredRunOptions {
  readonly directory?: string;
  readonly files?: Partial<ContextFiles>;
  readonly append?: (batch: LogBatch, append: () => Promise<number>) => Promise<number>;
  readonly events?: readonly JournalEvent[];
}

/** A run that does nothing by itself and is shown in a real directory. */
export interface MirroredRun {
  readonly run: TestRun;
  readonly directory: string;
  /** The next owner takes the run. */
  open(): Promise<OpenRun>;
  /** The text of a file of the directory; undefined if it is not there. */
  file(name: string): string | undefined;
  /** What the directory holds, without what is hidden. */
  names(): readonly string[];
}

/** A run in the hands of an owner. */
export interface OpenRun {
  readonly driver: RunDriver<null>;
  say(from: string, text: string, to?: readonly string[]): void;
  write(by: string, text: string, name?: string): void;
  /** Waits until everything that was said and written is in the files, and lets go of the run. */
  letGo(): Promise<void>;
  /** Texts of the run's log. */
  warnings(): readonly string[];
  /** Revisions of documents in the order of the journal: name, revision, author, text. */
  revisions(): readonly (readonly [string, number, string, string])[];
  /** Moves the clock until a change by hand must have been noticed. */
  notice(): Promise<void>;
}

/** A run whose context directory is real. */
export function mirroredRun(options: MirroredRunOptions = {}): MirroredRun {
  const directory = options.directory ?? join(newDirectory(), "context");
  const files = {
    directory,
    channelFile: "channel.md",
    documentFile: "notes.md",
    ...options.files,
  };
  const run = shownRun(files, options);
  return {
    run,
    directory,
    open: async () => {
      const opened = openRun(run);
      await opened.driver.flushed();
      return opened;
    },
    file: (name) => {
      try {
        return readFileSync(join(directory, name), "utf8");
      } catch {
        return undefined;
      }
    },
    names: () => readdirSync(directory).filter((name) => !name.startsWith(".")),
  };
}

/** A run that is shown in just these files, in the hands of its first owner. */
export function startedIn(files: ContextFiles): OpenRun {
  return openRun(shownRun(files, {}));
}

function shownRun(
  files: ContextFiles,
  { append, events }: Pick<MirroredRunOptions, "append" | "events">,
): TestRun {
  return createTestRun(async (context) => context.sleep(1e9).then(() => null), {
    prepare: (driver) => startMirrors({ runtime: driver, files, mainChannel: "main" }),
    ...(append === undefined ? {} : { append }),
    ...(events === undefined ? {} : { events }),
  });
}

function openRun(run: TestRun): OpenRun {
  const driver = run.start();
  let count = 0;
  const all = <Type extends JournalEvent["type"]>(type: Type) =>
    run.events.filter((event): event is EventOf<Type> & JournalEvent => event.type === type);
  return {
    driver,
    say: (from, text, to) => {
      const draft = { text, ...(to === undefined ? {} : { to }) };
      count += 1;
      const key = `${driver.state.epoch}/${count}`;
      sendAsAgent(driver, { from, draft, key, mainChannel: "main" });
    },
    write: (by, text, name) => {
      count += 1;
      const edit = { kind: "write", text, ...(name === undefined ? {} : { name }) } as const;
      editDocument(driver, { by, edit, key: `${driver.state.epoch}/${count}` });
    },
    letGo: async () => {
      driver.suspend("interrupted", 130);
      await driver.parted;
    },
    warnings: () => all("log").map(({ text }) => text),
    revisions: () =>
      all("document-changed").map(({ document, revision, by, change }) => [
        document,
        revision,
        by,
        change.text,
      ]),
    notice: async () => {
      await run.clock.advance(2500);
      await driver.flushed();
    },
  };
}

/** A context directory that stood there before the run. */
export function standingDirectory(): string {
  const directory = join(newDirectory(), "context");
  mkdirSync(directory);
  return directory;
}
