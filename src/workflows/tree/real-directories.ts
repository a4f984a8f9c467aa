import { workflowPathOutside } from "../checks/errors.ts";
import { textAt, viewFile } from "../checks/file-view.ts";
import type { Problem } from "../problems/problem.ts";
import { createProblemCollector } from "../problems/problem.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { isInside, realLocation, resolveAgentDirectory } from "../resolve/resolve-paths.ts";
import { readWorkflowTree } from "./workflow-tree.ts";

/** Directories of agents and commands that leave the project through a symbolic link, which the text of a file cannot show. */
export function findEscapingDirectories(
  { source, file }: { readonly source: string; readonly file: string },
  options: LoadOptions,
): readonly Problem[] {
  const { root } = readWorkflowTree(source, file, options);
  if (root === undefined) return [];
  const collector = createProblemCollector(file, source);
  const project = realLocation(options.projectRoot);
  const { agents, steps } = viewFile(root);
  const holders = [
    ...agents.map(({ id, node }) => ({ name: `agents.${id ?? ""}`, node })),
    ...steps.map(({ id, node }) => ({ name: `steps.${id ?? ""}`, node })),
  ];
  for (const { name, node } of holders) {
    const cwd = textAt(node, "cwd");
    if (cwd === undefined) continue;
    const real = realLocation(resolveAgentDirectory(cwd.text, options));
    if (isInside(real, project)) continue;
    const place = `${name}.cwd`;
    collector.add(
      workflowPathOutside({ place, path: cwd.text, root: options.projectRoot }),
      cwd.node,
    );
  }
  return collector.sorted();
}
