import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import { isShortage } from "../../../foundation/shortage.ts";
import { distrustFile } from "../../../host/owned-place.ts";
import { reasonOf, systemErrorCode } from "../../../host/system/system-error.ts";
import type { RunOrigins } from "../../../journal/run-origin.ts";
import { keyUnusable } from "../place/errors.ts";
import { createSecretBox, type SecretBox } from "./secret-box.ts";

const KEY_BYTES = 32;

/** Seals by a key of one user. */
export interface KeyedOrigins extends RunOrigins {
  /** A text that only a holder of the key can know; undefined while there is no key. */
  readonly fingerprint: () => string | undefined;
  /** Seals secrets by the same key; by one that is forgotten with the process where none can be kept. */
  readonly secrets: () => SecretBox;
}

/**
 * Seals by the key in a state directory, which is made with the first run. Touches no file before it is asked.
 * Raises RUN_KEY_UNUSABLE when the key cannot be believed or made.
 */
export function createRunOrigins(stateDirectory: string): KeyedOrigins {
  const file = join(stateDirectory, "key");
  let known: Buffer | undefined;
  let box: SecretBox | undefined;
  let print: string | undefined;
  const find = () => {
    known ??= readKey(file);
    return known;
  };
  const make = () => {
    known = find() ?? makeKey(stateDirectory, file);
    return known;
  };
  return {
    sign: (run, firstHash) => {
      const key = make();
      return key && sealOf(key, run, firstHash).toString("hex");
    },
    isSigned: (run, firstHash, seal) => {
      const key = find();
      if (key === undefined) return false;
      const wanted = sealOf(key, run, firstHash);
      const given = Buffer.from(seal, "hex");
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
    secrets: () => {
      box ??= createSecretBox(make() ?? randomBytes(KEY_BYTES));
      return box;
    },
    fingerprint: () => {
      const key = find();
      // A listing asks for each of its runs.
      print ??= key && createHmac("sha256", key).update("fingerprint").digest("hex").slice(0, 32);
      return print;
    },
  };
}

/** Neither ids nor hashes hold a line break, so that no two pairs read the same. */
function sealOf(key: Buffer, run: string, firstHash: string): Buffer {
  return createHmac("sha256", key).update(`troupe run 1\n${run}\n${firstHash}`).digest();
}

function readKey(file: string): Buffer | undefined {
  const problem = distrustFile(file, 0o077);
  if (problem !== undefined) throw keyUnusable({ file, problem });
  const key = readBytes(file);
  if (key === undefined || key.length === KEY_BYTES) return key;
  throw keyUnusable({ file, problem: `it has ${key.length} bytes instead of ${KEY_BYTES}` });
}

function readBytes(file: string): Buffer | undefined {
  try {
    const read = readFileSync(file);
    // What is read lies in a block of 64 KiB, which each run of a daemon would keep with it.
    const kept = Buffer.alloc(read.length);
    read.copy(kept);
    return kept;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw keyUnusable({ file, problem: reasonOf(error) }, { cause: error });
  }
}

/**
 * Of two processes that make one at the same time, both get the key of the first. Undefined where none can be kept: a
 * home that cannot be written must not keep anybody from running something.
 */
function makeKey(directory: string, file: string): Buffer | undefined {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    makeDirectory(directory, 0o700);
    writeFileSync(fresh, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx", flush: true });
    try {
      linkSync(fresh, file);
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    // A run without a seal is foreign for ever, and the lack of descriptors soon over.
    if (isShortage(error)) throw keyUnusable({ file, problem: reasonOf(error) }, { cause: error });
    return undefined;
  }
  return readKey(file);
}
