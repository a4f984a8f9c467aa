import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { RevisedStep } from "../../../contracts/events/reuse.ts";
import type { ForkChanges } from "../../../contracts/events/run-events.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { isJsonArray, type Json } from "../../../foundation/json.ts";
import {
  outputText,
  plainData,
  recordedData,
  storedData,
} from "../../../programs/steps/parts/step-data.ts";
import { resolveParams } from "../../../workflows/params.ts";
import { changeInvalid } from "./errors.ts";

/** One thing that is to be different in a fork. */
export interface ForkChange {
  /** `task`, `params.NAME`, `input`, `input.KEY`, `context.STEP.FIELD`, `steps.STEP.output`. */
  readonly path: string;
  /** JSON where it can be read as such, else text. The task and the output of a step are text in any case. */
  readonly text: string;
}

/** Raises RUN_FORK_CHANGE_INVALID, WORKFLOW_PARAM_*. */
export function readChanges(
  state: RunState,
  definition: WorkflowDefinition,
  changes: readonly ForkChange[],
): ForkChanges {
  let read: ForkChanges = {};
  for (const change of changes)
    read = { ...read, ...readChange(state, definition, { change, read }) };
  return read;
}

function readChange(
  state: RunState,
  definition: WorkflowDefinition,
  { change, read }: { readonly change: ForkChange; readonly read: ForkChanges },
): ForkChanges {
  const { path, text } = change;
  const [root, name, ...rest] = readPath(path);
  if (root === "task" && name === undefined) return { task: text };
  if (root === "params" && name !== undefined && rest.length === 0)
    return { params: changedParams(state, definition, { read, given: { [name]: text } }) };
  if (root === "input") {
    const { input = state.run.input ?? null } = read;
    const members = name === undefined ? [] : [name, ...rest];
    return { input: orInvalid(path, () => withMember(input, members, toValue(text))) };
  }
  if (name !== undefined && (root === "context" || root === "steps"))
    return { steps: [...(read.steps ?? []), reviseStep(state, { change, read, name, rest })] };
  throw changeInvalid({ path, problem: "a fork cannot change this", known: KNOWN });
}

const KNOWN = [
  "task",
  "params.NAME",
  "input",
  "input.KEY",
  "context.STEP.FIELD",
  "steps.STEP.output",
];

/** All params, as a run is started with them. */
function changedParams(
  { run }: RunState,
  definition: WorkflowDefinition,
  change: { readonly read: ForkChanges; readonly given: { readonly [name: string]: Json } },
): { readonly [name: string]: Json } {
  const recorded = change.read.params ?? run.params;
  // What is null was optional and not given.
  const given = Object.entries({ ...recorded, ...change.given }).filter(
    ([, value]) => value !== null,
  );
  const { values, errors } = resolveParams(definition.params, Object.fromEntries(given));
  const [error] = errors;
  if (error !== undefined) throw error;
  return values;
}

interface StepChange {
  readonly change: ForkChange;
  readonly read: ForkChanges;
  readonly name: string;
  readonly rest: readonly string[];
}

function reviseStep(state: RunState, { change, read, name, rest }: StepChange): RevisedStep {
  const { path, text } = change;
  const step = findDone(state, path, name);
  const key = { path: step.path, execution: step.execution };
  const before = read.steps?.findLast((each) => each.path === step.path) ?? step;
  const isOutput = /^steps\./.test(path) ? rest.join(".") === "output" : rest.length === 0;
  if (path.startsWith("steps.") && !isOutput)
    throw changeInvalid({
      path,
      problem: "of a step only its output can be set",
      known: [`steps.${name}.output`],
    });
  if (isOutput && typeof toValue(text) === "string") return { ...key, output: text };
  const data = recordedData(before);
  const changed = orInvalid(path, () => withMember(data, isOutput ? [] : rest, toValue(text)));
  const output = outputText({ data: plainData(changed) });
  return { ...key, output, ...storedData(output, changed) };
}

type DoneStep = Extract<StepState, { readonly status: "completed" }>;

function findDone({ steps }: RunState, path: string, name: string): DoneStep {
  const known = [...steps.byPath.values()];
  const step = steps.byPath.get(name) ?? known.find((each) => each.step === name);
  if (step?.status === "completed") return step;
  const done = known.flatMap((each) => (each.status === "completed" ? [each.path] : []));
  const problem =
    step === undefined
      ? `no step "${name}" has begun before the fork`
      : `step "${name}" is ${step.status} where the fork begins, so it has come to nothing yet`;
  throw changeInvalid({ path, problem, known: done.map((each) => `context.${each}`) });
}

function toValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function orInvalid(path: string, change: () => Json | undefined): Json {
  const changed = change();
  if (changed !== undefined) return changed;
  throw changeInvalid({ path, problem: "what lies there has no such member", known: [] });
}

/** The names in a path: `context.all-files[0]/check.ok` has three. */
function readPath(path: string): readonly string[] {
  return path.split(".");
}

/**
 * The value with another one in the place that names and indexes lead to; undefined when there is no such place.
 * Of objects, the last name may be new.
 */
function withMember(value: Json, path: readonly string[], member: Json): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return member;
  if (value === null || typeof value !== "object") return undefined;
  if (isJsonArray(value)) {
    const index = Number(name);
    const old = /^\d+$/.test(name) ? value[index] : undefined;
    const changed = old === undefined ? undefined : withMember(old, rest, member);
    return changed === undefined ? undefined : value.with(index, changed);
  }
  const old = Object.hasOwn(value, name) ? value[name] : undefined;
  if (old === undefined && rest.length > 0) return undefined;
  const changed = withMember(old ?? null, rest, member);
  if (changed === undefined) return undefined;
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== name),
    [name, changed],
  ]);
}
