import type { Pattern } from "../../contracts/ports/pattern.ts";
import { cascadePattern } from "./cascade.ts";
import { consensusPattern } from "./consensus.ts";
import { dagPattern } from "./dag.ts";
import { debatePattern } from "./debate.ts";
import { fanOutPattern } from "./fan-out.ts";
import { pipelinePattern } from "./pipeline.ts";

/** Every built-in pattern. A new one is a file and a line here. */
export const builtInPatterns: readonly Pattern[] = [
  fanOutPattern,
  pipelinePattern,
  dagPattern,
  consensusPattern,
  cascadePattern,
  debatePattern,
];

/** Patterns of the format that this version cannot run, so that files which name one are told so. */
export const plannedPatterns: readonly Pick<Pattern, "name" | "blockKey">[] = [
  { name: "hub-spoke", blockKey: "hub" },
  { name: "mesh" },
  { name: "handoff" },
  { name: "hierarchical" },
];
