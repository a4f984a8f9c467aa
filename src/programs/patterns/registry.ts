import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { HubKind } from "../talk/hub-kind.ts";
import type { LayerKind } from "../talk/layer-kind.ts";
import type { RevisionKind } from "../talk/revision-kind.ts";
import type { RoundKind } from "../talk/rounds.ts";

/** What is known of a pattern before it is carried out or a file is read that names it; all else is loaded then. */
export interface BuiltInPattern
  extends Pick<Pattern, "name" | "blockKey" | "onFailure" | "order" | "defaultMode"> {
  load(): Promise<Pattern>;
}

/** Every built-in pattern. A new one is a file and a line here. */
export const builtInPatterns: readonly BuiltInPattern[] = [
  {
    name: "fan-out",
    onFailure: "continue",
    order: "none",
    load: async () => (await import("./fan-out.ts")).fanOutPattern,
  },
  {
    name: "pipeline",
    onFailure: "abort",
    order: "list",
    load: async () => (await import("./pipeline.ts")).pipelinePattern,
  },
  {
    name: "dag",
    onFailure: "continue",
    order: "graph",
    load: async () => (await import("./dag.ts")).dagPattern,
  },
  {
    name: "consensus",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./consensus.ts")).consensusPattern,
  },
  {
    name: "hub-spoke",
    blockKey: "hub",
    onFailure: "continue",
    order: "mode",
    load: async () => loadHub((await import("./hub-spoke.ts")).hubSpokeKind),
  },
  {
    name: "mesh",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRounds((await import("./mesh.ts")).meshKind),
  },
  {
    name: "handoff",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./handoff.ts")).handoffPattern,
  },
  {
    name: "cascade",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./cascade.ts")).cascadePattern,
  },
  {
    name: "debate",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./debate.ts")).debatePattern,
  },
  {
    name: "hierarchical",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./hierarchical.ts")).hierarchicalPattern,
  },
  {
    name: "collab",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./collab.ts")).collabPattern,
  },
  {
    name: "iterate",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./iterate.ts")).iteratePattern,
  },
  {
    name: "team",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./team.ts")).teamPattern,
  },
  {
    name: "auction",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./auction.ts")).auctionPattern,
  },
  {
    name: "gossip",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./gossip.ts")).gossipPattern,
  },
  {
    name: "pool",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./pool.ts")).poolPattern,
  },
  {
    name: "scatter-gather",
    onFailure: "continue",
    order: "mode",
    load: async () => loadLayers((await import("./scatter-gather.ts")).scatterGatherKind),
  },
  {
    name: "mixture-of-agents",
    onFailure: "continue",
    order: "mode",
    load: async () => loadLayers((await import("./mixture-of-agents.ts")).mixtureOfAgentsKind),
  },
  {
    name: "escalation",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./escalation.ts")).escalationPattern,
  },
  {
    name: "review-loop",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRevision((await import("./review-loop.ts")).reviewLoopKind),
  },
  {
    name: "reflection",
    blockKey: "reflectionLoop",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRevision((await import("./reflection.ts")).reflectionKind),
  },
  {
    name: "verifier",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRevision((await import("./verifier.ts")).verifierKind),
  },
  {
    name: "red-team",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRevision((await import("./red-team.ts")).redTeamKind),
  },
  {
    name: "map-reduce",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./map-reduce.ts")).mapReducePattern,
  },
  {
    name: "supervisor",
    onFailure: "continue",
    order: "mode",
    load: async () => loadHub((await import("./supervisor.ts")).supervisorKind),
  },
  {
    name: "competitive",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./competitive.ts")).competitivePattern,
  },
  {
    name: "blackboard",
    onFailure: "continue",
    order: "mode",
    load: async () => loadRounds((await import("./blackboard.ts")).blackboardKind),
  },
  {
    name: "circuit-breaker",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./circuit-breaker.ts")).circuitBreakerPattern,
  },
  {
    name: "saga",
    onFailure: "abort",
    order: "mode",
    defaultMode: "sequential",
    load: async () => (await import("./saga.ts")).sagaPattern,
  },
];

/** Patterns whole, in the order of the list; all when no names are given. */
export function loadPatterns(names?: readonly string[]): Promise<readonly Pattern[]> {
  const wanted = builtInPatterns.filter(({ name }) => names === undefined || names.includes(name));
  return Promise.all(wanted.map((pattern) => pattern.load()));
}

async function loadRevision(kind: RevisionKind): Promise<Pattern> {
  return (await import("../talk/revision-pattern.ts")).toRevisionPattern(kind);
}

async function loadLayers(kind: LayerKind): Promise<Pattern> {
  return (await import("../talk/layer-pattern.ts")).toLayerPattern(kind);
}

async function loadHub(kind: HubKind): Promise<Pattern> {
  return (await import("../talk/hub-pattern.ts")).toHubPattern(kind);
}

async function loadRounds(kind: RoundKind): Promise<Pattern> {
  return (await import("../talk/round-pattern.ts")).toRoundPattern(kind);
}
