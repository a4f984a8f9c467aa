import type { ContextFiles } from "../../contracts/context-files.ts";
import { type DocumentRevision, MAIN_DOCUMENT } from "../../contracts/document.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { editDocument, MAX_DOCUMENT_BYTES, readDocument } from "../edit-document.ts";
import type { FileMark, MirrorDirectory } from "./mirror-directory.ts";
import type { MirrorLedger } from "./mirror-ledger.ts";

export interface DocumentMirrorsOptions {
  readonly runtime: RunRuntime;
  readonly directory: MirrorDirectory;
  readonly ledger: MirrorLedger;
  readonly files: ContextFiles;
  readonly warn: (text: string) => void;
}

/** A text that is in the journal. */
interface DurableText {
  readonly revision: number;
  readonly text: string;
}

/** Who writes into a file by hand. */
const BY_HAND = "user";

/** The files of a run's documents: the main one has the name that it was given, the others their own. */
export class DocumentMirrors {
  readonly #options: DocumentMirrorsOptions;
  readonly #byName = new Map<string, DocumentMirror>();
  /** Lower-case names of files that are in use: not every file system tells letters apart. */
  readonly #taken: Set<string>;
  /** Durable, without a file as yet. The main document waits for what people write into its file. */
  readonly #waiting: Map<string, DurableText>;

  constructor(options: DocumentMirrorsOptions) {
    this.#options = options;
    const { channelFile, documentFile } = options.files;
    const names = [channelFile, documentFile].filter((name) => name !== undefined);
    this.#taken = new Set(names.map((name) => name.toLowerCase()));
    const { byName } = options.runtime.state.documents;
    this.#waiting = new Map<string, DurableText>([
      [MAIN_DOCUMENT, readDocument(options.runtime.state)],
      ...byName,
    ]);
  }

  /** From here on this revision of a document may be shown. */
  durable(name: string, at: DurableText): void {
    const mirror = this.#byName.get(name);
    if (mirror === undefined) this.#waiting.set(name, at);
    else mirror.durable(at.revision, at.text);
  }

  /** Gives the documents that became durable their files. */
  takeUp(): void {
    if (this.#options.files.documentFile === undefined) return;
    for (const [name, { revision, text }] of this.#waiting) {
      this.#mirrorOf(name).durable(revision, text);
      this.#waiting.delete(name);
    }
  }

  /** Whether a file of the directory is that of a document. */
  concerns(file: string): boolean {
    return file !== this.#options.files.channelFile && this.#taken.has(file.toLowerCase());
  }

  /** The files of all documents, for looks and for writing. */
  all(): readonly DocumentMirror[] {
    return [...this.#byName.values()];
  }

  #mirrorOf(name: string): DocumentMirror {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const { runtime, directory, ledger, warn } = this.#options;
    const mirror = new DocumentMirror({
      name,
      file: this.#fileOf(name),
      directory,
      ledger,
      maxBytes: MAX_DOCUMENT_BYTES,
      current: () => readDocument(runtime.state, name),
      takeIn: (text, hash) => {
        const { revision } = readDocument(runtime.state, name);
        const edit = { name, kind: "write", text, ifRevision: revision } as const;
        const key = `by-hand/${name}/${revision}/${hash}`;
        return editDocument(runtime, { by: BY_HAND, edit, key });
      },
      warn,
    });
    this.#byName.set(name, mirror);
    return mirror;
  }

  /** A further document never takes the place of a file that stood in the directory before. */
  #fileOf(name: string): string {
    const { files, ledger, directory } = this.#options;
    if (name === MAIN_DOCUMENT && files.documentFile !== undefined) return files.documentFile;
    let file = ledger.fileOf(name);
    for (let number = 1; file === undefined || this.#taken.has(file.toLowerCase()); number += 1) {
      file = `${name}${number === 1 ? "" : `.${number}`}.md`;
      if (directory.has(file)) file = undefined;
    }
    this.#taken.add(file.toLowerCase());
    return file;
  }
}

// Owns the file of one document: the text of its latest durable revision, and what people make of it.
// M1: what somebody wrote into the file is never lost: it becomes a revision, or it is kept in another file.
// M2: it becomes a revision only if the document is still at the one that the file showed.
// M3: a text that Troupe wrote is recognised by its hash, also by the next owner.

interface DocumentMirrorOptions {
  readonly name: string;
  readonly file: string;
  readonly directory: MirrorDirectory;
  readonly ledger: MirrorLedger;
  /** Files with more are left as they are. */
  readonly maxBytes: number;
  /** The document as it is now, durable or not. */
  readonly current: () => DocumentRevision;
  /** Makes a text that somebody wrote into the file a revision; raises what forbids it. */
  readonly takeIn: (text: string, hash: string) => DocumentRevision;
  readonly warn: (text: string) => void;
}

