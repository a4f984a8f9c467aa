import { wrongValue } from "../schema/errors.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { labelOf } from "./file-view.ts";

const HINTS = {
  turnTimeout: "write timeout at the steps",
  bounds: "write timeout or budget at the steps",
} as const;
const KEYS = ["turnTimeout", "bounds"] as const;

/** Checks that what is said of turns stands where the pattern gives turns itself: with steps, these are the turns. */
export function checkTurnRules(context: CheckContext): void {
  checkBounds(context);
  checkParts(context);
}

function checkBounds({ view, pattern, report }: CheckContext): void {
  if (pattern === undefined || (pattern.order === "mode" && view.steps.length === 0)) return;
  const options = entryOf(view.root, "options")?.node;
  for (const key of KEYS) {
    const entry = entryOf(options, key);
    if (entry === undefined) continue;
    const problem = `has no meaning here: all turns of this ${pattern.name} are steps`;
    report(wrongValue({ place: `options.${key}`, problem, hint: HINTS[key] }), entry.keyRange);
  }
}

/** The part of an agent is what its turns are for, and a step says that itself. */
function checkParts({ view, report }: CheckContext): void {
  if (view.steps.length === 0) return;
  for (const agent of view.agents) {
    const entry = entryOf(agent.node, "task");
    if (entry === undefined) continue;
    const place = `agents.${labelOf(agent, view.agents)}.task`;
    const problem = "has no meaning beside steps: their prompts are the parts";
    report(wrongValue({ place, problem, hint: "put it into the prompts" }), entry.keyRange);
  }
}
