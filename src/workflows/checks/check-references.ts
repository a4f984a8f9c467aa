import { missingKey } from "../schema/errors.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { stepWithoutAgent, unknownAgent, unknownStep, unusedAgent } from "./errors.ts";
import type { FileView, LocatedItem, LocatedText } from "./file-view.ts";
import { labelOf, nearIds, textAt, textsAt } from "./file-view.ts";

/** Checks that every agent, step and barrier that is named is defined, and that agents are used. */
export function checkReferences(context: CheckContext): void {
  checkAgentsAreThere(context);
  checkAgentReferences(context);
  checkDependencies(context);
  checkStepAgents(context);
  checkUnusedAgents(context);
}

/** Only a workflow whose steps are all commands needs none. */
function checkAgentsAreThere({ view, report }: CheckContext): void {
  if (view.root.entries.has("agents")) return;
  const isCommand = ({ node }: LocatedItem) => entryOf(node, "command") !== undefined;
  if (view.steps.length > 0 && view.steps.every(isCommand)) return;
  const [first] = view.root.entries.values();
  const error = missingKey({ key: "agents", place: "the workflow" });
  report(error, first?.keyRange ?? view.root);
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
  const reflection = entryOf(view.root, "reflection")?.node;
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
        ...one(
          `${who} is undone by agent`,
          textAt(entryOf(step.node, "compensate")?.node, "agent"),
        ),
        ...textsAt(step.node, "fallback").flatMap((agent) =>
          one(`${who} falls back to agent`, agent),
        ),
      ];
    }),
    ...view.barriers.flatMap((barrier) =>
      awaitedAgents(barrier, view).flatMap((agent) =>
        one(`barrier "${labelOf(barrier, view.barriers)}" waits for agent`, agent),
      ),
    ),
    ...one("errorHandling escalates to agent", escalation),
    ...one("reflection is made by agent", textAt(reflection, "reflector")),
    ...one("reflection is scored by agent", textAt(reflection, "scorer")),
    ...one("pruner asks agent", textAt(entryOf(view.root, "pruner")?.node, "evaluator")),
  ];
}

/** What a barrier waits for beside the completion of steps. */
function awaitedAgents({ node }: LocatedItem, { steps }: FileView): readonly LocatedText[] {
  const ids = new Set(steps.map(({ id }) => id));
  return textsAt(node, "waitFor").filter(({ text }) => !ids.has(text));
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
    const { node } = step;
    if (node.kind !== "map" || node.entries.has("agent") || node.entries.has("command")) continue;
    const error = stepWithoutAgent({
      step: labelOf(step, view.steps),
      known: nearIds(view.agents),
    });
    report(error, step.idRange);
  }
}

function checkUnusedAgents({ view, report }: CheckContext): void {
  if (view.steps.length === 0 || view.agents.length < 2) return;
  const awaited = view.barriers.flatMap(({ node }) => textsAt(node, "waitFor"));
  // What the block of a pattern names is checked by the pattern.
  const blocks = view.root.kind === "map" ? [...view.root.entries.values()] : [];
  const standIns = blocks.flatMap(({ node }) => textsAt(node, "fallback"));
  const references = agentReferences({ view }).map(({ agent }) => agent);
  const named = [...references, ...awaited, ...standIns];
  const used = new Set(named.map(({ text }) => text.toLowerCase()));
  // Whoever leads reflects, where nobody else is said to.
  const isReflected = view.root.kind === "map" && view.root.entries.has("reflection");
  for (const { id, idRange, node } of view.agents) {
    const role = textAt(node, "role")?.text;
    const reflects = isReflected && (role === "lead" || role === "hub");
    if (id !== undefined && !reflects && !used.has(id.toLowerCase()))
      report(unusedAgent({ agent: id }), idRange, { severity: "warning" });
  }
}
