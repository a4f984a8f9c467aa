import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { readInput } from "./read-input.ts";

/** What `-i` and `--input` give, before it is known what the workflow takes. */
export interface GivenValues {
  /** `-i key=value`, in order. */
  readonly pairs: readonly (readonly [string, string])[];
  /** The JSON of `--input FILE`. */
  readonly file?: { readonly name: string; readonly value: Json };
}

/** Reads `-i key=value` and `--input FILE`. Raises USAGE_INVALID, FILE_* errors. */
export async function readValues(
  given: { readonly i?: readonly string[]; readonly input?: string },
  invocation: Invocation,
): Promise<GivenValues> {
  const pairs = (given.i ?? []).map(toPair);
  if (given.input === undefined) return { pairs };
  if (isJsonItself(given.input))
    throw usageInvalid({
      problem: "--input takes the path of a JSON file, got JSON",
      hint: "write it into a file, or pipe it in: printf '%s' JSON | troupe run FILE --input -",
    });
  const value = parseJson(await readInput(given.input, invocation), given.input);
  return { pairs, file: { name: given.input, value } };
}

/** The values that may be params, whatever else the file holds. */
export function possibleParams({ pairs, file }: GivenValues): { readonly [name: string]: Json } {
  return { ...(isObject(file?.value) ? file.value : {}), ...Object.fromEntries(pairs) };
}

/** The values as params; `-i` wins over the file. Raises USAGE_INVALID for a file without an object. */
export function toParams(given: GivenValues): { readonly [name: string]: Json } {
  const { file } = given;
  if (file !== undefined && !isObject(file.value))
    throw usageInvalid({
      problem: `${file.name} must hold a JSON object with one member per param`,
    });
  return possibleParams(given);
}

/**
 * The input of a workflow that takes one: the task as it is, or the file with the keys of `-i` in it; undefined when
 * nothing was given. Raises USAGE_INVALID for what excludes each other.
 */
export function toRunInput(given: GivenValues, task: string | undefined): Json | undefined {
  const { pairs, file } = given;
  if (task !== undefined) {
    if (pairs.length === 0 && file === undefined) return task;
    throw usageInvalid({
      problem: `the input is given twice: as a task and by ${file === undefined ? "-i" : "--input"}`,
      hint: "a task is the whole input of a step workflow: give one or the other",
    });
  }
  if (pairs.length === 0) return file?.value;
  if (file !== undefined && !isObject(file.value))
    throw usageInvalid({
      problem: `-i sets keys of the input, and ${file.name} holds no JSON object`,
    });
  return possibleParams(given);
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return isRecord(value);
}

function isJsonItself(path: string): boolean {
  if (!/^\s*[[{]/.test(path)) return false;
  try {
    JSON.parse(path);
    return true;
  } catch {
    return false;
  }
}

function parseJson(text: string, file: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return toJson(value, file);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usageInvalid({ problem: `${file} is no JSON: ${error.message}` }, { cause: error });
  }
}

function toPair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1)
    throw usageInvalid({ problem: `-i takes key=value, got "${text}"`, hint: "-i target=src" });
  return [text.slice(0, at), text.slice(at + 1).toWellFormed()];
}
