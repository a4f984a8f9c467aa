import { join, resolve } from "node:path";
import type { LoadOptions } from "../resolve/load-options.ts";

type Places = Pick<LoadOptions, "projectRoot" | "cwd" | "fileDirectory" | "troupeDirectory">;

/** The absolute directory that `context.dir` names, relative to the workflow file; it may hold variables. */
export function contextDirectory(dir: string, { fileDirectory, cwd, projectRoot }: Places): string {
  return resolve(fileDirectory ?? cwd ?? projectRoot, dir);
}

/** Where the contexts of all workflows lie that name no directory. */
export function contextsDirectory({ troupeDirectory, projectRoot }: Places): string {
  return join(troupeDirectory ?? join(projectRoot, ".troupe"), "context");
}
