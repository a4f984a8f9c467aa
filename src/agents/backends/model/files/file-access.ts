import { randomBytes } from "node:crypto";
import { constants, readFileSync, renameSync } from "node:fs";
import { chmod, open, realpath, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { AgentConstraints } from "../../../../contracts/agent.ts";
import type { Confinement } from "../../../../contracts/host.ts";
import { sha256 } from "../../../../foundation/hash.ts";
import { makeDirectory } from "../../../../foundation/make-directory.ts";
import { matchesPath } from "../../../../foundation/path-pattern.ts";
import { present } from "../../../../foundation/present.ts";
import { systemErrorCode } from "../../../../host/system/system-error.ts";
import { ToolFailure } from "./tool-failure.ts";

// F1: a path is resolved through all links before anything is asked or done about it; what is asked is about the
//     real place, and what is done is done there.
// F2: a sandbox bounds what is read and written, the agent's constraints what is written; both are looked at for
//     the real place.
// F3: a file is changed only as it was last seen, also by several agents at once; it is replaced whole or not at all.

/** Longest file that a tool reads. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A path that a tool was given, as it really is. */
export interface RealFile {
  /** Absolute, without links. */
  readonly path: string;
  /** For people: from the agent's directory where it is below that. */
  readonly shown: string;
}

/** A text file as it is. */
export interface FileText {
  readonly text: string;
  readonly sizeBytes: number;
}

/** Hashes of what was seen of files, by real path. */
export interface SeenFiles {
  readonly [path: string]: string;
}

/** Where an agent may go. */
export interface FileBounds {
  /** Absolute. */
  readonly cwd: string;
  readonly constraints: AgentConstraints;
  readonly confine: Confinement | undefined;
}

/** The only way of an agent's tools to files. What it raises is a ToolFailure. */
export class FileAccess {
  readonly #bounds: FileBounds;
  /** What was last seen of files, by real path. */
  readonly #seen: Map<string, string>;
  /** What of that nobody has written down. */
  #fresh = new Map<string, string>();

  /** `seen`: what a session that goes on has seen of files before. */
  constructor(bounds: FileBounds, seen: SeenFiles = {}) {
    this.#bounds = bounds;
    this.#seen = new Map(Object.entries(seen));
  }

  /** What was seen since this was asked last; undefined for nothing. */
  takeSeen(): SeenFiles | undefined {
    if (this.#fresh.size === 0) return undefined;
    const seen = Object.fromEntries(this.#fresh);
    this.#fresh = new Map();
    return seen;
  }

  /** The real place of a path that is to be read or looked through. */
  async find(given: string): Promise<RealFile> {
    const file = await this.#resolve(given);
    this.#assertVisible(file);
    return file;
  }

  /** The real place of a path that is to be written. */
  async findToWrite(given: string): Promise<RealFile> {
    const file = await this.#resolve(given);
    this.#assertVisible(file);
    this.#assertWritable(file);
    return file;
  }

  /** Reads a text; it counts as seen. */
  async read({ path, shown }: RealFile): Promise<FileText> {
    const bytes = await readRegular(path, shown);
    const text = decode(bytes);
    if (text === undefined)
      throw new ToolFailure(`${shown} is no text: it is binary, or not in UTF-8`);
    this.#see(path, text);
    return { text, sizeBytes: bytes.length };
  }

  /** The text of a file that was seen as it is now. */
  async readSeen(file: RealFile): Promise<string> {
    const before = this.#seen.get(file.path);
    const { text } = await this.read(file);
    if (before === sha256(text)) return text;
    this.#seen.delete(file.path);
    throw new ToolFailure(
      before === undefined
        ? `read ${file.shown} first: it was not read in this session`
        : `${file.shown} has changed since it was read; read it again`,
    );
  }

  /** Whether there is anything at the place. */
  async exists({ path, shown }: RealFile): Promise<boolean> {
    try {
      await stat(path);
      return true;
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return false;
      throw failure("look at", shown, error);
    }
  }

  /**
   * Replaces the file if it is as it was seen last, or makes one that nobody had seen, with the directories above it; its
   * mode stays.
   */
  async write(file: RealFile, text: string): Promise<void> {
    const { path, shown } = file;
    const directory = dirname(path);
    const temporary = join(
      directory,
      `.${basename(path).slice(0, 80)}.${randomBytes(6).toString("hex")}`,
    );
    try {
      makeDirectory(directory);
      // Another process may have put a link there meanwhile.
      if ((await realpath(directory)) !== directory) throw moved(shown);
      const mode = await modeOf(path);
      await writeFile(temporary, text, { flag: "wx", ...present({ mode }) });
      if (mode !== undefined) await chmod(temporary, mode);
      if ((await realpath(directory)) !== directory) throw moved(shown);
      this.#replace(file, temporary);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error instanceof ToolFailure ? error : failure("write", shown, error);
    }
    this.#see(path, text);
  }

  #see(path: string, text: string): void {
    const hash = sha256(text);
    if (this.#seen.get(path) !== hash) this.#fresh.set(path, hash);
    this.#seen.set(path, hash);
  }

  /** At once, so that of several agents of this process that change the same file none undoes what another did. */
  #replace({ path, shown }: RealFile, temporary: string): void {
    const now = hashNow(path);
    // Of a file that is gone nothing can be lost.
    if (now !== undefined && now !== this.#seen.get(path)) {
      this.#seen.delete(path);
      throw new ToolFailure(`${shown} was changed by somebody else meanwhile; read it again`);
    }
    renameSync(temporary, path);
  }

  async #resolve(given: string): Promise<RealFile> {
    if (given === "" || given.includes("\0")) throw new ToolFailure("expected the path of a file");
    if (given.startsWith("~")) throw new ToolFailure("write an absolute path in place of ~");
    const { cwd } = this.#bounds;
    const path = await realPlaceOf(resolve(cwd, given), given);
    const root = await realPlaceOf(cwd, cwd);
    const inside = relative(root, path);
    const leadsOut = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    return { path, shown: leadsOut ? path : inside || "." };
  }

  #assertVisible({ path, shown }: RealFile): void {
    const { confine } = this.#bounds;
    if (confine === undefined) return;
    const { writable, readOnly, hidden, scratch } = confine;
    const isThere = isWithin(path, [...writable, ...readOnly, ...scratch]);
    if (isThere && !isWithin(path, hidden)) return;
    throw new ToolFailure(`${shown} is outside of the agent's sandbox`);
  }

  #assertWritable({ path, shown }: RealFile): void {
    const { cwd, confine, constraints } = this.#bounds;
    if (confine !== undefined) {
      const isOpen = isWithin(path, confine.writable) && !isWithin(path, confine.readOnly, cwd);
      if (!isOpen) throw new ToolFailure(`${shown} may not be written in the agent's sandbox`);
    }
    const { fileScope: { include, exclude = [] } = {}, readOnly = [] } = constraints;
    const isOutside = isAbsolute(shown);
    if (!isOutside && [...exclude, ...readOnly].some((pattern) => matchesPath(pattern, shown)))
      throw new ToolFailure(`${shown} may not be changed: the agent's constraints say so`);
    if (include === undefined) return;
    if (isOutside || !include.some((pattern) => matchesPath(pattern, shown)))
      throw new ToolFailure(
        `${shown} may not be changed: the agent may change ${include.join(", ")} only`,
      );
  }
}

