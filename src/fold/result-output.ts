import { isJsonObject, isRecord, type Json } from "../foundation/json.ts";
import { readableJson } from "../foundation/readable-json.ts";
import type { RunState } from "./state/run-state.ts";

/** Whether the run came to a result; what else it says is the last that one of its steps did. */
export function hasResult({ phase }: RunState): boolean {
  return phase.status === "ended" && phase.result !== null;
}

/** The output of a run for people: as `resultOutput` gives it, but what is no text member by member. */
export function readableResult(state: RunState): string {
  const data = resultData(state);
  return data === undefined ? resultOutput(state) : readableJson(data);
}

/**
 * The output of a run: of its result, as JSON if it is no text, else what its agents said last, else of the step
 * that completed last; empty when there is none.
 */
export function resultOutput(state: RunState): string {
  const result = state.phase.status === "ended" ? state.phase.result : null;
  if (typeof result === "string") return result;
  const { output = undefined, agents = undefined } = isJsonObject(result) ? result : {};
  if (typeof output === "string") return output;
  const data = resultData(state);
  if (data !== undefined) return JSON.stringify(data, null, 2);
  const texts = lastTexts(agents);
  if (texts !== undefined) return texts;
  let last: { readonly seq: number; readonly output: string } = { seq: 0, output: "" };
  for (const step of state.steps.byPath.values())
    if (step.status === "completed" && step.output !== "" && step.seq > last.seq) last = step;
  return last.output;
}

/** What came out of a run when that is no text. */
function resultData({ phase }: RunState): Json | undefined {
  const result = phase.status === "ended" ? phase.result : null;
  const output = isJsonObject(result) ? result["output"] : undefined;
  return output === null || typeof output === "string" ? undefined : output;
}

/** The last texts of agents, each under its name when there are several; undefined for another kind of result. */
function lastTexts(agents: unknown): string | undefined {
  if (!Array.isArray(agents)) return undefined;
  const said = agents.flatMap((agent: unknown) => {
    const { name = undefined, text = undefined } = isRecord(agent) ? agent : {};
    return typeof text === "string" && text.trim() !== "" ? [{ name: String(name), text }] : [];
  });
  const [first] = said;
  if (said.length < 2) return first?.text ?? "";
  return said.map(({ name, text }) => `## ${name}\n\n${text}`).join("\n\n");
}
