import type { CompletionReason } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { hasOneLanguage } from "../../contracts/definition-format.ts";
import { errorText, toldError } from "../../contracts/failure.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { StepSpec } from "../../contracts/step.ts";
import {
  type CommandEnd,
  commandFacts,
  factsOfNothing,
  type StepFacts,
} from "../../contracts/step-facts.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, type Json } from "../../foundation/json.ts";
import { endOfOutput } from "../../foundation/output-end.ts";
import { instancesFailed } from "../errors.ts";
import { type Attempted, type ExecutionPlace, executeStep } from "../step/execute-step.ts";

/** How one step of a pattern ended. */
export type StepResult =
  | {
      readonly status: "completed";
      /** Undefined for a command. */
      readonly agent: string | undefined;
      readonly output: string;
      readonly text: string;
      readonly reason: CompletionReason;
      readonly attempts: number;
      readonly durationMs: number;
      /** How its command ended. */
      readonly command?: CommandEnd;
      /** In place of the reason, where there is more to say: `exit 3`. */
      readonly outcome?: string;
      /** How its instances ended, for a step with a matrix. */
      readonly results?: readonly Json[];
    }
  | {
      readonly status: "failed";
      /** Undefined for a command. */
      readonly agent: string | undefined;
      readonly error: ErrorReport;
      /** What its command printed or its agent said last. */
      readonly output: string;
      readonly attempts: number;
      readonly durationMs: number;
      readonly command?: CommandEnd;
      readonly results?: readonly Json[];
    }
  | { readonly status: "skipped"; readonly reason: string }
  | { readonly status: "blocked"; readonly by: readonly string[] }
  | { readonly status: "cancelled"; readonly reason: string };

/** Results by step id, as far as the run has come. */
export type StepResults = ReadonlyMap<string, StepResult>;

/** The output of a step, empty unless it was completed. */
export function outputOfStep(result: StepResult | undefined): string {
  return result?.status === "completed" ? result.output : "";
}

/** The end of a step as variables and conditions see it. */
export function stepFacts(result: StepResult): StepFacts {
  switch (result.status) {
    case "completed": {
      const { status, output, text, reason, outcome = reason, command } = result;
      const { attempts, durationMs } = result;
      const error = command?.error ?? null;
      const told = { status, output, text, outcome, error, attempts, durationMs };
      return { ...told, ...commandFacts(command) };
    }
    case "failed": {
      const { status, error, output, command, attempts, durationMs } = result;
      const told = { status, output, text: output, outcome: error.code, attempts, durationMs };
      return { ...told, error: toldError(error), ...commandFacts(command) };
    }
    case "skipped":
    case "blocked":
    case "cancelled":
      return factsOfNothing(result.status);
  }
}

/** Agents that have worked at steps, each once, in the order of the steps. */
export function agentsOf(results: Iterable<readonly [string, StepResult]>): readonly string[] {
  const agents = new Set<string>();
  for (const [, result] of results)
    if ("agent" in result && result.agent !== undefined) agents.add(result.agent);
  return [...agents];
}

/** Whether the steps that depend on this one may start. */
export function lets(result: StepResult | undefined): boolean {
  return result?.status === "completed" || result?.status === "skipped";
}

/**
 * What a pattern was done for: the outputs of the steps that are its results; several stand under their ids.
 * `outputOf` knows the outputs of completed steps.
 */
export function finalOutput(
  { results = unneededSteps }: Pick<Pattern, "results">,
  definition: PatternDefinition,
  outputOf: (step: string) => string | undefined,
): string {
  const ids = results(definition);
  const outputs = ids.flatMap((id) => {
    const output = outputOf(id);
    return output === undefined ? [] : [{ id, output }];
  });
  const [first] = outputs;
  if (first !== undefined && ids.length === 1) return first.output;
  return outputs.map(({ id, output }) => `## ${id}\n\n${output}`).join("\n\n");
}

/** Ids of the steps that no other depends on. */
export function unneededSteps({ steps }: PatternDefinition): readonly string[] {
  const inner = new Set(steps.flatMap((step) => step.dependsOn));
  return steps.flatMap(({ id }) => (inner.has(id) ? [] : [id]));
}