/** Whether a look at the file is over, or the file was just changed and must be looked at again. */
type LookResult = "settled" | "unsettled";

/** The file of one document. */
class DocumentMirror {
  readonly file: string;
  readonly #options: DocumentMirrorOptions;
  #wanted: { readonly revision: number; readonly text: string } = { revision: 0, text: "" };
  #shown: { readonly revision: number; readonly hashes: readonly string[] };
  #isNoted = true;
  /** The state of the file that is dealt with. */
  #known: FileMark | undefined;
  #isUnfit = false;
  #candidate: FileMark | undefined;

  constructor(options: DocumentMirrorOptions) {
    this.#options = options;
    this.file = options.file;
    this.#shown = options.ledger.shown(options.name) ?? { revision: 0, hashes: [] };
  }

  /** From here on this revision may be shown. */
  durable(revision: number, text: string): void {
    if (revision > this.#wanted.revision) this.#wanted = { revision, text };
  }

  /** Whether the file is as it was when it was last dealt with. */
  isAsKnown(): boolean {
    const { directory, file } = this.#options;
    return directory.look(file) === this.#known;
  }

  /**
   * Deals with what somebody else did to the file. A file that was changed after the last look may not be
   * finished: unless it is `final`, it is taken at the next look.
   */
  look(isFinal: boolean): LookResult {
    const { directory, file } = this.#options;
    const mark = directory.look(file);
    if (mark === this.#known) return "settled";
    if (!isFinal && mark !== undefined && mark !== this.#candidate) {
      this.#candidate = mark;
      return "unsettled";
    }
    this.#isUnfit = false;
    this.#known = mark;
    if (mark !== undefined) this.#read();
    return "settled";
  }

  /** Makes the file show the latest revision that may be shown. Calls must not overlap. */
  async sync(): Promise<void> {
    while (this.#mustWrite()) {
      this.look(true);
      if (this.#isUnfit) this.#setAside("its text could not be taken");
      if (this.#mustWrite()) await this.#write();
    }
    await this.#note();
  }

  #mustWrite(): boolean {
    const { revision } = this.#wanted;
    const isGone = this.#known === undefined;
    return revision > this.#shown.revision || (isGone && revision > 0 && !this.#isAhead());
  }

  /** Whether the file shows what is not durable yet. */
  #isAhead(): boolean {
    return this.#shown.revision > this.#wanted.revision;
  }

  #read(): void {
    const { directory, file, maxBytes, current, warn } = this.#options;
    const reading = directory.read(file, maxBytes);
    if (reading.status === "unfit") {
      this.#isUnfit = true;
      warn(`${file} is not taken for a revision of the document: ${reading.problem}`);
      return;
    }
    const hash = sha256(reading.text);
    if (this.#shown.hashes.includes(hash)) {
      // The last owner died before the file got its newest text.
      if (hash !== this.#shown.hashes.at(-1)) this.#show(this.#shown.revision - 1, hash);
      return;
    }
    const { revision, text } = current();
    if (reading.text === text) this.#show(revision, hash);
    else if (revision === this.#shown.revision) this.#takeIn(reading.text, hash);
    else this.#setAside(`the document is at revision ${revision} meanwhile`);
  }

  #takeIn(text: string, hash: string): void {
    try {
      this.#show(this.#options.takeIn(text, hash).revision, hash);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#setAside(error.message);
    }
  }

  #show(revision: number, hash: string): void {
    this.#shown = { revision, hashes: [hash] };
    this.#isNoted = false;
  }

  #setAside(reason: string): void {
    const { directory, file, warn } = this.#options;
    const aside = directory.setAside(file, "conflict", true);
    this.#known = undefined;
    this.#isUnfit = false;
    warn(`${file} was changed by hand, but ${reason}; what it said is in ${aside}`);
  }

  async #write(): Promise<void> {
    const { directory, file, ledger, name } = this.#options;
    const { revision, text } = this.#wanted;
    const hash = sha256(text);
    // Before and after the next line another text of ours may be found in the file.
    const hashes = [...new Set([...this.#shown.hashes.slice(-1), hash])];
    ledger.put(name, { file, revision, hashes });
    await ledger.save();
    const known = this.#known;
    const end = await directory.replace(file, [text], () => directory.look(file) === known);
    if (end === undefined) return;
    this.#shown = { revision, hashes: [hash] };
    this.#known = directory.look(file);
  }

  /** Tells the next owner of what was taken in, once it is durable. */
  async #note(): Promise<void> {
    if (this.#isNoted || this.#isAhead()) return;
    const { file, ledger, name } = this.#options;
    ledger.put(name, { file, ...this.#shown });
    await ledger.save();
    this.#isNoted = true;
  }
}
