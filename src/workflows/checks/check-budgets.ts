import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { labelOf } from "./file-view.ts";

/** Checks budgets for what a schema cannot see: that they limit something, and what the run needs. */
export function checkBudgets(context: CheckContext): void {
  const { view } = context;
  checkEmpty(context, view.root, "budget");
  for (const agent of view.agents)
    checkEmpty(context, agent.node, `agents.${labelOf(agent, view.agents)}.budget`);
  for (const step of view.steps)
    checkEmpty(context, step.node, `steps.${labelOf(step, view.steps)}.budget`);
  checkAgentCount(context);
}

function checkEmpty({ report }: CheckContext, node: SourceNode, place: string): void {
  const entry = entryOf(node, "budget");
  if (entry?.node.kind !== "map") return;
  if ([...entry.node.entries.keys()].some((key) => key !== "soft")) return;
  const hint = "add a limit, such as cost, tokens or turns, or remove it";
  report(wrongValue({ place, problem: "limits nothing", hint }), entry.keyRange);
}

/** All agents of a file are spawned at its start: a limit below their number could only stop the run there. */
function checkAgentCount({ view, report }: CheckContext): void {
  const node = entryOf(entryOf(view.root, "budget")?.node, "agents")?.node;
  if (node?.kind !== "scalar" || typeof node.value !== "number") return;
  const count = view.agents.length;
  if (!Number.isInteger(node.value) || node.value < 1 || node.value >= count) return;
  const problem = `allows ${node.value} of the ${count} agents that the workflow has`;
  const hint = `write at least ${count}`;
  report(wrongValue({ place: "budget.agents", problem, hint }), node);
}
