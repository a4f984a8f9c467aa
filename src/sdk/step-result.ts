import { runNotCompleted } from "../app/runs/errors.ts";
import type { StepsDefinition } from "../contracts/definition.ts";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { Outcome } from "../contracts/run.ts";
import type { StepProgress, StepRecord } from "../contracts/step-context.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { type ErrorReport, toErrorReport } from "../foundation/errors.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { isRecord, type Json } from "../foundation/json.ts";
import { type PlacedRecord, stepHistory } from "./step-history.ts";

/** What the steps of a workflow came to. */
export interface StepWorkflowContext {
  readonly workflowId: string;
  /** ISO 8601. */
  readonly startTime: string;
  readonly input: Json;
  /** The latest record of each step, in the order of their first end. */
  readonly results: ReadonlyMap<string, StepRecord>;
  readonly metadata: StepProgress;
  /** Data by name, as steps see it: of the initial context, of steps, of their `output` names. */
  readonly data: { readonly [name: string]: Json };
}

/** What a step workflow came to. */
export interface StepWorkflowResult {
  /** Whether the outcome is `completed`. */
  readonly success: boolean;
  readonly outcome: Outcome;
  /** Data of the step that was executed last; a text when that is all it said. */
  readonly output: Json;
  readonly context: StepWorkflowContext;
  /** Why it is no success: the last step that failed, else RUN_NOT_COMPLETED. */
  readonly error: ErrorReport | undefined;
  /** Every execution, in the order in which they were over; steps inside of others before those. */
  readonly history: readonly PlacedRecord[];
}

/** A run that is over, with all that its journal tells. */
export interface EndedRun {
  readonly state: RunState;
  readonly events: Iterable<JournalEvent>;
  readonly definition: StepsDefinition;
  readonly end: {
    readonly outcome: Outcome;
    readonly reason: string;
    readonly result?: Json;
  };
}

/** Reads the result of a run off its journal. */
export function stepResult({ state, events, definition, end }: EndedRun): StepWorkflowResult {
  const { outcome, reason } = end;
  const history = stepHistory(events, definition);
  const { output, data, path } = returnedBy(end.result);
  const success = outcome === "completed";
  return {
    success,
    outcome,
    output,
    context: {
      workflowId: definition.name,
      startTime: toIsoTime(state.run.startedAt ?? state.run.createdAt),
      input: state.run.input ?? null,
      results: latest(history, data),
      metadata: progress(history, path),
      data,
    },
    error: success ? undefined : errorOf(history, { outcome, reason }),
    history,
  };
}

function returnedBy(result: Json | undefined): {
  readonly output: Json;
  readonly data: { readonly [name: string]: Json };
  readonly path: readonly string[];
} {
  const { output = null, context = {}, path = [] } = isObject(result) ? result : {};
  return {
    output,
    data: isObject(context) ? context : {},
    path: Array.isArray(path) ? path.map(String) : [],
  };
}

/** The latest record of each step. One that was carried out per item of a list has the data of all items. */
function latest(
  history: readonly PlacedRecord[],
  data: { readonly [name: string]: Json },
): ReadonlyMap<string, StepRecord> {
  const results = new Map<string, StepRecord>();
  for (const { path: _path, ...record } of history) results.set(record.stepId, record);
  for (const [id, record] of results) {
    const known = Object.hasOwn(data, id) ? data[id] : undefined;
    if (known !== undefined) results.set(id, { ...record, data: known });
  }
  return results;
}

function progress(history: readonly PlacedRecord[], path: readonly string[]): StepProgress {
  const failed = history.filter(({ success, path: place, stepId }) => !success && place === stepId);
  return {
    currentStep: path.at(-1) ?? "",
    previousSteps: path,
    iterationCount: path.length,
    errorCount: failed.length,
  };
}

function errorOf(
  history: readonly PlacedRecord[],
  end: { readonly outcome: Outcome; readonly reason: string },
): ErrorReport {
  const failure = history.findLast(({ success, path, stepId }) => !success && path === stepId);
  if (end.outcome === "failed" && failure?.error !== undefined) return failure.error;
  return toErrorReport(runNotCompleted(end));
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
