import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { stepWithoutAgent, unknownAgent, unknownStep, unusedAgent } from "./errors.ts";
import type { LocatedText } from "./file-view.ts";
import { labelOf, nearIds, textAt, textsAt } from "./file-view.ts";

/** Checks that every agent, step and barrier that is named is defined, and that agents are used. */
export function checkReferences(context: CheckContext): void {
  checkAgentReferences(context);
  checkDependencies(context);
  checkStepAgents(context);
  checkUnusedAgents(context);
}

interface AgentReference {
  readonly who: string;
  readonly agent: LocatedText;
}

function checkAgentReferences({ view, report }: CheckContext): void {
  const known = nearIds(view.agents);
  const folded = new Set(view.agents.map(({ id }) => id?.toLowerCase()));
  for (const { who, agent } of agentReferences({ view })) {
    if (!folded.has(agent.text.toLowerCase()))
      report(unknownAgent({ who, agent: agent.text, known }), agent.node);
  }
}

function agentReferences({ view }: Pick<CheckContext, "view">): readonly AgentReference[] {
  const escalation = textAt(entryOf(view.root, "errorHandling")?.node, "escalateTo");
  const one = (who: string, agent: LocatedText | undefined) =>
    agent === undefined ? [] : [{ who, agent }];
  return [
    ...view.agents.flatMap((agent) =>
      one(`agent "${labelOf(agent, view.agents)}" reports to`, textAt(agent.node, "reportsTo")),
    ),
    ...view.steps.flatMap((step) => {
      const who = `step "${labelOf(step, view.steps)}"`;
      return [
        ...one(`${who} uses agent`, textAt(step.node, "agent")),
        ...textsAt(step.node, "fallback").flatMap((agent) =>
          one(`${who} falls back to agent`, agent),
        ),
      ];
    }),
    ...view.barriers.flatMap((barrier) =>
      textsAt(barrier.node, "waitFor").flatMap((agent) =>
        one(`barrier "${labelOf(barrier, view.barriers)}" waits for agent`, agent),
      ),
    ),
    ...one("errorHandling escalates to agent", escalation),
  ];
}

function checkDependencies({ view, report }: CheckContext): void {
  const known = nearIds([...view.steps, ...view.barriers]);
  const ids = new Set([...view.steps, ...view.barriers].map(({ id }) => id));
  for (const step of view.steps) {
    for (const dependency of textsAt(step.node, "dependsOn")) {
      const who = `step "${labelOf(step, view.steps)}" depends on`;
      if (!ids.has(dependency.text))
        report(unknownStep({ who, step: dependency.text, known }), dependency.node);
    }
  }
}

function checkStepAgents({ view, report }: CheckContext): void {
  if (view.agents.length < 2) return;
  for (const step of view.steps) {
    if (step.node.kind !== "map" || step.node.entries.has("agent")) continue;
    const error = stepWithoutAgent({
      step: labelOf(step, view.steps),
      known: nearIds(view.agents),
    });
    report(error, step.idRange);
  }
}

function checkUnusedAgents({ view, report }: CheckContext): void {
  if (view.steps.length === 0 || view.agents.length < 2) return;
  const used = new Set(agentReferences({ view }).map(({ agent }) => agent.text.toLowerCase()));
  for (const { id, idRange } of view.agents) {
    if (id !== undefined && !used.has(id.toLowerCase()))
      report(unusedAgent({ agent: id }), idRange, { severity: "warning" });
  }
}
