import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { barrierUnreachable } from "./errors.ts";
import type { LocatedItem } from "./file-view.ts";
import { textAt, textsAt } from "./file-view.ts";

/** Checks that every barrier can open: enough of its agents have a step that does not wait for it. */
export function checkBarriers(context: CheckContext): void {
  const { view, pattern, report } = context;
  if (view.steps.length === 0 || pattern === undefined) return;
  const dependents = dependentsOf(context);
  for (const barrier of view.barriers) {
    if (barrier.id === undefined) continue;
    const waiting = stepsBehind(context, barrier.id, dependents);
    const awaited = textsAt(barrier.node, "waitFor");
    const blocked = awaited.filter(({ text }) => !hasFreeStep(context, text, waiting));
    const needed = neededCount(textAt(barrier.node, "type")?.text, awaited.length);
    if (awaited.length === 0 || awaited.length - blocked.length >= needed) continue;
    const agents = blocked.map(({ text }) => text);
    report(barrierUnreachable({ barrier: barrier.id, agents }), barrier.idRange);
  }
}

function neededCount(type: string | undefined, count: number): number {
  if (type === "any") return 1;
  return type === "majority" ? Math.floor(count / 2) + 1 : count;
}

function hasFreeStep(
  { view }: CheckContext,
  agent: string,
  waiting: ReadonlySet<LocatedItem>,
): boolean {
  const isAgent = view.agents.some(({ id }) => id?.toLowerCase() === agent.toLowerCase());
  const step = view.steps.find(({ id }) => id === agent);
  // A name that means nothing is another problem.
  if (!isAgent) return step === undefined || !waiting.has(step);
  const onlyAgent = view.agents.length === 1 ? view.agents[0]?.id : undefined;
  return view.steps.some((each) => {
    if (entryOf(each.node, "command") !== undefined) return false;
    const own = textAt(each.node, "agent")?.text ?? onlyAgent ?? "";
    return own.toLowerCase() === agent.toLowerCase() && !waiting.has(each);
  });
}

type Dependents = ReadonlyMap<string, readonly LocatedItem[]>;

/** Which steps name each step or barrier in their dependsOn. */
function dependentsOf({ view }: CheckContext): Dependents {
  const dependents = new Map<string, LocatedItem[]>();
  for (const step of view.steps) {
    for (const { text } of textsAt(step.node, "dependsOn")) {
      const list = dependents.get(text);
      if (list === undefined) dependents.set(text, [step]);
      else list.push(step);
    }
  }
  return dependents;
}

/** The steps that start only after the barrier has opened. */
function stepsBehind(
  { view, order }: CheckContext,
  barrier: string,
  dependents: Dependents,
): ReadonlySet<LocatedItem> {
  if (order === "list") {
    const [first] = dependents.get(barrier) ?? [];
    return new Set(first === undefined ? [] : view.steps.slice(view.steps.indexOf(first)));
  }
  const behind = new Set<LocatedItem>();
  const reached = [barrier];
  for (let name = reached.pop(); name !== undefined; name = reached.pop()) {
    for (const step of dependents.get(name) ?? []) {
      if (behind.has(step)) continue;
      behind.add(step);
      if (step.id !== undefined) reached.push(step.id);
    }
  }
  return behind;
}
