import { z } from "zod";
import { errorReport } from "../../contracts/error-report.ts";
import type { StepOutcome, StepRun, StepType } from "../../contracts/step-type.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import { isLimitOfStep } from "../flow/limit-around.ts";
import { plainData } from "../flow/step-data.ts";
import { patternStepFailed } from "./errors.ts";
import { checkPattern } from "./parts/check-pattern.ts";
import { toPatternDefinition } from "./parts/pattern-definition.ts";
import { namedAgents, type PatternSettings, patternSettings } from "./parts/pattern-settings.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

/** Lets agents of the workflow work together as one of the patterns does. */
export const patternStep: StepType<PatternSettings> = {
  ...PLAIN_STEP,
  name: "pattern",
  summary: "Carries out a pattern of agents, such as a fan-out",
  settings: patternSettings,
  templates: ["task"],
  schemas: ["steps.*.verify.*.json_schema"],
  check: checkPattern,
  agents: namedAgents,
  run,
};

// What the pattern's program returned; it has been through JSON.
const programResult = z.object({
  outcome: z.enum(["completed", "failed", "rejected", "limit-reached"]),
  reason: z.string(),
  metadata: z.record(z.string(), z.json()),
  error: errorReport.exactOptional(),
  output: z.json().exactOptional(),
});

async function run(run: StepRun<PatternSettings>): Promise<StepOutcome> {
  const { step, settings, address, context, definition } = run;
  const { pattern } = settings;
  const { path, execution, attempt } = address;
  const inner = toPatternDefinition(settings, definition, {
    path,
    // Attempts are carried out at the same paths, so each is an execution of its own there.
    execution: (execution - 1) * step.maxAttempts + attempt,
    task: taskOf(run),
  });
  await Promise.all(inner.agents.map(({ id }) => run.agent(id)));
  const options = toJson(inner, `the pattern of step "${step.id}"`);
  const result = programResult.parse(await context.pattern(pattern, options));
  const { outcome, reason, metadata, output = "", error: cause } = result;
  const success = outcome === "completed";
  const data = { pattern, outcome, success, reason, output, metadata };
  // Its steps have no budgets of their own.
  if (!success && cause !== undefined && isLimitOfStep(cause)) return { data, error: cause };
  if (!success) {
    const error = toErrorReport(patternStepFailed({ step: step.id, pattern, reason }));
    return { data, error };
  }
  return { data, output: typeof output === "string" ? output : JSON.stringify(output) };
}

function taskOf({ step, scope, settings: { task } }: StepRun<PatternSettings>): string {
  if (task !== undefined) return scope.text(task);
  const { context } = scope;
  const given = step.input === undefined ? context.input : (context.dataOf(step.input) ?? null);
  const plain = plainData(given);
  if (plain === null) return "";
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}
