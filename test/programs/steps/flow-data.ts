import { isRecord, type Json } from "../../../src/foundation/json.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

/** The data of all steps of a run that ended, by name. */
export function dataIn(run: FinishedRun): { readonly [name: string]: unknown } {
  const result: Json = run.parting.status === "ended" ? run.parting.event.result : null;
  const context = isRecord(result) ? result["context"] : undefined;
  return isRecord(context) ? context : {};
}

/** The codes of steps that failed, by path; the last failure counts. */
export function failuresIn(run: FinishedRun): { readonly [path: string]: string } {
  return Object.fromEntries(run.all("step-failed").map(({ path, error }) => [path, error.code]));
}

/** The messages of steps that failed, by path. */
export function messagesIn(run: FinishedRun): { readonly [path: string]: string } {
  return Object.fromEntries(run.all("step-failed").map(({ path, error }) => [path, error.message]));
}
