import {
  type BarrierSpec,
  type CompensationSpec,
  DEFAULT_COMPENSATION_MS,
  type MatrixValue,
  type MatrixValues,
  type StepCommand,
  type StepSpec,
  type VerificationSpec,
} from "../../contracts/step.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { isRecord } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { toVerification, type VerificationEntry } from "../../programs/step/written-check.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";
import type { PatternEntry } from "../schema/catalogue.ts";
import type { PatternFile } from "../schema/pattern-file-schema.ts";
import type { BarrierEntry, MatrixEntry, StepEntry } from "../schema/step-schema.ts";
import type { LoadOptions } from "./load-options.ts";
import { definedAgent } from "./resolve-agent.ts";
import { resolveBudget } from "./resolve-budget.ts";
import { type PassedNames, passedNames } from "./resolve-passed-env.ts";
import { resolveAgentDirectory } from "./resolve-paths.ts";

/** Wait before the second attempt where nobody says another. */
export const DEFAULT_RETRY_DELAY_MS = 1000;
const DEFAULT_SIGNAL = "DONE";

/** The steps of a checked file with every default filled in. */
export function resolveSteps(
  file: PatternFile,
  agents: readonly string[],
  { order, places }: Pick<PatternEntry, "order"> & { readonly places: Places },
): readonly StepSpec[] {
  const errorHandling = file.errorHandling ?? {};
  // A pattern that leaves the order to the file gives turns itself where there are no steps.
  const steps = order === "mode" ? (file.steps ?? []) : stepsOf(file, agents);
  const specs = steps.map(
    (step): StepSpec => ({
      id: step.id,
      ...workerOf(step, { file, agents, places }),
      ...(step.runs === undefined || step.runs === "on-success" ? {} : { runs: step.runs }),
      ...present({ prompt: step.prompt, when: step.when, expects: step.expects }),
      dependsOn: [...new Set(step.dependsOn)],
      maxAttempts: attemptsOf(step, errorHandling.maxRetries),
      retryDelayMs: toMs(errorHandling.retryDelay) ?? DEFAULT_RETRY_DELAY_MS,
      ...present({ timeoutMs: toMs(step.timeout) }),
      ...resolveBudget(step.budget),
      verify: (step.verify ?? []).map((check) =>
        resolveVerification(check, [file.passEnv, step.passEnv]),
      ),
      ...present({ compensate: compensationFor(step, { file, agents, places }) }),
      fallback: (step.fallback ?? []).map((agent) => definedAgent(agent, agents)),
      ...present({ receivesPreviousOutput: step.receivesPreviousOutput }),
    }),
  );
  return steps.flatMap((step, index) => {
    const spec = specs[index];
    return spec === undefined ? [] : expandMatrix(spec, step);
  });
}

type Places = Pick<LoadOptions, "projectRoot" | "cwd">;

interface WorkerParts {
  readonly file: PatternFile;
  readonly agents: readonly string[];
  readonly places: Places;
}

/** Who or what does a step: an agent, whom another one may help out, or a command. */
function workerOf(
  step: StepEntry,
  { file, agents, places }: WorkerParts,
): Pick<StepSpec, "agent" | "escalateTo" | "run"> {
  const { command, allowFailure } = step;
  if (command !== undefined)
    return {
      run: { command, ...surroundings(step, { file, places }), ...present({ allowFailure }) },
    };
  const escalateTo = file.errorHandling?.escalateTo;
  return {
    agent: definedAgent(step.agent ?? agents[0] ?? "", agents),
    ...(escalateTo === undefined ? {} : { escalateTo: definedAgent(escalateTo, agents) }),
  };
}

/** Where the commands of a step run, and with which environment. */
function surroundings(
  { cwd, env, passEnv: own }: StepEntry,
  { file, places }: Pick<WorkerParts, "file" | "places">,
): Pick<StepCommand, "cwd" | "env" | "passEnv"> {
  const directory = cwd === undefined ? undefined : resolveAgentDirectory(cwd, places);
  return present({ cwd: directory, env, passEnv: passedNames([file.passEnv, own]) });
}

/** What undoes a step. */
function compensationFor(step: StepEntry, parts: WorkerParts): CompensationSpec | undefined {
  const { compensate } = step;
  if (compensate === undefined) return undefined;
  const { command, prompt = "", agent, timeout } = compensate;
  const timeoutMs = toMs(timeout ?? step.timeout) ?? DEFAULT_COMPENSATION_MS;
  if (command !== undefined) return { timeoutMs, run: { command, ...surroundings(step, parts) } };
  const { agents } = parts;
  return {
    timeoutMs,
    agent: definedAgent(agent ?? step.agent ?? agents[0] ?? "", agents),
    prompt,
  };
}

/**
 * The steps that are written. Without any, every agent gets the task of the run; where something is said of failing steps,
 * these steps are written down too, for it to be said of them.
 */
function stepsOf(file: PatternFile, agents: readonly string[]) {
  const { steps = [], errorHandling = {} } = file;
  const { maxRetries, retryDelay, escalateTo } = errorHandling;
  const isSaid = [maxRetries, retryDelay, escalateTo].some((value) => value !== undefined);
  if (steps.length > 0 || !isSaid) return steps;
  const tasks = new Map(agents.map((id) => [id, entryOfAgent(file, id)?.task]));
  return agents.map((agent): StepEntry => ({ id: agent, agent, prompt: tasks.get(agent) }));
}

function entryOfAgent({ agents = {} }: PatternFile, id: string): AgentEntry | undefined {
  return Array.isArray(agents) ? agents.find((agent) => agent.id === id) : agents[id];
}

