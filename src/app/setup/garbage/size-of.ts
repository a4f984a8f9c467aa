import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Bytes of a file, or of all files below a directory; links are not followed. 0 for what is gone meanwhile. */
export function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + sizeOfFile(join(path, name)), 0);
}

function sizeOfFile(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.size : 0;
}
