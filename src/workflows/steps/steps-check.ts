import type { TroupeError } from "../../foundation/errors.ts";
import type { ProblemOptions } from "../problems/problem.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import type { SourceRange } from "../source/source-node.ts";
import type { StepsView } from "./step-view.ts";

/** What a check of a step workflow looks at and where it reports. */
export interface StepsCheck {
  readonly view: StepsView;
  /** The whole text of the file. */
  readonly text: string;
  /** The name of the file as it was given. */
  readonly file: string;
  readonly options: LoadOptions;
  report(error: TroupeError, range: SourceRange, options?: ProblemOptions): void;
}
