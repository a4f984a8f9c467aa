import type {
  EnclosingStep,
  PatternDefinition,
  StepsDefinition,
} from "../../../contracts/definition.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import {
  type BarrierSpec,
  type CompensationSpec,
  DEFAULT_COMPENSATION_MS,
  type StepSpec,
  type VerificationSpec,
} from "../../../contracts/step.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import { present } from "../../../foundation/present.ts";
import { ownTurnsOf, type WrittenPattern } from "../../primitives/own-turns.ts";
import { withImpliedSteps } from "../../primitives/shadows/crew.ts";
import {
  blockOfStep,
  namedAgents,
  type PatternCheckEntry,
  type PatternStepEntry,
  type PatternStepSettings,
} from "./pattern-settings.ts";

const DEFAULT_RETRY_DELAY_MS = 1000;
const DEFAULT_SIGNAL = "DONE";

/** What a pattern step is made a workflow with. */
export interface PatternStepParts {
  /** All that it may name. */
  readonly patterns: readonly Pattern[];
  /** The step that carries it out; absent where its members are not looked at. */
  readonly within?: EnclosingStep;
  /** What its checks get of Troupe's environment. */
  readonly passEnv: readonly string[];
}

/** The pattern workflow that a pattern step is, with the agents and the channel of the workflow around it. */
export function toPatternDefinition(
  settings: PatternStepSettings,
  around: StepsDefinition,
  { patterns, within, passEnv }: PatternStepParts,
): PatternDefinition {
  const { options, error_handling: errors = {} } = settings;
  const names = new Set(namedAgents(settings).map((name) => name.toLowerCase()));
  const agents = around.agents.filter(({ id }) => names.has(id.toLowerCase()));
  const idOf = (name: string) =>
    agents.find(({ id }) => id.toLowerCase() === name.toLowerCase())?.id ?? name;
  const maxConcurrency = options?.max_concurrency ?? around.maxConcurrency;
  const pattern = patterns.find(({ name }) => name === settings.pattern);
  const block = pattern === undefined ? {} : blockOfStep(settings, pattern);
  return withImpliedSteps({
    format: around.format,
    shape: "pattern",
    name: around.name,
    pattern: settings.pattern,
    params: {},
    agents,
    steps: (settings.steps ?? []).map((step) => toStep(step, { settings, idOf, passEnv })),
    barriers: (settings.coordination?.barriers ?? []).map((barrier) => ({
      id: barrier.id,
      waitFor: [...new Set(barrier.wait_for.map(idOf))],
      signal: barrier.signal ?? DEFAULT_SIGNAL,
      type: barrier.type ?? "all",
      ...timeoutOf(barrier),
    })) satisfies readonly BarrierSpec[],
    onFailure: errors.on_failure ?? pattern?.onFailure ?? "abort",
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    channel: around.channel,
    options: block,
    ...(pattern === undefined ? {} : ownTurnsOf(pattern, writtenOf(settings, block))),
    ...present({ within }),
  });
}

/** What is written of turns that the pattern gives itself. */
function writtenOf(
  { coordination, error_handling: errors = {}, options = {}, steps = [] }: PatternStepSettings,
  block: WrittenPattern["block"],
): WrittenPattern {
  const { turns_per_agent: turnsPerAgent, messages, ping_pong: pingPong } = options.bounds ?? {};
  return {
    block,
    mode: coordination?.mode,
    hasSteps: steps.length > 0,
    maxAttempts: errors.max_attempts ?? 1,
    retryDelayMs: toMs(errors.retry_delay) ?? DEFAULT_RETRY_DELAY_MS,
    turnTimeoutMs: toMs(options.turn_timeout),
    bounds: present({ turnsPerAgent, messages, pingPong }),
  };
}

interface StepParts {
  readonly settings: PatternStepSettings;
  /** The id of an agent, however its name is written. */
  readonly idOf: (name: string) => string;
  /** What its checks get of Troupe's environment. */
  readonly passEnv: readonly string[];
}

function toStep(step: PatternStepEntry, { settings, idOf, passEnv }: StepParts): StepSpec {
  const { error_handling: errors = {} } = settings;
  const { prompt, when, expects, receives_previous_output: receivesPreviousOutput } = step;
  const { escalate_to: escalateTo } = errors;
  const [onlyAgent = ""] = namedAgents(settings);
  return {
    id: step.id,
    agent: idOf(step.agent ?? onlyAgent),
    dependsOn: [...new Set(step.depends_on)],
    maxAttempts: step.max_attempts ?? errors.max_attempts ?? 1,
    retryDelayMs: toMs(errors.retry_delay) ?? DEFAULT_RETRY_DELAY_MS,
    verify: (step.verify ?? []).map((check) => toVerification(check, passEnv)),
    fallback: (step.fallback ?? []).map(idOf),
    ...present({
      prompt,
      when,
      expects,
      compensate: compensationFor(step, { idOf, onlyAgent, passEnv }),
    }),
    ...timeoutOf(step),
    ...(escalateTo === undefined ? {} : { escalateTo: idOf(escalateTo) }),
    ...(receivesPreviousOutput === undefined ? {} : { receivesPreviousOutput }),
  };
}

function compensationFor(
  { compensate, agent, timeout }: PatternStepEntry,
  {
    idOf,
    passEnv,
    onlyAgent,
  }: Pick<StepParts, "idOf" | "passEnv"> & { readonly onlyAgent: string },
): CompensationSpec | undefined {
  if (compensate === undefined) return undefined;
  const { command, prompt = "", agent: own = agent ?? onlyAgent } = compensate;
  const timeoutMs = toMs(compensate.timeout ?? timeout) ?? DEFAULT_COMPENSATION_MS;
  if (command === undefined) return { timeoutMs, agent: idOf(own), prompt };
  return { timeoutMs, run: { command, ...(passEnv.length === 0 ? {} : { passEnv }) } };
}

function toVerification(check: PatternCheckEntry, passEnv: readonly string[]): VerificationSpec {
  const { command = [], expect_exit: expectExit = 0 } = check;
  const { file_exists: path, output_matches: pattern, json_schema: schema } = check;
  const more = check.protect === undefined ? {} : { protect: check.protect };
  if (path !== undefined) return { kind: "fileExists", path, ...more };
  if (pattern !== undefined) return { kind: "outputMatches", pattern, ...more };
  if (schema !== undefined) return { kind: "jsonSchema", schema, ...more };
  if (check.git_changed !== undefined)
    return { kind: "gitChanged", changed: check.git_changed, ...more };
  const passed = passEnv.length === 0 ? {} : { passEnv };
  const own = { ...timeoutOf(check), ...passed, ...more };
  return { kind: "command", command, expectExit, tellsTests: true, ...own };
}

function timeoutOf({ timeout }: { readonly timeout?: string | undefined }): {
  readonly timeoutMs?: number;
} {
  const timeoutMs = toMs(timeout);
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function toMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