/** A step with a matrix whose instances are over. */
export interface GatheredStep {
  readonly context: Context;
  readonly definition: PatternDefinition;
  readonly results: StepResults;
  readonly step: StepSpec;
  readonly place: ExecutionPlace;
}

interface Instance {
  readonly id: string;
  readonly spec: StepSpec | undefined;
  readonly result: StepResult;
}

/**
 * How a step with a matrix ended: failed if an instance did, done if each was done or skipped. Undefined when none failed
 * and some did not run at all: then it is nothing either. Rejects only on cancellation.
 */
export async function gatherInstances(gathered: GatheredStep): Promise<StepResult | undefined> {
  const { context, place } = gathered;
  const instances = instancesOf(gathered);
  const failed = instances.filter(({ result }) => result.status === "failed");
  if (failed.length === 0 && instances.some(({ result }) => !lets(result))) return undefined;
  const results = instances.map((instance) =>
    toEntry(gathered.definition, instance, instance === failed[0]),
  );
  const end = await executeStep<undefined>({
    door: context,
    place,
    when: undefined,
    tries: { agent: undefined, maxAttempts: 1, retryDelayMs: 0, others: [] },
    holds: () => true,
    prepare: () => sha256(canonicalJson(results)),
    reusable: () => undefined,
    attempt: async () => endOf(gathered, instances, failed),
  });
  const durationMs = Math.max(...instances.map(({ result }) => durationOf(result)));
  const known = { agent: undefined, attempts: 1, durationMs, results };
  if (end.status === "failed") return { status: "failed", error: end.error, output: "", ...known };
  const { output } = end.status === "completed" ? end.work : { output: "" };
  const revised = end.status === "completed" ? end.revised?.output : undefined;
  const text = revised ?? output;
  return { status: "completed", output: text, text, reason: "exit", ...known };
}

function instancesOf({ definition, results, step }: GatheredStep): readonly Instance[] {
  const specs = new Map(definition.steps.map((spec) => [spec.id, spec]));
  return step.dependsOn.flatMap((id) => {
    const result = results.get(id);
    return result === undefined ? [] : [{ id, spec: specs.get(id), result }];
  });
}

function endOf(
  { step }: GatheredStep,
  instances: readonly Instance[],
  failed: readonly Instance[],
): Attempted<undefined> {
  const data = instances.map(({ id, result: { status } }) => ({ id, status }));
  if (failed.length > 0) {
    const ids = failed.map(({ id }) => id);
    const error = instancesFailed({ step: step.id, failed: ids, total: instances.length });
    return { status: "failed", error: toErrorReport(error), output: "", data };
  }
  const all = instances
    .filter(({ result }) => result.status === "completed")
    .map(({ id, result }) => `## ${id}\n\n${outputOfStep(result)}`);
  const { text: output, isTruncated: outputTruncated } = endOfOutput(all.join("\n\n"));
  const work = { output, outputTruncated, reason: "exit", agent: undefined } as const;
  return { status: "completed", work: { ...work, recorded: { data } }, done: undefined };
}

/** What others see of an instance: `steps.ID.results`. */
function toEntry(
  definition: PatternDefinition,
  { id, spec, result }: Instance,
  isFirstFailure: boolean,
): { readonly [key: string]: Json } {
  const { status } = result;
  const matrix = { ...spec?.instance?.matrix };
  const error =
    result.status === "failed" ? { error: told(definition, result, isFirstFailure) } : {};
  const output =
    result.status === "failed" && hasOneLanguage(definition) ? result.output : outputOfStep(result);
  return { id, matrix, status, output, ...error };
}

/** One failure whole, further ones by the line that says what failed. */
function told(
  definition: PatternDefinition,
  { error }: Extract<StepResult, { readonly status: "failed" }>,
  isFirst: boolean,
): string {
  const text = errorText(definition, error);
  if (isFirst || !hasOneLanguage(definition)) return text;
  const [headline = ""] = text.split("\n");
  return headline;
}

function durationOf(result: StepResult): number {
  return "durationMs" in result ? result.durationMs : 0;
}
