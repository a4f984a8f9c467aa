import { resolve } from "node:path";
import {
  isInside,
  namesBelow,
  OBEYED_DIRECTORIES,
  realLocation,
} from "../resolve/resolve-paths.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { workflowPathOutside } from "./errors.ts";
import { textAt } from "./file-view.ts";

/** Checks that the directory of trajectories lies in the project, and where no program obeys what is written there. */
export function checkTrajectory({
  view,
  options,
  report,
  spell = (key) => key,
}: CheckContext): void {
  const dataDir = textAt(entryOf(view.root, "trajectory")?.node, "dataDir");
  if (dataDir === undefined) return;
  const root = options.projectRoot;
  const path = resolve(root, dataDir.text);
  const place = `trajectory.${spell("dataDir")}`;
  if (!isInside(path, root) || !isInside(realLocation(path), realLocation(root))) {
    report(workflowPathOutside({ place, path: dataDir.text, root }), dataDir.node);
    return;
  }
  const obeyed = namesBelow(path, root).find((name) => OBEYED_DIRECTORIES.has(name));
  if (obeyed === undefined) return;
  const problem = `cannot lie in ${obeyed}: what is there is obeyed by programs`;
  const hint = "name a directory of its own, or none: .agentworkforce/trajectories is the default";
  report(wrongValue({ place, problem, hint }), dataDir.node);
}
