import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowOptions } from "../../src/sdk/task-definition.ts";

/** A project of its own, with a user who has configured nothing: what a call of the SDK works in. */
export function sdkPlace(folder: string): Pick<WorkflowOptions, "cwd" | "env"> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  mkdirSync(join(folder, ".troupe"));
  const { TROUPE_DIR: _directory, ...env } = process.env;
  return { cwd: folder, env: { ...env, HOME: home, TROUPE_HOME: home } };
}
