import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowOptions } from "../../src/sdk/task-definition.ts";

/** A project of its own, with a user who has configured nothing: what a call of the SDK works in. Her home is made if need be. */
export function sdkPlace(
  folder: string,
  home: string = join(folder, "home"),
): Pick<WorkflowOptions, "cwd" | "env"> {
  mkdirSync(home, { recursive: true });
  mkdirSync(join(folder, ".troupe"), { recursive: true });
  const { TROUPE_DIR: _directory, ...env } = process.env;
  return { cwd: folder, env: { ...env, HOME: home, TROUPE_HOME: home } };
}
