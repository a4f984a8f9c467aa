import { readdirSync, readlinkSync } from "node:fs";

/** Files below a directory that this process has open; none where the system does not say. */
export function openFilesUnder(directory: string): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(directory) ? [file] : [];
    } catch {
      return [];
    }
  });
}
