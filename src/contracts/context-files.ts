/** Name of the file in a context directory that says whose it is. */
export const LEDGER_FILE = ".troupe-mirrors.json";

/** Where a run's channel and document are mirrored for people (MSG-7). A part that is off has no file. */
export interface ContextFiles {
  /** Absolute. */
  readonly directory: string;
  /** Absolute; the directory must lie in it, all links resolved. Absent: it may lie anywhere. */
  readonly root?: string;
  /** Name of a file in the directory. */
  readonly channelFile?: string;
  /** Name of a file in the directory. */
  readonly documentFile?: string;
}
