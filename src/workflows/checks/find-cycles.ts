/** Nodes with the nodes that each one waits for. Names that are no nodes are ignored. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Cycles that share no node, each as its nodes in the order of waiting. Linear in nodes and edges per cycle found. */
export function findCycles(graph: Graph): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  let rest = withoutFree(graph);
  // Each round removes a cycle; a file that is wrong in more than a few places is reported in part.
  while (rest.size > 0 && cycles.length < 10) {
    const found = cycleIn(rest);
    cycles.push(found);
    const removed = new Set(found);
    rest = withoutFree(new Map([...rest].filter(([name]) => !removed.has(name))));
  }
  return cycles;
}

/** What is left when nodes that wait for nothing are removed until there are none. */
function withoutFree(graph: Graph): Graph {
  const waiting = new Map<string, number>();
  const waiters = new Map<string, string[]>();
  for (const [name, dependencies] of graph) {
    const real = [...new Set(dependencies)].filter((dependency) => graph.has(dependency));
    waiting.set(name, real.length);
    for (const dependency of real) pushTo(waiters, dependency, name);
  }
  const free = [...waiting].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    waiting.delete(name);
    for (const waiter of waiters.get(name) ?? []) {
      const count = (waiting.get(waiter) ?? 0) - 1;
      waiting.set(waiter, count);
      if (count === 0) free.push(waiter);
    }
  }
  return new Map([...graph].filter(([name]) => waiting.has(name)));
}

function cycleIn(graph: Graph): readonly string[] {
  const path: string[] = [];
  const positions = new Map<string, number>();
  let [name] = graph.keys();
  while (name !== undefined) {
    const start = positions.get(name);
    if (start !== undefined) return path.slice(start);
    positions.set(name, path.length);
    path.push(name);
    name = graph.get(name)?.find((dependency) => graph.has(dependency));
  }
  return path;
}

function pushTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
