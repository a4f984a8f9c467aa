import { isRecord } from "../foundation/json.ts";
import type { RunState } from "./run-state.ts";

/** The output of a run: of its result, else of the step that completed last; empty when there is none. */
export function resultOutput({ phase, steps }: RunState): string {
  const result = phase.status === "ended" ? phase.result : null;
  if (typeof result === "string") return result;
  const { output = undefined } = isRecord(result) ? result : {};
  if (typeof output === "string") return output;
  let last: { readonly seq: number; readonly output: string } = { seq: 0, output: "" };
  for (const step of steps.byPath.values())
    if (step.status === "completed" && step.output !== "" && step.seq > last.seq) last = step;
  return last.output;
}
