import type { FileShape } from "../resolve/file-shape.ts";
import { kickoffFile } from "./kickoff-file.ts";
import { patternFile } from "./pattern-file.ts";
import { stepsFile } from "./steps-file.ts";

/** Every shape of file; the first that fits is that of a file. A new one is a file and a line here. */
export const fileShapes: readonly FileShape[] = [patternFile, stepsFile, kickoffFile];
