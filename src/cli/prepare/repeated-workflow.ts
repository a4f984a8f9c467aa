import { basename, extname, relative, resolve } from "node:path";
import type { FileRequest } from "../../app/workflow/load-file.ts";
import { isDuration } from "../../foundation/duration.ts";
import { usageInvalid } from "../command/errors.ts";
import { isCondition } from "./series-workflow.ts";

type Workflow = Pick<FileRequest, "file" | "text">;

const MOST_ITERATIONS = 100_000;
/** Its iterations bound it. */
const UNBOUNDED = { max_duration_ms: 365 * 86_400_000, max_errors: MOST_ITERATIONS };

/** A workflow that is to be repeated. */
export interface Repetition {
  readonly workflow: Workflow;
  /** How often or how long, as people write it. */
  readonly condition: string;
  /** Absolute directory where it is asked for. */
  readonly cwd: string;
}

/**
 * The step workflow that carries out another one again and again, each time as a child run that is given all of its
 * input. Raises USAGE_INVALID.
 */
export function repeatedWorkflow({ workflow, condition, cwd }: Repetition): Workflow {
  const { file, text } = workflow;
  if (!isCondition(condition))
    throw usageInvalid({
      problem: `"${condition}" is no number of iterations and no time`,
      hint: "write --iter 5, --iter 30m or --iter 2h",
    });
  if (!isDuration(condition) && Number(condition) > MOST_ITERATIONS)
    throw usageInvalid({ problem: `--iter takes ${MOST_ITERATIONS} iterations at most` });
  if (text !== undefined)
    throw usageInvalid({
      problem: `--iter repeats the file of a workflow, and ${file} is none`,
      hint: 'name a file; one agent is repeated by: troupe iter 5 "TASK" --agent NAME',
    });
  const bound = isDuration(condition) ? { duration: condition } : { times: Number(condition) };
  const child = { id: "iteration", type: "workflow", file: relative(cwd, resolve(cwd, file)) };
  const series = { id: "iterations", type: "loop", ...bound, on_failure: "continue" };
  const whole = {
    ...{ id: `${nameOf(file)}-iter`, ...UNBOUNDED },
    steps: [{ ...series, steps: [child] }],
  };
  return { file: `${file} --iter`, text: JSON.stringify(whole) };
}

function nameOf(file: string): string {
  const name = basename(file, extname(file)).replace(/[^\w-]+/g, "-");
  return /^[a-z]/i.test(name) ? name : `file-${name}`;
}
