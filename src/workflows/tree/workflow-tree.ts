import { workflowPathOutside } from "../checks/errors.ts";
import { textAt, viewFile } from "../checks/file-view.ts";
import { type ImportedFile, type ImportOptions, importTree } from "../importers/import-tree.ts";
import { createProblemCollector, type Problem } from "../problems/problem.ts";
import { isInside, realLocation, resolveAgentDirectory } from "../resolve/resolve-paths.ts";
import { wrongType } from "../schema/errors.ts";
import { kindOf } from "../schema/kind-names.ts";
import { parseSource } from "../source/parse-source.ts";
import type { MapNode, SourceFault } from "../source/source-node.ts";
import { resolveTemplate } from "../templates/resolve-template.ts";

/** The content of a workflow file with every value at its place. */
export interface WorkflowTree {
  /** Undefined when nothing can be made of the text. */
  readonly root: MapNode | undefined;
  readonly faults: readonly SourceFault[];
  /** Given params that shaped the template. */
  readonly usedParams: readonly string[];
  /** What was made of a file of another tool; `root` is its root. */
  readonly imported?: ImportedFile;
}

/** Parses the text of a workflow file and puts the template that it names into its place. */
export function readWorkflowTree(text: string, file: string, options: ImportOptions): WorkflowTree {
  const { root, faults } = parseSource(text, file);
  if (root === undefined) return { root, faults, usedParams: [] };
  if (root.kind !== "map") {
    const error = wrongType({ place: "the workflow", expected: "an object", found: kindOf(root) });
    return { root: undefined, faults: [...faults, { error, range: root }], usedParams: [] };
  }
  const imported = importTree({ root, text, file }, options);
  if (imported !== undefined) return { root: imported.root, faults, usedParams: [], imported };
  if (!root.entries.has("template")) return { root, faults, usedParams: [] };
  const resolved = resolveTemplate(root, options);
  return { ...resolved, faults: [...faults, ...resolved.faults] };
}

/** Directories of agents and commands that leave the project through a symbolic link, which the text of a file cannot show. */
export function findEscapingDirectories(
  { source, file }: { readonly source: string; readonly file: string },
  options: ImportOptions,
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
