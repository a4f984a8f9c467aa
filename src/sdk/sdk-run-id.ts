import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProject } from "../app/machine/place/project.ts";
import { TroupeError } from "../foundation/errors.ts";
import { freeShortId } from "../foundation/ids.ts";
import type { Random } from "../foundation/random.ts";
import { secureRandom } from "../foundation/secure-random.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** The id of a run whose handle is wanted before its machine is there: one that no run of the project has. */
export function newRunIdFor(
  options: Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">,
  random: Random = secureRandom,
): string {
  if (options.troupe !== undefined) return options.troupe.newRunId();
  const runs = options.store === "memory" ? undefined : runsDirectoryOf(options);
  return freeShortId("run", random, (id) => runs !== undefined && existsSync(join(runs, id)));
}

function runsDirectoryOf({
  cwd = process.cwd(),
  env = process.env,
}: Pick<WorkflowOptions, "cwd" | "env">): string | undefined {
  try {
    return findProject(cwd, env).runsDirectory;
  } catch (error) {
    // Whoever starts the run says so.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
