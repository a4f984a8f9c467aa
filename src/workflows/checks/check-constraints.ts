import { patternProblem } from "../../foundation/path-pattern.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { labelOf, textAt, textsAt } from "./file-view.ts";

/** Checks what agents are constrained to: patterns that can mean something, and bounds that something can keep. */
export function checkConstraints(context: CheckContext): void {
  const { agents } = context.view;
  const { spell = (key) => key } = context;
  for (const agent of agents) {
    const constraints = entryOf(agent.node, "constraints")?.node;
    const place = `agents.${labelOf(agent, agents)}.constraints`;
    const fileScope = entryOf(constraints, "fileScope")?.node;
    const scope = `${place}.${spell("fileScope")}`;
    checkPatterns(context, fileScope, { key: "include", place: `${scope}.include` });
    checkPatterns(context, fileScope, { key: "exclude", place: `${scope}.exclude` });
    checkPatterns(context, constraints, {
      key: "readOnly",
      place: `${place}.${spell("readOnly")}`,
    });
    checkNetwork(context, agent.node, `${place}.network`);
  }
}

function checkPatterns(
  { report }: CheckContext,
  node: SourceNode | undefined,
  { key, place }: { readonly key: string; readonly place: string },
): void {
  for (const pattern of textsAt(node, key)) {
    const problem = patternProblem(pattern.text);
    if (problem === undefined) continue;
    const hint = "write paths below the agent's cwd: src/**, package.json, **/*.test.ts";
    const shown = JSON.stringify(pattern.text.slice(0, 60));
    report(wrongValue({ place: `${place}: ${shown}`, problem, hint }), pattern.node);
  }
}

function checkNetwork({ report }: CheckContext, agent: SourceNode, place: string): void {
  const entry = entryOf(entryOf(agent, "constraints")?.node, "network");
  const node = entry?.node;
  if (entry === undefined || node?.kind !== "scalar" || node.value !== false) return;
  if (textAt(agent, "isolation")?.text === "sandbox") return;
  const problem = "can only be false in a sandbox";
  report(wrongValue({ place, problem, hint: "add isolation: sandbox to the agent" }), node);
}
