import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import type { Invocation } from "../command.ts";
import { usageInvalid } from "../errors.ts";
import { readInput } from "./read-input.ts";

/** Params from `--input FILE` and `-i key=value`, which wins. Raises USAGE_INVALID, FILE_* errors. */
export async function readParams(
  given: { readonly i: readonly string[]; readonly input?: string },
  invocation: Invocation,
): Promise<{ readonly [name: string]: Json }> {
  const fromFile = given.input === undefined ? [] : await readObject(given.input, invocation);
  return Object.fromEntries([...fromFile, ...given.i.map(toPair)]);
}

async function readObject(
  file: string,
  invocation: Invocation,
): Promise<readonly (readonly [string, Json])[]> {
  const value = parseJson(await readInput(file, invocation), file);
  if (!isRecord(value))
    throw usageInvalid({ problem: `${file} must hold a JSON object with one member per param` });
  return Object.entries(value).map(([name, member]) => [name, toJson(member, `param "${name}"`)]);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw usageInvalid({ problem: `${file} is no JSON: ${problem}` }, { cause: error });
  }
}

function toPair(text: string): readonly [string, Json] {
  const at = text.indexOf("=");
  if (at < 1)
    throw usageInvalid({ problem: `-i takes key=value, got "${text}"`, hint: "-i target=src" });
  return [text.slice(0, at), text.slice(at + 1)];
}
