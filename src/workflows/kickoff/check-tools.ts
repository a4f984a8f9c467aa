import type { CheckContext } from "../checks/check-context.ts";
import { labelOf, textsAt } from "../checks/file-view.ts";
import { unknownToolName } from "./errors.ts";
import { OWN_TOOLS } from "./own-tools.ts";

/** Checks that agents are given tools that exist (KCK-7). */
export function checkTools({ view, options, report }: CheckContext): void {
  if (options.tools === undefined) return;
  const known = [...OWN_TOOLS, ...options.tools];
  for (const agent of view.agents) {
    const who = `agent "${labelOf(agent, view.agents)}"`;
    for (const { text: tool, node } of textsAt(agent.node, "tools"))
      if (!known.includes(tool)) report(unknownToolName({ who, tool, known }), node);
  }
}
