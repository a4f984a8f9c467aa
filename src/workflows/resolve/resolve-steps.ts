import type { BarrierSpec, StepSpec, VerificationSpec } from "../../contracts/step.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import type { PatternFile } from "../schema/pattern-file-schema.ts";
import type { StepEntry, VerificationEntry } from "../schema/step-schema.ts";
import { definedAgent } from "./resolve-agent.ts";
import { resolveBudget } from "./resolve-budget.ts";
import { type PassedNames, passedNames } from "./resolve-passed-env.ts";

const DEFAULT_RETRY_DELAY_MS = 1000;
const DEFAULT_SIGNAL = "DONE";

/** The steps of a checked file with every default filled in. */
export function resolveSteps(file: PatternFile, agents: readonly string[]): readonly StepSpec[] {
  const errorHandling = file.errorHandling ?? {};
  const { escalateTo } = errorHandling;
  return stepsOf(file, agents).map((step) => ({
    id: step.id,
    agent: definedAgent(step.agent ?? agents[0] ?? "", agents),
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
    ...(escalateTo === undefined ? {} : { escalateTo: definedAgent(escalateTo, agents) }),
    ...present({ receivesPreviousOutput: step.receivesPreviousOutput }),
  }));
}

/**
 * The steps that are written. Without any, every agent gets the task of the run; where something is said of failing steps,
 * these steps are written down too, for it to be said of them.
 */
function stepsOf({ steps = [], errorHandling = {} }: PatternFile, agents: readonly string[]) {
  const { maxRetries, retryDelay, escalateTo } = errorHandling;
  const isSaid = [maxRetries, retryDelay, escalateTo].some((value) => value !== undefined);
  if (steps.length > 0 || !isSaid) return steps;
  return agents.map((agent): StepEntry => ({ id: agent, agent }));
}

/** The barriers of a checked file with every default filled in. */
export function resolveBarriers(
  file: PatternFile,
  agents: readonly string[],
): readonly BarrierSpec[] {
  return (file.coordination?.barriers ?? []).map((barrier) => ({
    id: barrier.id,
    waitFor: [...new Set(barrier.waitFor.map((agent) => definedAgent(agent, agents)))],
    signal: barrier.signal ?? DEFAULT_SIGNAL,
    type: barrier.type ?? "all",
    ...present({ timeoutMs: toMs(barrier.timeout) }),
  }));
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
  const { command, expectExit, timeout, fileExists, outputMatches, jsonSchema, gitChanged } = entry;
  const more = present({ protect: entry.protect });
  if (fileExists !== undefined) return { kind: "fileExists", path: fileExists, ...more };
  if (outputMatches !== undefined)
    return { kind: "outputMatches", pattern: outputMatches, ...more };
  if (jsonSchema !== undefined) return { kind: "jsonSchema", schema: jsonSchema, ...more };
  if (gitChanged !== undefined) return { kind: "gitChanged", changed: gitChanged, ...more };
  return {
    kind: "command",
    command: command ?? [],
    expectExit: expectExit ?? 0,
    tellsTests: true,
    ...present({ passEnv: passedNames(passed) }),
    ...present({ timeoutMs: toMs(timeout) }),
    ...more,
  };
}
