import type { Json } from "../../../src/foundation/json.ts";
import type { Entry, ModelAnswer, ModelRequest } from "./model-request.ts";
import { findScript, type Script, type ScriptedCall, type Step } from "./script.ts";
import { toModelCall } from "./tool-call.ts";

/** What a request is answered with, and how. */
export interface Choice {
  readonly answer: ModelAnswer;
  readonly step: Step;
  /** Names this step of this script, whenever and by whomever it is asked for. */
  readonly key: string;
}

/**
 * Chooses the answer by the conversation alone: the last script in what the client said, at the step that
 * is the number of batches of tool results after it. So it survives retries, resumed sessions and a new
 * server. Requests without tools, such as for a title, get plain text. Raises for a script that cannot be
 * followed.
 */
export function chooseAnswer(request: ModelRequest): Choice {
  if (request.tools.length === 0) return plainChoice("A title");
  const found = lastScript(request.entries);
  if (found === undefined) return plainChoice("Nothing is scripted for this.");
  const position = countBatches(found.following);
  const step = found.script.steps[position] ?? { text: "The script is over." };
  const result = request.entries.findLast(({ kind }) => kind === "result")?.text ?? "";
  return {
    step,
    key: `${position} ${found.script.source}`,
    answer: {
      ...(step.text === undefined ? {} : { text: insertResult(step.text, result) }),
      calls: (step.calls ?? []).map((call) => toModelCall(withResult(call, result), request.tools)),
      ...(step.declines === undefined ? {} : { isRefusal: true }),
    },
  };
}

function plainChoice(text: string): Choice {
  return { step: {}, key: "", answer: { text, calls: [] } };
}

function lastScript(
  entries: readonly Entry[],
): { readonly script: Script; readonly following: readonly Entry[] } | undefined {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    // Replies and results may repeat a script; only who asks can give one.
    const script = entry?.kind === "prompt" ? findScript(entry.text) : undefined;
    if (script !== undefined) return { script, following: entries.slice(index + 1) };
  }
  return undefined;
}

/** Parallel calls are answered by one batch: results without anything of the model between them. */
function countBatches(entries: readonly Entry[]): number {
  let count = 0;
  let isInBatch = false;
  for (const { kind } of entries) {
    if (kind === "result" && !isInBatch) count += 1;
    if (kind !== "prompt") isInBatch = kind === "result";
  }
  return count;
}

function withResult(call: ScriptedCall, result: string): ScriptedCall {
  if ("shell" in call || call.args === undefined) return call;
  const args = Object.entries(call.args).map(([name, value]) => [name, inserted(value, result)]);
  return { ...call, args: Object.fromEntries(args) };
}

function inserted(value: Json, result: string): Json {
  return typeof value === "string" ? insertResult(value, result) : value;
}

function insertResult(text: string, result: string): string {
  // A function as replacement: in a text `$&` and its like would be replaced again.
  return text.replaceAll("$RESULT", () => result);
}
