import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, relative } from "node:path";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { systemErrorCode } from "../../host/system/system-error.ts";
import { mirrorRefused } from "./errors.ts";

// Owns how the files of a context directory are touched. Agents work beside it and may have laid traps.
// D1: only regular files directly in the directory are read or written; no link is followed.
// D2: a file is replaced whole, by renaming a finished one; only `append` changes one in place.
// D3: the directory is used only as long as its path leads to where it led at first.
// Looking and reading are synchronous: they are rare and short, and nothing may come between a look and what
// follows from it. Writing, which waits for the disk, is not.

/** Which state of which file; another one after every change. */
export type FileMark = string;

/** A file that only grows, as it was left. */
export interface FileEnd {
  readonly inode: bigint;
  readonly sizeBytes: bigint;
}

/** What stands in a file. */
export type MirrorReading =
  | { readonly status: "text"; readonly text: string }
  | { readonly status: "unfit"; readonly problem: string };

const NEW_FILE_MODE = 0o600;
const NEW_DIRECTORY_MODE = 0o700;
const MAX_NAMES = 1000;
const FILE_NAME = /^(?!\.{1,2}$)[^/\\\0]+$/;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

function toMark({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileMark {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * The files of one context directory. Whatever stands in the way of one raises MESSAGE_MIRROR_REFUSED; the
 * system's own errors come as they are.
 */
export class MirrorDirectory {
  readonly path: string;
  readonly #root: string | undefined;
  #realPath: string | undefined;

  /** With `root`, the directory must really lie in it. */
  constructor(path: string, root?: string) {
    this.path = path;
    this.#root = root;
  }

  /** Makes the directory if it is not there, and makes sure that it is the one that it was. */
  prepare(): void {
    // Before anything is made: through a link it would be made outside.
    this.#assertWithin(realStart(this.path));
    makeDirectory(this.path, NEW_DIRECTORY_MODE);
    const found = lstatSync(this.path);
    if (found.isSymbolicLink()) throw this.#refused("", "it is a symbolic link");
    if (!found.isDirectory()) throw this.#refused("", "it is no directory");
    const real = realpathSync(this.path);
    this.#assertWithin(real);
    this.#realPath ??= real;
    if (real !== this.#realPath) throw this.#refused("", `it led to ${this.#realPath} before`);
  }

  /**
   * Which directory it is, whatever it holds; undefined without one. Its birth is part of it: file systems such as ext4
   * give the inode of a directory that was removed to the next one.
   */
  identity(): string | undefined {
    const found = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  }

  /** Which directory it is, and which names it holds; another one after each that came or went. Undefined without one. */
  mark(): FileMark | undefined {
    const found = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found?.isDirectory() ? toMark(found) : undefined;
  }

  /** The state of a file; undefined if it is not there. */
  look(name: string): FileMark | undefined {
    const path = this.#pathOf(name);
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return undefined;
    this.#assertRegular(name, found);
    return toMark(found);
  }

  /** Whether anything has this name. */
  has(name: string): boolean {
    return lstatSync(this.#pathOf(name), { throwIfNoEntry: false }) !== undefined;
  }

  /** The text of a file that is there; unfit when it is larger than that or no text. */
  read(name: string, maxBytes: number): MirrorReading {
    const descriptor = openSync(this.#pathOf(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = fstatSync(descriptor, { bigint: true });
      this.#assertRegular(name, found);
      if (found.size > maxBytes)
        return { status: "unfit", problem: `it has ${found.size} bytes, of ${maxBytes} allowed` };
      return toReading(readBytes(descriptor, Number(found.size)));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Opens a file for reading. */
  async open(name: string): Promise<FileHandle> {
    const file = await open(this.#pathOf(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw this.#refused(name, "it is no regular file");
  }

  /**
   * Puts a text in the place of a file; it is on the disk before it is seen. `isStill` is asked right before;
   * if it says no, nothing is done and the answer is undefined.
   */
  async replace(
    name: string,
    chunks: Iterable<string>,
    isStill: () => boolean = () => true,
  ): Promise<FileEnd | undefined> {
    this.prepare();
    const draft = join(this.path, `.${name}.troupe-draft`);
    const mode = this.look(name) === undefined ? NEW_FILE_MODE : this.#modeOf(name);
    await rm(draft, { force: true });
    const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    let isThere = true;
    try {
      const end = await writeChunks(file, chunks);
      this.prepare();
      this.look(name);
      if (!isStill()) return undefined;
      renameSync(draft, this.#pathOf(name));
      isThere = false;
      return end;
    } finally {
      // Whatever is wrong with the directory is told by the error that led here.
      if (isThere) await rm(draft, { force: true }).catch(() => {});
    }
  }

  /** Adds to the end of a file that is still as it was left; else nothing is done and the answer is undefined. */
  async append(name: string, text: string, before: FileEnd): Promise<FileEnd | undefined> {
    this.prepare();
    if (this.look(name) === undefined) return undefined;
    const file = await open(this.#pathOf(name), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = await endOf(file);
      if (found.inode !== before.inode || found.sizeBytes !== before.sizeBytes) return undefined;
      await file.appendFile(text);
      return await endOf(file);
    } finally {
      await file.close();
    }
  }

  /**
   * Gives a file the first free of the names `notes.TAG.md`, `notes.TAG-2.md`, ... and returns it; where there
   * may be several, the first has its number too.
   */
  setAside(name: string, tag: string, isOneOfSeveral = false): string {
    const { name: stem, ext } = parse(name);
    for (let number = 1; number <= MAX_NAMES; number += 1) {
      const suffix = number > 1 || isOneOfSeveral ? `-${number}` : "";
      const aside = `${stem}.${tag}${suffix}${ext}`;
      if (this.has(aside)) continue;
      renameSync(this.#pathOf(name), this.#pathOf(aside));
      return aside;
    }
    throw this.#refused(name, "no name is left to set it aside");
  }

  #assertWithin(real: string): void {
    if (this.#root !== undefined && leaves(realpathSync(this.#root), real))
      throw this.#refused("", `it leads out of ${this.#root}`);
  }

  #modeOf(name: string): number {
    return lstatSync(this.#pathOf(name)).mode & 0o777;
  }

  #pathOf(name: string): string {
    if (!FILE_NAME.test(name)) throw this.#refused(name, "it is no name of a file");
    return join(this.path, name);
  }

  #assertRegular(name: string, found: BigIntStats): void {
    if (found.isSymbolicLink()) throw this.#refused(name, "it is a symbolic link");
    if (!found.isFile()) throw this.#refused(name, "it is no regular file");
  }

  #refused(name: string, problem: string): Error {
    return mirrorRefused({ path: join(this.path, name), problem });
  }
}

/** Where a file that was opened ends now. */
export async function endOf(file: FileHandle): Promise<FileEnd> {
  const { ino, size } = await file.stat({ bigint: true });
  return { inode: ino, sizeBytes: size };
}

/** Where as much of a path leads as is there. */
function realStart(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    return realStart(dirname(path));
  }
}

function leaves(root: string, place: string): boolean {
  const way = relative(root, place);
  return way.split("/")[0] === ".." || isAbsolute(way);
}

function readBytes(descriptor: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let read = 0;
  while (read < sizeBytes) {
    const count = readSync(descriptor, bytes, read, sizeBytes - read, null);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}

function toReading(bytes: Buffer): MirrorReading {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return { status: "text", text };
  } catch {
    // Not UTF-8.
  }
  return { status: "unfit", problem: "it is no text in UTF-8" };
}

async function writeChunks(file: FileHandle, chunks: Iterable<string>): Promise<FileEnd> {
  try {
    for (const chunk of chunks) await file.appendFile(chunk);
    await file.sync();
    return await endOf(file);
  } finally {
    await file.close();
  }
}
