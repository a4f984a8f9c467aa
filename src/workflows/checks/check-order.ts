import { leavesOrder, MODE_OF_ORDER } from "../../programs/primitives/step-order.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { cycle, orderContradiction } from "./errors.ts";
import { type LocatedItem, type LocatedText, textAt, textsAt } from "./file-view.ts";

/** Checks that steps can follow each other as the file says, and as the pattern does. */
export function checkOrder(context: CheckContext): void {
  checkMode(context);
  checkAgentCycles(context);
  checkPreviousOutput(context);
  // A pattern that cannot be run may still be read as a graph: a circle is wrong in any of them.
  if (context.order === "list") checkListOrder(context);
  else checkStepCycles(context);
}

function checkMode({ view, pattern, report }: CheckContext): void {
  const mode = textAt(entryOf(view.root, "coordination")?.node, "mode");
  if (mode === undefined || pattern === undefined || leavesOrder(pattern.order)) return;
  const own = MODE_OF_ORDER[pattern.order];
  if (mode.text === own) return;
  const problem = `coordination.mode "${mode.text}" contradicts the pattern ${pattern.name}, whose mode is ${own}`;
  report(
    orderContradiction({ problem, hint: "remove mode, or choose the pattern that orders so" }),
    mode.node,
  );
}

function checkPreviousOutput({ view, pattern, report }: CheckContext): void {
  // Only a stage of a pipeline is told of the one before.
  if (pattern === undefined || pattern.order === "list") return;
  for (const step of view.steps) {
    const entry = entryOf(step.node, "receivesPreviousOutput");
    if (entry === undefined) continue;
    const problem = `receivesPreviousOutput has no meaning in ${pattern.name}, where no step is the previous one`;
    const hint = "put {{steps.ID.output}} into the prompt, or use pattern: pipeline";
    report(orderContradiction({ problem, hint }), entry.keyRange);
  }
}

function checkListOrder({ view, pattern, report }: CheckContext): void {
  const positions = new Map(view.steps.map((step, index) => [step.id, index]));
  for (const [index, step] of view.steps.entries()) {
    for (const { text, node } of textsAt(step.node, "dependsOn")) {
      const position = positions.get(text);
      if (position === undefined || position < index) continue;
      const problem = `step "${step.id ?? index}" comes before "${text}" in the list, which ${pattern?.name ?? "this pattern"} follows`;
      report(orderContradiction({ problem, hint: "reorder the steps, or use pattern: dag" }), node);
    }
  }
}

function checkStepCycles(context: CheckContext): void {
  const { view } = context;
  reportCycles(context, view.steps, {
    what: "steps wait for each other",
    verb: "waits for",
    edges: (step) => textsAt(step.node, "dependsOn"),
  });
}

function checkAgentCycles(context: CheckContext): void {
  reportCycles(context, context.view.agents, {
    what: "agents report to each other",
    verb: "reports to",
    edges: (agent) => {
      const superior = textAt(agent.node, "reportsTo");
      return superior === undefined ? [] : [superior];
    },
  });
}

interface Relation {
  readonly what: string;
  readonly verb: string;
  edges(item: LocatedItem): readonly LocatedText[];
}

function reportCycles(
  { report }: CheckContext,
  items: readonly LocatedItem[],
  relation: Relation,
): void {
  const edges = new Map(items.map((item) => [item.id ?? "", relation.edges(item)]));
  const graph = new Map([...edges].map(([id, texts]) => [id, texts.map(({ text }) => text)]));
  for (const found of findCycles(graph)) {
    const links = found.flatMap((from, index) => {
      const to = found[(index + 1) % found.length] ?? from;
      const place = edges.get(from)?.find(({ text }) => text === to);
      return place === undefined ? [] : [{ from, to, place }];
    });
    const [first, ...others] = links;
    if (first === undefined) continue;
    report(cycle({ what: relation.what, path: [...found, first.from] }), first.place.node, {
      label: `${first.from} ${relation.verb} ${first.to}`,
      related: others.slice(0, 5).map(({ from, to, place }) => ({
        range: place.node,
        label: `${from} ${relation.verb} ${to}`,
      })),
    });
  }
}

/** Nodes with the nodes that each one waits for. Names that are no nodes are ignored. */
type Graph = ReadonlyMap<string, readonly string[]>;

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
