import type { Pattern } from "../../contracts/ports/pattern.ts";
import { dag } from "./dag.ts";
import { fanOut } from "./fan-out.ts";
import { pipeline } from "./pipeline.ts";

/** Every built-in pattern. A new one is a file and a line here. */
export const builtInPatterns: readonly Pattern[] = [fanOut, pipeline, dag];
