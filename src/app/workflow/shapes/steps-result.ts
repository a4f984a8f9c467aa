import type { StepsDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { ProgramResult } from "../../../contracts/ports/program.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { isJsonArray, isRecord, type Json } from "../../../foundation/json.ts";
import { flowSteps } from "../../../programs/flow/flow-steps.ts";
import { plainData, recordedData } from "../../../programs/steps/parts/step-data.ts";
import type { StepTypeFinder } from "./find-step-type.ts";

/** What a step workflow came to: the `result` of `run-ended`. */
export interface StepsResult {
  /** Of the step that was executed last. */
  readonly output: Json;
  /** Data by name, as steps see it. */
  readonly context: { readonly [name: string]: Json };
  /** Ids of the steps that were executed, in order, each as often as it was. */
  readonly path: readonly string[];
}

/** A step workflow and the types of its steps. */
export interface StepsWorkflow {
  readonly definition: StepsDefinition;
  readonly types: StepTypeFinder;
}

/** The result of a run: what its program returned, or what the journal tells of one that was cut short. */
export function toStepsResult(
  state: RunState,
  { definition, types }: StepsWorkflow,
  returned: ProgramResult | undefined,
): StepsResult {
  if (returned === undefined) return partialResult(state, { definition, types });
  const { output = null, metadata } = returned;
  const { context, path } = metadata;
  return {
    output,
    context: isObject(context) ? context : {},
    path: path !== undefined && isJsonArray(path) ? path.map(String) : [],
  };
}

function partialResult(state: RunState, { definition, types }: StepsWorkflow): StepsResult {
  const { byPath, ended } = state.steps;
  const states = Map.groupBy(byPath.values(), ({ step }) => step);
  const data = flowSteps(definition.steps).flatMap((placed) => {
    const { parent } = placed;
    const isForEach = parent !== undefined && isPerItem(parent, types);
    const value = stepValue(placed.step, { isForEach, states: states.get(placed.step.id) ?? [] });
    if (value === undefined) return [];
    const { id, output } = placed.step;
    return [id, ...(output === undefined ? [] : [output])].map((name) => [name, value] as const);
  });
  const last = byPath.get(ended.at(-1) ?? "");
  return {
    output: last === undefined ? null : plainData(dataOf(last) ?? null),
    context: { ...definition.initialContext, ...Object.fromEntries(data) },
    path: [...ended],
  };
}

/** The data of a step; of one that is run for each item of a list, that of all items. */
function stepValue(
  step: FlowStep,
  { isForEach, states }: { readonly isForEach: boolean; readonly states: readonly StepState[] },
): Json | undefined {
  const latest = states.reduce<StepState | undefined>(
    (found, state) => (found === undefined || state.seq > found.seq ? state : found),
    undefined,
  );
  if (latest === undefined) return undefined;
  const place = new RegExp(`^(.*)\\[\\d+\\]/${step.id}$`).exec(latest.path)?.[1];
  if (!isForEach || place === undefined) return dataOf(latest);
  const items: Json[] = [];
  for (const state of states) {
    const index = indexIn(state.path, place);
    if (index !== undefined) items[index] = dataOf(state) ?? null;
  }
  return Array.from(items, (item) => item ?? null);
}

function isPerItem({ type, settings }: FlowStep, types: StepTypeFinder): boolean {
  const each = types.find(type)?.each;
  return each !== undefined && settings[each] !== undefined;
}

function indexIn(path: string, place: string): number | undefined {
  if (!path.startsWith(`${place}[`)) return undefined;
  const digits = /^\d+/.exec(path.slice(place.length + 1))?.[0];
  return digits === undefined ? undefined : Number(digits);
}

/** Undefined for a step that has none, or none yet. */
function dataOf(step: StepState): Json | undefined {
  switch (step.status) {
    case "completed":
      return recordedData(step);
    case "failed":
      return step.data;
    case "running":
    case "retrying":
    case "skipped":
    case "blocked":
    case "cancelled":
      return undefined;
  }
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
