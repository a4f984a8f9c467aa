import { type FSWatcher, watch } from "node:fs";

/**
 * Calls `onChange` with the name of a file that something happened to, if it is known, by the means of the
 * system; where there are none, never. The result ends it.
 */
export function watchDirectory(
  path: string,
  onChange: (file: string | undefined) => void,
): () => void {
  const watcher = tryWatch(path);
  // Whoever watches looks for itself from time to time, too.
  watcher?.on("error", () => watcher.close());
  watcher?.on("change", (_kind, file) => onChange(typeof file === "string" ? file : undefined));
  return () => watcher?.close();
}

function tryWatch(path: string): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false });
  } catch {
    return undefined;
  }
}