function isWithin(path: string, places: readonly string[], except?: string): boolean {
  return places.some((place) => {
    if (place === except) return false;
    const way = relative(place, path);
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}

/** The path with all links resolved; what does not exist yet keeps its name below what does. */
async function realPlaceOf(path: string, given: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" || dirname(path) === path)
      throw failure("find", given, error);
  }
  // A link that leads nowhere would be written through.
  return join(await realPlaceOf(dirname(path), given), basename(path));
}

async function readRegular(path: string, shown: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK a named pipe would hold the reader for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(path, flags);
    try {
      const facts = await handle.stat();
      if (facts.isDirectory())
        throw new ToolFailure(`${shown} is a directory; LS shows what is in it`);
      if (!facts.isFile()) throw new ToolFailure(`${shown} is no regular file`);
      // What leads there may have been replaced by a link since somebody allowed it.
      if ((await realpath(path)) !== path) throw moved(shown, "read");
      if (facts.size > MAX_FILE_BYTES)
        throw new ToolFailure(
          `${shown} has ${facts.size} bytes, more than 16 MiB; Grep finds parts of it`,
        );
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof ToolFailure ? error : failure("read", shown, error);
  }
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function moved(shown: string, action: "read" | "written" = "written"): ToolFailure {
  return new ToolFailure(`the directory of ${shown} was replaced meanwhile; nothing was ${action}`);
}

/** Of the text that stands at a place; undefined where there is none. */
function hashNow(path: string): string | undefined {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return sha256(readFileSync(path, { encoding: "utf8", flag: flags }));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function failure(action: string, shown: string, error: unknown): ToolFailure {
  const code = systemErrorCode(error);
  if (code === "ENOENT") return new ToolFailure(`${shown} does not exist`);
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolFailure(`could not ${action} ${shown}: ${reason}`);
}
