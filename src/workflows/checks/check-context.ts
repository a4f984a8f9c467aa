import type { TroupeError } from "../../foundation/errors.ts";
import type { StepOrder } from "../../programs/primitives/step-order.ts";
import type { ProblemOptions } from "../problems/problem.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import type { PatternEntry } from "../schema/catalogue.ts";
import type { SourceRange } from "../source/source-node.ts";
import type { FileView } from "./file-view.ts";

/** What a check looks at and where it reports. */
export interface CheckContext {
  readonly view: FileView;
  /** The whole text of the file. */
  readonly text: string;
  /** The file's pattern, when it is one that can be run. */
  readonly pattern: PatternEntry | undefined;
  /** What orders its steps; undefined when its pattern cannot be run. */
  readonly order: StepOrder | undefined;
  readonly options: LoadOptions;
  /** How the file writes a key of pattern workflows. Default: the same. */
  readonly spell?: (key: string) => string;
  report(error: TroupeError, range: SourceRange, options?: ProblemOptions): void;
}
