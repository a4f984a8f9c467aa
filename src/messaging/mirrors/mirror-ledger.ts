import { z } from "zod";
import { LEDGER_FILE } from "../../contracts/context-files.ts";
import type { MirrorDirectory } from "./mirror-directory.ts";

/** What is known of the file of a document. */
export interface ShownDocument {
  readonly file: string;
  /** Revision of the text that the file shows, or is about to. */
  readonly revision: number;
  /** SHA-256 of the texts that may stand in the file without anybody having changed it by hand. */
  readonly hashes: readonly string[];
}

/** The run that a directory belonged to, and the files of its documents. */
export interface LedgerEntry {
  readonly run: string;
  readonly files: readonly string[];
}

const MAX_LEDGER_BYTES = 1_048_576;
const FILE_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}(?:\.\d{1,4})?\.md$/;

const ledgerSchema = z.object({
  v: z.literal(1),
  run: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
  documents: z.record(
    z.string(),
    z.object({
      file: z.string(),
      revision: z.number().int().nonnegative(),
      hashes: z.array(z.string()),
    }),
  ),
});

/**
 * Whose a context directory is, and what its files showed last: a small file beside them, by which the next
 * owner of a run tells its own files from those of other runs and from what people changed.
 */
export class MirrorLedger {
  readonly #directory: MirrorDirectory;
  readonly #run: string;
  readonly #documents = new Map<string, ShownDocument>();
  #isSaved = false;

  constructor(directory: MirrorDirectory, run: string) {
    this.#directory = directory;
    this.#run = run;
  }

  /** Reads what is there and returns who wrote it; undefined if nobody did or it cannot be read. */
  load(): LedgerEntry | undefined {
    if (this.#directory.look(LEDGER_FILE) === undefined) return undefined;
    const reading = this.#directory.read(LEDGER_FILE, MAX_LEDGER_BYTES);
    const found = reading.status === "text" ? parseLedger(reading.text) : undefined;
    if (found === undefined) return undefined;
    const documents = Object.entries(found.documents);
    if (found.run === this.#run) {
      for (const [name, shown] of documents) this.#documents.set(name, shown);
      this.#isSaved = true;
    }
    const files = documents.map(([, { file }]) => file);
    return { run: found.run, files: files.filter((file) => FILE_PATTERN.test(file)) };
  }

  /** What the file of a document showed last. */
  shown(name: string): ShownDocument | undefined {
    return this.#documents.get(name);
  }

  /** The name of a further document's file, if it has one. */
  fileOf(name: string): string | undefined {
    const file = this.#documents.get(name)?.file;
    return file !== undefined && FILE_PATTERN.test(file) ? file : undefined;
  }

  /** Notes what the file of a document shows, or is about to; `save` makes it last. */
  put(name: string, shown: ShownDocument): void {
    this.#documents.set(name, shown);
    this.#isSaved = false;
  }

  /** Writes what was noted. */
  async save(): Promise<void> {
    if (this.#isSaved) return;
    const documents = Object.fromEntries(this.#documents);
    this.#isSaved = true;
    try {
      const text = `${JSON.stringify({ v: 1, run: this.#run, documents })}\n`;
      await this.#directory.replace(LEDGER_FILE, [text]);
    } catch (error) {
      this.#isSaved = false;
      throw error;
    }
  }
}

function parseLedger(text: string): z.infer<typeof ledgerSchema> | undefined {
  try {
    return ledgerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
