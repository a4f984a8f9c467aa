import type { ContextFiles } from "../../contracts/context-files.ts";
import { MAIN_DOCUMENT } from "../../contracts/document.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { editDocument, MAX_DOCUMENT_BYTES, readDocument } from "../edit-document.ts";
import { DocumentMirror } from "./document-mirror.ts";
import type { MirrorDirectory } from "./mirror-directory.ts";
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
