import { randomUUID } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../../foundation/make-directory.ts";

/** A directory that nobody else reads. */
export interface PrivateDirectory {
  readonly path: string;
  /** Makes a directory below it, and returns its path. */
  make(name: string): Promise<string>;
  /** Writes a file below it, whole or not at all, and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Removes it, if it is for one session alone. */
  dispose(): Promise<void>;
}

/** The part of an agent's directory that belongs to one backend; a temporary one in runs that keep no files. */
export async function openPrivateDirectory(
  directory: string | undefined,
  name: string,
): Promise<PrivateDirectory> {
  const path =
    directory === undefined ? await mkdtemp(join(tmpdir(), "troupe-")) : join(directory, name);
  const make = async (below: string) => {
    const made = join(path, below);
    makeDirectory(made, 0o700);
    return made;
  };
  await make("");
  return {
    path,
    make,
    write: async (below, text) => {
      const file = join(path, below);
      await make(dirname(below));
      // Another session of the agent may read it at this moment.
      const unfinished = `${file}.${randomUUID()}`;
      await writeFile(unfinished, text, { mode: 0o600 });
      await rename(unfinished, file);
      return file;
    },
    dispose: async () => {
      if (directory === undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
