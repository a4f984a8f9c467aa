import type { Pattern } from "../../contracts/ports/pattern.ts";
import { cascadePattern } from "./cascade.ts";
import { consensusPattern } from "./consensus.ts";
import { dagPattern } from "./dag.ts";
import { debatePattern } from "./debate.ts";
import { fanOutPattern } from "./fan-out.ts";
import { handoffPattern } from "./handoff.ts";
import { hierarchicalPattern } from "./hierarchical.ts";
import { hubSpokePattern } from "./hub-spoke.ts";
import { meshPattern } from "./mesh.ts";
import { pipelinePattern } from "./pipeline.ts";

/** Every built-in pattern. A new one is a file and a line here. */
export const builtInPatterns: readonly Pattern[] = [
  fanOutPattern,
  pipelinePattern,
  dagPattern,
  consensusPattern,
  hubSpokePattern,
  meshPattern,
  handoffPattern,
  cascadePattern,
  debatePattern,
  hierarchicalPattern,
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
  { name: "auction" },
  { name: "pool" },
  { name: "gossip" },
];
