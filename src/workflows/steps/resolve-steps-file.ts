import type { StepsDefinition } from "../../contracts/definition.ts";
import { stampFormat } from "../../contracts/definition-format.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { verificationSchema } from "../../programs/step/written-check.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { resolveBudget } from "../resolve/resolve-budget.ts";
import { type PassedNames, passedNames } from "../resolve/resolve-passed-env.ts";
import { resolveVerification } from "../resolve/resolve-steps.ts";
import { resolveTrajectory } from "../resolve/resolve-trajectory.ts";
import { budgetEntrySchema } from "../schema/budget-schema.ts";
import { readStep, standingStepKeys } from "../schema/step-keys.ts";
import { readStepsFile } from "../schema/steps-file-schema.ts";
import { trajectoryEntrySchema } from "../schema/trajectory-schema.ts";
import {
  entryOf,
  type MapNode,
  type SourceNode,
  toValue,
  withoutKeys,
} from "../source/source-node.ts";
import { camelCasedBudget, camelCasedCheck, camelCasedTrajectory } from "./agents-view.ts";
import { ownPart, type StepsView, type StepView } from "./step-view.ts";

const DEFAULT_MAX_ITERATIONS = 100;
const DEFAULT_MAX_DURATION_MS = 300_000;
const DEFAULT_MAX_ERRORS = 10;

/** What stands outside of a file and was found for it. */
export type FoundParts = Pick<StepsDefinition, "agents" | "prompts" | "workflows">;

/** The definition that a checked file describes: every default filled in, every reference resolved, plain JSON. */
export function resolveStepsFile(
  view: StepsView,
  found: FoundParts,
  options: LoadOptions,
): StepsDefinition {
  const file = readStepsFile(toValue(withoutKeys(view.root, (key) => key === "steps")));
  const { options: settings = {} } = file;
  return stampFormat({
    shape: "steps",
    name: file.id,
    ...present({ description: file.description }),
    params: {},
    agents: found.agents,
    prompts: found.prompts,
    steps: view.top.map((step) => resolveStep(step, file.pass_env)),
    parallel: file.parallel ?? false,
    initialContext: toObject(file.initial_context ?? {}, "initial_context"),
    maxIterations: file.max_iterations ?? DEFAULT_MAX_ITERATIONS,
    maxDurationMs: file.max_duration_ms ?? DEFAULT_MAX_DURATION_MS,
    maxErrors: file.max_errors ?? DEFAULT_MAX_ERRORS,
    ...present({
      maxConcurrency: file.max_concurrency ?? options.defaultMaxConcurrency,
      timeoutMs: settings.timeout_ms,
    }),
    ...budgetOf(view.root),
    ...trajectoryOf(view.root),
    channel: settings.channel ?? "main",
    workflows: found.workflows,
  });
}

function resolveStep(step: StepView, filePassEnv: PassedNames): FlowStep {
  const { node, kind } = step;
  // The check of steps has reported this already; the type cannot know.
  if (node.kind !== "map" || kind === undefined) throw new Error("an unchecked step");
  const { type, keys } = kind;
  const standing = withoutKeys(node, (key) => !standingStepKeys.has(key));
  const { id, description, when, input, output, ...written } = readStep.parse(toValue(standing));
  const settings = toValue(ownPart(node, kind));
  const passed = [filePassEnv, written.pass_env];
  const routes = keys.routes.flatMap((key) => {
    const target = entryOf(node, key)?.node;
    return target?.kind === "scalar" ? [[key, String(target.value)] as const] : [];
  });
  return {
    id,
    type: type.name,
    ...present({ description, when }),
    routes: { ...Object.fromEntries(routes), ...type.routesIn?.(type.settings.parse(settings)) },
    maxAttempts: written.max_attempts ?? Math.max(1, written.max_retries ?? 1),
    retryDelayMs: written.retry_delay_ms ?? 0,
    ...present({ timeoutMs: written.timeout_ms ?? type.defaultTimeoutMs }),
    ...budgetOf(node),
    ...present({ input, output, passEnv: passedNames(passed) }),
    verify: verificationsOf(node, passed),
    steps: step.children.map((child) => resolveStep(child, filePassEnv)),
    settings: toObject(settings, "the settings of a step"),
  };
}

function budgetOf(node: MapNode): ReturnType<typeof resolveBudget> {
  const budget = entryOf(node, "budget")?.node;
  if (budget === undefined) return {};
  return resolveBudget(budgetEntrySchema.parse(toValue(camelCasedBudget(budget))));
}

function trajectoryOf(node: MapNode): ReturnType<typeof resolveTrajectory> {
  const trajectory = entryOf(node, "trajectory")?.node;
  if (trajectory === undefined) return {};
  return resolveTrajectory(trajectoryEntrySchema.parse(toValue(camelCasedTrajectory(trajectory))));
}

function verificationsOf(
  node: SourceNode,
  passed: readonly PassedNames[],
): readonly VerificationSpec[] {
  const verify = entryOf(node, "verify")?.node;
  if (verify?.kind !== "list") return [];
  return verify.items.map((check) =>
    resolveVerification(verificationSchema.parse(toValue(camelCasedCheck(check))), passed),
  );
}

function toObject(value: unknown, what: string): { readonly [key: string]: Json } {
  const json = toJson(value, what);
  return isJsonObject(json) ? json : {};
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
