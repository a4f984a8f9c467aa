import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { GraphEdge, GraphNode, WorkflowGraph } from "../../contracts/graph.ts";

/** What a step does, beyond what its definition says plainly. */
export interface FlowWork {
  /** Ids of agents that it uses. */
  readonly agents: readonly string[];
  /** Names of workflows that it runs as children. */
  readonly workflows: readonly string[];
}

/** What only those know who carry a step workflow out. */
export interface FlowKnowledge {
  workOf(step: FlowStep): FlowWork;
  /** Steps that a step has to wait for although no route leads from them to it. */
  readonly waits: readonly { readonly from: string; readonly to: string }[];
}

/** The graph of a step workflow: its steps, the routes between them, and what is inside of them. */
export function graphOfFlow(definition: StepsDefinition, knowledge: FlowKnowledge): WorkflowGraph {
  const backends = new Map(definition.agents.map(({ id, backend }) => [id, backend]));
  const nodes: GraphNode[] = [];
  const inside: GraphEdge[] = [];
  const add = (step: FlowStep, around: string | undefined) => {
    const id = around === undefined ? step.id : `${around}/${step.id}`;
    nodes.push(toNode(id, step, { work: knowledge.workOf(step), backends }));
    if (around !== undefined) inside.push({ from: around, to: id, kind: "inside" });
    for (const inner of step.steps) add(inner, id);
  };
  for (const step of definition.steps) add(step, undefined);
  const waits = knowledge.waits.map(
    ({ from, to }): GraphEdge => ({ from, to, kind: "dependency" }),
  );
  return { nodes, edges: [...definition.steps.flatMap(routeEdges), ...waits, ...inside] };
}

function toNode(
  id: string,
  step: FlowStep,
  { work, backends }: { readonly work: FlowWork; readonly backends: ReadonlyMap<string, string> },
): GraphNode {
  const { agents, workflows } = work;
  const [agent] = agents;
  const backend = agents.length === 1 ? backends.get(agent ?? "") : undefined;
  return {
    id,
    kind: "step",
    label: step.id,
    type: step.type,
    ...(agent === undefined ? {} : { agent: agents.join(", ") }),
    ...(backend === undefined ? {} : { backend }),
    ...(workflows.length === 0 ? {} : { workflow: workflows.join(", ") }),
    ...(step.when === undefined ? {} : { condition: step.when }),
    maxAttempts: step.maxAttempts,
  };
}

/** One line for each step that a step may go on with, however many of its keys name it. */
function routeEdges({ id, routes }: FlowStep): readonly GraphEdge[] {
  const keys = Map.groupBy(Object.keys(routes), (key) => routes[key] ?? "");
  return [...keys].map(([to, own]) => ({ from: id, to, kind: "route", label: own.join(", ") }));
}
