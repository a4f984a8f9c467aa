import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathOutside } from "./checks/errors.ts";
import { textAt, viewFile } from "./checks/file-view.ts";
import type { LoadOptions } from "./load-options.ts";
import type { LoadedWorkflow } from "./parse-workflow.ts";
import type { Problem } from "./problems/problem.ts";
import { createProblemCollector } from "./problems/problem.ts";
import { isInside, resolveAgentDirectory } from "./resolve/resolve-paths.ts";
import { readWorkflowTree } from "./workflow-tree.ts";

/** Agents' directories that leave the project through a symbolic link, which the text of a file cannot show. */
export async function findEscapingDirectories(
  { source, file }: LoadedWorkflow,
  options: LoadOptions,
): Promise<readonly Problem[]> {
  const { root } = readWorkflowTree(source, file, options);
  if (root === undefined) return [];
  const collector = createProblemCollector(file, source);
  const project = await realLocation(options.projectRoot);
  for (const { id, node } of viewFile(root).agents) {
    const cwd = textAt(node, "cwd");
    if (cwd === undefined) continue;
    const real = await realLocation(resolveAgentDirectory(cwd.text, options));
    if (isInside(real, project)) continue;
    const place = `agents.${id ?? ""}.cwd`;
    collector.add(pathOutside({ place, path: cwd.text, root: options.projectRoot }), cwd.node);
  }
  return collector.sorted();
}

/** The path with links followed, as far as it exists. */
async function realLocation(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realLocation(dirname(path)), basename(path));
}
