import type { StepOutcome } from "../../../contracts/ports/step-type.ts";
import type { StepRecord } from "../../../contracts/step-context.ts";
import { isJsonObject, type Json, toJson } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";

/** What people read of a step that is done. */
export function outputText({ output, data }: Pick<StepOutcome, "output" | "data">): string {
  if (output !== undefined) return output;
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** The data that an output stands for when none is recorded beside it: the object or list that it is as JSON, else itself as `result`. */
export function impliedData(output: string): Json {
  const begins = output.charAt(0);
  if (begins !== "{" && begins !== "[") return { result: output };
  try {
    const value: unknown = JSON.parse(output);
    return toJson(value, "the output of a step");
  } catch {
    // No JSON, or nothing that a journal can hold: a number without end, levels without number.
    return { result: output };
  }
}

/** The data as an event records it: not twice. */
export function storedData(output: string, data: Json): { readonly data?: Json } {
  return isSameJson(impliedData(output), data) ? {} : { data };
}

/** The data of a step that is done, as its event tells it. */
export function recordedData({
  data,
  output,
}: {
  readonly data?: Json | undefined;
  readonly output: string;
}): Json {
  return data === undefined ? impliedData(output) : data;
}

/** Data as people read it: a text that is all there is stands for itself. */
export function plainData(data: Json): Json {
  if (!isJsonObject(data)) return data;
  const { result, ...others } = data;
  return typeof result === "string" && Object.keys(others).length === 0 ? result : data;
}

/** What a record says that would be the same at another time: a step with others inside tells how long each took. */
export function timelessData({ data, inner }: Pick<StepRecord, "data" | "inner">): Json {
  if (inner === undefined || !Array.isArray(data)) return data;
  return data.map((item: Json) => {
    if (!isJsonObject(item)) return item;
    const { durationMs: _durationMs, ...others } = item;
    return others;
  });
}
