import {
  DEFAULT_EVALUATION_INTERVAL_MS,
  type ParamSpec,
  type PatternDefinition,
  type PrunerSpec,
} from "../../contracts/definition.ts";
import { stampFormat } from "../../contracts/definition-format.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import {
  blockKeyOf,
  ownTurnsOf,
  resolveStigmergy,
  type WrittenPattern,
} from "../../programs/primitives/own-turns.ts";
import type { PatternEntry } from "../schema/catalogue.ts";
import { type PatternFile, readPatternFile } from "../schema/pattern-file-schema.ts";
import type { LoadOptions } from "./load-options.ts";
import { definedAgent, resolveAgents } from "./resolve-agent.ts";
import { resolveBudget } from "./resolve-budget.ts";
import { resolveReflection } from "./resolve-reflection.ts";
import { resolveShadows } from "./resolve-shadows.ts";
import { DEFAULT_RETRY_DELAY_MS, resolveBarriers, resolveSteps, toMs } from "./resolve-steps.ts";
import { resolveTrajectory } from "./resolve-trajectory.ts";

/** Running time of a run where nobody says another. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** The definition that a checked file describes: every default filled in, every reference resolved, plain JSON. */
export function resolveDefinition(
  value: unknown,
  pattern: PatternEntry,
  options: LoadOptions,
): PatternDefinition {
  const file = readPatternFile(value);
  const agents = resolveAgents(file, options);
  const ids = agents.map(({ id }) => id);
  const fileBackend = file.backend ?? file.cli;
  const block = blockOf(value, pattern);
  const shadows = resolveShadows(file.options?.shadow, { agents, fileBackend, options });
  return stampFormat({
    shape: "pattern",
    name: file.name,
    ...present({ description: file.description }),
    pattern: pattern.name,
    params: resolveParamSpecs(file.params),
    agents: [...agents, ...shadows.specs],
    steps: resolveSteps(file, ids, { order: pattern.order, places: options }),
    barriers: resolveBarriers(file, ids),
    onFailure: file.errorHandling?.onFailure ?? pattern.onFailure,
    ...present({ maxConcurrency: file.options?.maxConcurrency ?? options.defaultMaxConcurrency }),
    ...present({ timeoutMs: timeoutOf(file, pattern, { block, ...options }) }),
    ...resolveBudget(file.budget),
    ...resolveTrajectory(file.trajectory),
    ...resolveReflection(file.reflection, agents),
    ...resolveStigmergy(file.stigmergy),
    ...resolvePruner(file.pruner, ids),
    channel: file.options?.channel ?? "main",
    options: block,
    ...ownTurnsOf(pattern, writtenOf(file, block)),
  });
}

function resolvePruner(
  entry: PatternFile["pruner"],
  agents: readonly string[],
): { readonly pruner?: PrunerSpec } {
  if (entry === undefined) return {};
  const { evaluator, evaluationInterval, ...bounds } = entry;
  const evaluationIntervalMs = toMs(evaluationInterval) ?? DEFAULT_EVALUATION_INTERVAL_MS;
  const spec = { evaluator: definedAgent(evaluator, agents), evaluationIntervalMs };
  return { pruner: { ...spec, ...present(bounds) } };
}

/** What is written of its turns. */
function writtenOf(
  { coordination, errorHandling = {}, options = {}, steps = [] }: PatternFile,
  block: { readonly [key: string]: Json },
): WrittenPattern {
  return {
    block,
    mode: coordination?.mode,
    hasSteps: steps.length > 0,
    maxAttempts: (errorHandling.maxRetries ?? 0) + 1,
    retryDelayMs: toMs(errorHandling.retryDelay) ?? DEFAULT_RETRY_DELAY_MS,
    turnTimeoutMs: toMs(options.turnTimeout),
    bounds: present(options.bounds ?? {}),
  };
}

interface TimeoutParts extends Pick<LoadOptions, "defaultTimeoutMs"> {
  readonly block: PatternDefinition["options"];
}

/** A limit of time in the budget stands for the default timeout. */
function timeoutOf(
  file: PatternFile,
  pattern: PatternEntry,
  { block, defaultTimeoutMs = DEFAULT_TIMEOUT_MS }: TimeoutParts,
): number | undefined {
  const written = toMs(file.options?.timeout);
  if (written !== undefined || file.budget?.wallClock !== undefined) return written;
  if (pattern.defaultTimeoutMs === undefined) return defaultTimeoutMs;
  return pattern.defaultTimeoutMs(block, defaultTimeoutMs);
}

/** The params of a checked file. */
export function resolveParamSpecs(params: PatternFile["params"]): {
  readonly [name: string]: ParamSpec;
} {
  const specs = Object.entries(params ?? {}).map(([name, param]): [string, ParamSpec] => {
    const { type, values, default: fallback, description } = param;
    const required = param.required ?? fallback === undefined;
    return [name, { type, required, ...present({ values, default: fallback, description }) }];
  });
  return Object.fromEntries(specs);
}

function blockOf(value: unknown, pattern: PatternEntry): { readonly [key: string]: Json } {
  const key = blockKeyOf(pattern);
  if (pattern.block === undefined || !isRecord(value) || value[key] === undefined) return {};
  const block = toJson(pattern.block.parse(value[key]), `the block ${key}`);
  return isJsonObject(block) ? block : {};
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
