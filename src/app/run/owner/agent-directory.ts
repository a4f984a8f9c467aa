import { realpathSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../../foundation/make-directory.ts";

/**
 * Makes the directory that belongs to one agent of a run, for its user only. Links in the way to it are
 * resolved, so that programs which compare paths see one name. Raises system errors.
 */
export function makeAgentDirectory(runDirectory: string, agent: string): string {
  const directory = join(runDirectory, "agents", agent);
  makeDirectory(directory, 0o700);
  return realpathSync(directory);
}
