import type { PatternDefinition } from "../../contracts/definition.ts";
import type { GraphEdge, GraphNode, WorkflowGraph } from "../../contracts/graph.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { BarrierSpec, StepSpec } from "../../contracts/step.ts";
import { present } from "../../foundation/present.ts";

/** The graph of a pattern that runs steps in its order: steps, barriers, and the agents that help out or watch. */
export function graphOfSteps(
  definition: PatternDefinition,
  order: Exclude<Pattern["order"], "mode">,
): WorkflowGraph {
  const ordered = orderEdges(definition, order);
  const aside = [...definition.steps.flatMap(helpEdges), ...shadowEdges(definition)];
  const backends = new Map(definition.agents.map(({ id, backend }) => [id, backend]));
  return {
    nodes: [
      ...definition.steps.map((step) => stepNode(step, backends)),
      ...definition.barriers.map(barrierNode),
      ...asideNodes(aside, definition),
    ],
    edges: [...ordered, ...signalEdges(definition, ordered), ...aside],
  };
}

function stepNode(step: StepSpec, backends: ReadonlyMap<string, string>): GraphNode {
  const { agent, run, when, runs, gathers } = step;
  const backend = agent === undefined ? undefined : backends.get(agent);
  const type = gathers === undefined ? run && "command" : "matrix";
  const condition = when ?? (runs === undefined ? undefined : `runs: ${runs}`);
  return {
    id: step.id,
    kind: "step",
    label: step.id,
    ...present({ agent, type, backend, condition }),
    maxAttempts: step.maxAttempts,
  };
}

function barrierNode({ id }: BarrierSpec): GraphNode {
  return { id, kind: "barrier", label: id };
}

function asideNodes(aside: readonly GraphEdge[], { agents }: PatternDefinition): GraphNode[] {
  const wanted = new Set(aside.map(({ to }) => to));
  return agents
    .filter(({ id }) => wanted.has(agentNodeId(id)))
    .map(({ id, name, backend }) => {
      const label = name === undefined || name === id ? id : `${id} (${name})`;
      return { id: agentNodeId(id), kind: "agent", label, backend };
    });
}

function agentNodeId(agent: string): string {
  return `agent:${agent}`;
}

function orderEdges(
  { steps }: PatternDefinition,
  order: Exclude<Pattern["order"], "mode">,
): readonly GraphEdge[] {
  return steps.flatMap((step, index): readonly GraphEdge[] => {
    const before = order === "list" ? steps[index - 1]?.id : undefined;
    const waitsFor = new Set(step.dependsOn.filter((id) => id !== before));
    const dependencies = [...waitsFor].map((from): GraphEdge => {
      return { from, to: step.id, kind: "dependency" };
    });
    return before === undefined
      ? dependencies
      : [...dependencies, { from: before, to: step.id, kind: "order" }];
  });
}

/**
 * A barrier hears what its agents say in steps that do not themselves wait for it: in those that demand its
 * signal, or, if none does, in any of them.
 */
function signalEdges(
  { steps, barriers }: PatternDefinition,
  ordered: readonly GraphEdge[],
): readonly GraphEdge[] {
  const next = Map.groupBy(ordered, ({ from }) => from);
  return barriers.flatMap(({ id, waitFor, steps: completed = [], signal }) => {
    const speakers = new Set(waitFor);
    const after = reachable(id, next);
    const heard = steps.filter(
      ({ id: step, agent }) => agent !== undefined && speakers.has(agent) && !after.has(step),
    );
    const demanding = heard.filter(({ expects }) => expects === signal);
    const speaking = (demanding.length === 0 ? heard : demanding).map((step) => step.id);
    return [...new Set([...speaking, ...completed])].map((from): GraphEdge => {
      return { from, to: id, kind: "signal" };
    });
  });
}

function reachable(
  start: string,
  next: ReadonlyMap<string, readonly GraphEdge[]>,
): ReadonlySet<string> {
  const found = new Set([start]);
  for (const id of found) for (const { to } of next.get(id) ?? []) found.add(to);
  return found;
}

/** Whoever tries a step after its own agent: each other agent once, the escalation last. */
function helpEdges({ id, agent, fallback, escalateTo }: StepSpec): readonly GraphEdge[] {
  const helpers = new Set(fallback.filter((helper) => helper !== agent));
  const edges = [...helpers].map((helper): GraphEdge => {
    return { from: id, to: agentNodeId(helper), kind: "fallback" };
  });
  if (escalateTo === undefined || escalateTo === agent || helpers.has(escalateTo)) return edges;
  return [...edges, { from: id, to: agentNodeId(escalateTo), kind: "escalation" }];
}

/** A shadow watches its agent in whatever that does. */
function shadowEdges({ steps, agents }: PatternDefinition): readonly GraphEdge[] {
  return agents.flatMap(({ id, shadow }) =>
    steps
      .filter(({ agent }) => shadow !== undefined && agent === shadow.of)
      .map((step): GraphEdge => ({ from: step.id, to: agentNodeId(id), kind: "shadow" })),
  );
}
