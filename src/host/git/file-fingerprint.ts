import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";

// Beyond this, size and time of change stand for the content.
const LARGEST_HASHED_BYTES = 8 * 1024 * 1024;

/** A text that changes with the content, kind or mode of a file below `root`; "absent" without one. */
export async function fingerprintFile(root: string, path: string): Promise<string> {
  const place = join(root, path);
  try {
    const found = await lstat(place, { bigint: true });
    if (found.isSymbolicLink()) return `link ${await readlink(place)}`;
    if (!found.isFile()) return `other ${found.mode}`;
    if (found.size > LARGEST_HASHED_BYTES) return `${found.mode} ${found.size} ${found.ctimeNs}`;
    return `${found.mode} ${createHash("sha256")
      .update(await readFile(place))
      .digest("hex")}`;
  } catch (error) {
    const code = systemErrorCode(error);
    // Deleted, or not readable for us: git's own record says the rest.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return "absent";
    throw error;
  }
}
