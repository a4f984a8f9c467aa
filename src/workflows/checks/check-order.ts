import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { cycle, orderContradiction } from "./errors.ts";
import type { LocatedItem, LocatedText } from "./file-view.ts";
import { textAt, textsAt } from "./file-view.ts";
import { findCycles } from "./find-cycles.ts";

const MODES = { list: "sequential", graph: "dag", none: "parallel" } as const;

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
  if (mode === undefined || pattern === undefined || pattern.order === "mode") return;
  const own = MODES[pattern.order];
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
