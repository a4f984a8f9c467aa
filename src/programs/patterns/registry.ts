import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What is known of a pattern before it is carried out or a file is read that names it; all else is loaded then. */
export interface BuiltInPattern extends Pick<Pattern, "name" | "blockKey" | "onFailure" | "order"> {
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
    load: async () => (await import("./hub-spoke.ts")).hubSpokePattern,
  },
  {
    name: "mesh",
    onFailure: "continue",
    order: "mode",
    load: async () => (await import("./mesh.ts")).meshPattern,
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
];

/** Patterns of the format that this version cannot run, so that files which name one are told so. */
export const plannedPatterns: readonly Pick<Pattern, "name" | "blockKey">[] = [
  { name: "map-reduce" },
  { name: "scatter-gather" },
  { name: "supervisor" },
  { name: "reflection", blockKey: "reflectionLoop" },
  { name: "red-team" },
  { name: "verifier" },
  { name: "escalation" },
  { name: "competitive" },
  { name: "review-loop" },
  { name: "blackboard" },
  { name: "saga" },
  { name: "circuit-breaker" },
  { name: "mixture-of-agents" },
  { name: "pool" },
];

/** Patterns whole, in the order of the list; all when no names are given. */
export function loadPatterns(names?: readonly string[]): Promise<readonly Pattern[]> {
  const wanted = builtInPatterns.filter(({ name }) => names === undefined || names.includes(name));
  return Promise.all(wanted.map((pattern) => pattern.load()));
}
