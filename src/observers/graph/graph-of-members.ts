import type { AgentSpec } from "../../contracts/agent.ts";
import type { GraphEdge, GraphNode, WorkflowGraph } from "../../contracts/graph.ts";

/** The graph of a pattern that gives turns itself: its agents, the points that they come to, and who watches. */
export function graphOfMembers(
  agents: readonly AgentSpec[],
  links: readonly GraphEdge[],
): WorkflowGraph {
  const members = agents.filter(({ shadow }) => shadow === undefined);
  const ids = new Set(members.map(({ id }) => id));
  const points = new Set(links.map(({ to }) => to).filter((to) => !ids.has(to)));
  const watchers = agents.flatMap(({ id, shadow }) =>
    shadow === undefined ? [] : [{ id, of: shadow.of }],
  );
  return {
    nodes: [
      ...members.map(memberNode),
      ...[...points].map((id): GraphNode => ({ id, kind: "barrier", label: id })),
      ...watchers.map(({ id }): GraphNode => ({ id: `agent:${id}`, kind: "agent", label: id })),
    ],
    edges: [
      ...links,
      ...watchers.map(({ id, of }): GraphEdge => ({ from: of, to: `agent:${id}`, kind: "shadow" })),
    ],
  };
}

function memberNode({ id, name, backend }: AgentSpec): GraphNode {
  const label = name === undefined || name === id ? id : `${id} (${name})`;
  return { id, kind: "step", label, agent: id, backend };
}