/** The barriers of a checked file with every default filled in. */
export function resolveBarriers(
  file: PatternFile,
  agents: readonly string[],
): readonly BarrierSpec[] {
  return (file.coordination?.barriers ?? []).map((barrier) => ({
    id: barrier.id,
    ...awaitedBy(barrier, file, agents),
    signal: barrier.signal ?? DEFAULT_SIGNAL,
    type: barrier.type ?? "all",
    ...present({ timeoutMs: toMs(barrier.timeout) }),
  }));
}

/** A name is that of an agent first; the id of a step means its completion, or with a signal its agent (PAT-barrier). */
function awaitedBy(
  { waitFor, signal }: BarrierEntry,
  { steps = [] }: PatternFile,
  agents: readonly string[],
): Pick<BarrierSpec, "waitFor" | "steps"> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const isAgent = (name: string) => agents.some((id) => id.toLowerCase() === name.toLowerCase());
  const named = waitFor.filter((name) => !isAgent(name));
  const speakers = named.map((name) => byId.get(name)?.agent ?? agents[0] ?? name);
  const given = waitFor.filter(isAgent);
  const heard = signal === undefined ? given : [...given, ...speakers];
  return {
    waitFor: [...new Set(heard.map((agent) => definedAgent(agent, agents)))],
    ...(signal === undefined && named.length > 0 ? { steps: [...new Set(named)] } : {}),
  };
}

/** Milliseconds of a checked duration. */
export function toMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

function attemptsOf(step: StepEntry, defaultRetries = 0): number {
  return step.maxAttempts ?? (step.maxRetries ?? defaultRetries) + 1;
}

/** One check of a step with every default filled in, and with the variables that file and step hand on. */
export function resolveVerification(
  entry: VerificationEntry,
  passed: readonly PassedNames[],
): VerificationSpec {
  return toVerification(entry, passedNames(passed));
}

/** Most instances of one step. */
export const MAX_INSTANCES = 256;

const MAX_VALUE_CHARS = 40;
const MAX_NAME_CHARS = 120;

/** The parts of a matrix as they are written. */
export interface MatrixParts {
  /** Values by variable. */
  readonly axes: ReadonlyMap<string, readonly MatrixValue[]>;
  readonly include: readonly MatrixValues[];
  readonly exclude: readonly MatrixValues[];
}

/** Tells variables and combinations of a matrix apart; what does not fit its place is left out. */
export function matrixParts(matrix: MatrixEntry): MatrixParts {
  const { include = [], exclude = [], ...variables } = matrix;
  const axes = Object.entries(variables).map(
    ([name, values]) => [name, values.filter(isMatrixValue)] as const,
  );
  return {
    axes: new Map(axes),
    include: include.flatMap(toCombination),
    exclude: exclude.flatMap(toCombination),
  };
}

function toCombination(item: MatrixValue | MatrixValues): readonly MatrixValues[] {
  return isMatrixValue(item) ? [] : [item];
}

/** Whether an item of a list of a matrix is a value, not a combination. */
function isMatrixValue(item: MatrixValue | MatrixValues): item is MatrixValue {
  return !isRecord(item);
}

/**
 * The variables of each instance, in the order in which they are written: every combination that no `exclude` is a part
 * of; an `include` adds its values to those that it contradicts in no variable, else it is an instance of its own.
 */
export function combinationsOf({ axes, include, exclude }: MatrixParts): readonly MatrixValues[] {
  const all = axes.size === 0 ? [] : productOf(axes);
  const kept = all.filter((values) => !exclude.some((part) => isPartOf(part, values)));
  const combinations: MatrixValues[] = [...kept];
  for (const added of include) {
    const own = Object.fromEntries(Object.entries(added).filter(([name]) => axes.has(name)));
    const fitting = kept.flatMap((values, index) => (isPartOf(own, values) ? [index] : []));
    if (fitting.length === 0) combinations.push(added);
    for (const index of fitting) combinations[index] = { ...combinations[index], ...added };
  }
  return combinations;
}

function productOf(axes: MatrixParts["axes"]): readonly MatrixValues[] {
  let product: readonly MatrixValues[] = [{}];
  for (const [name, values] of axes)
    product = product.flatMap((before) => values.map((value) => ({ ...before, [name]: value })));
  return product;
}

/** Whether all that a combination says holds of another one. */
export function isPartOf(part: MatrixValues, values: MatrixValues): boolean {
  return Object.entries(part).every(([name, value]) => values[name] === value);
}

/** A step with a matrix as its instances and, under its own id, what brings them together; one without as it is. */
export function expandMatrix(step: StepSpec, written: StepEntry): readonly StepSpec[] {
  const { matrix, maxConcurrency, failFast = false } = written;
  if (matrix === undefined) return [step];
  const { id } = step;
  const taken = new Set<string>();
  const instances = combinationsOf(matrixParts(matrix)).map((values): StepSpec => {
    const name = freeName(nameOf(id, values), taken);
    return { ...step, id: name, instance: { of: id, matrix: values } };
  });
  const gathering: StepSpec = {
    id,
    gathers: { failFast, ...present({ maxConcurrency }) },
    dependsOn: instances.map((instance) => instance.id),
    ...{ maxAttempts: 1, retryDelayMs: 0, verify: [], fallback: [] },
  };
  return [...instances, gathering];
}

/** `test (linux, 22)`: one line, no part of a path, and in double quotes one word of a shell. */
function nameOf(step: string, values: MatrixValues): string {
  const shown = Object.values(values).map((value) =>
    String(value)
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\"`$!]+/gu, "-")
      .slice(0, MAX_VALUE_CHARS)
      .toWellFormed(),
  );
  return `${step} (${shown.join(", ").slice(0, MAX_NAME_CHARS).toWellFormed()})`;
}

/** Values that differ only in what a name leaves out are counted. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} #${count}`;
  taken.add(free);
  return free;
}
