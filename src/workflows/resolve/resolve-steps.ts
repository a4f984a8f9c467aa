import type { BarrierSpec, StepSpec, VerificationSpec } from "../../contracts/step.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import { toVerification, type VerificationEntry } from "../../programs/step/written-check.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";
import type { PatternEntry } from "../schema/catalogue.ts";
import type { PatternFile } from "../schema/pattern-file-schema.ts";
import type { BarrierEntry, StepEntry } from "../schema/step-schema.ts";
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
  return steps.map((step) => ({
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
    fallback: (step.fallback ?? []).map((agent) => definedAgent(agent, agents)),
    ...present({ receivesPreviousOutput: step.receivesPreviousOutput }),
  }));
}

type Places = Pick<LoadOptions, "projectRoot" | "cwd">;

/** Who or what does a step: an agent, whom another one may help out, or a command. */
function workerOf(
  step: StepEntry,
  {
    file,
    agents,
    places,
  }: {
    readonly file: PatternFile;
    readonly agents: readonly string[];
    readonly places: Places;
  },
): Pick<StepSpec, "agent" | "escalateTo" | "run"> {
  const { command, cwd, env, allowFailure } = step;
  if (command !== undefined) {
    const passEnv = passedNames([file.passEnv, step.passEnv]);
    const directory = cwd === undefined ? undefined : resolveAgentDirectory(cwd, places);
    return { run: { command, ...present({ cwd: directory, env, passEnv, allowFailure }) } };
  }
  const escalateTo = file.errorHandling?.escalateTo;
  return {
    agent: definedAgent(step.agent ?? agents[0] ?? "", agents),
    ...(escalateTo === undefined ? {} : { escalateTo: definedAgent(escalateTo, agents) }),
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
