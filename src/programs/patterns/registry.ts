import type { Pattern } from "../../contracts/ports/pattern.ts";
import { dagPattern } from "./dag.ts";
import { fanOutPattern } from "./fan-out.ts";
import { pipelinePattern } from "./pipeline.ts";

/** Every built-in pattern. A new one is a file and a line here. */
export const builtInPatterns: readonly Pattern[] = [fanOutPattern, pipelinePattern, dagPattern];
