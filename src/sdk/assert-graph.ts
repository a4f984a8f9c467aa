import { graphInvalid } from "../app/workflow/shapes/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

interface Node {
  readonly id: string;
  readonly dependsOn?: readonly string[];
}

/** Raises WORKFLOW_GRAPH_INVALID unless ids are unique, dependencies known and nothing waits for itself. Linear in nodes plus edges. */
export function assertGraph(nodes: readonly Node[]): void {
  const byId = new Map<string, Node>();
  for (const node of nodes) {
    if (byId.has(node.id)) throw graphInvalid({ problem: `two nodes have the id "${node.id}"` });
    byId.set(node.id, node);
  }
  for (const { id, dependsOn = [] } of nodes) {
    const unknown = dependsOn.find((dependency) => !byId.has(dependency));
    if (unknown === undefined) continue;
    const hint = didYouMean(unknown, byId.keys(), "nodes");
    throw graphInvalid({
      problem: `node "${id}" depends on "${unknown}", which is not there`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const cycle = findCycle(byId);
  if (cycle !== undefined)
    throw graphInvalid({ problem: `nodes wait for each other: ${cycle.join(" → ")}` });
}

/** Removes what waits for nothing until only cycles are left, then walks one. */
function findCycle(byId: ReadonlyMap<string, Node>): readonly string[] | undefined {
  const waiting = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const { id, dependsOn = [] } of byId.values()) {
    const unique = new Set(dependsOn);
    waiting.set(id, unique.size);
    for (const dependency of unique) {
      const known = dependents.get(dependency);
      if (known === undefined) dependents.set(dependency, [id]);
      else known.push(id);
    }
  }
  const free = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    waiting.delete(id);
    for (const dependent of dependents.get(id) ?? []) {
      const count = (waiting.get(dependent) ?? 0) - 1;
      waiting.set(dependent, count);
      if (count === 0) free.push(dependent);
    }
  }
  const [start] = waiting.keys();
  return start === undefined ? undefined : walkCycle(byId, waiting, start);
}

function walkCycle(
  byId: ReadonlyMap<string, Node>,
  left: ReadonlyMap<string, number>,
  start: string,
): readonly string[] {
  const path: string[] = [];
  for (let id: string | undefined = start; id !== undefined; ) {
    const seen = path.indexOf(id);
    if (seen >= 0) return [...path.slice(seen), id];
    path.push(id);
    id = byId.get(id)?.dependsOn?.find((dependency) => left.has(dependency));
  }
  return path;
}
