import { z } from "zod";
import type {
  EnclosingStep,
  PatternDefinition,
  StepsDefinition,
} from "../../contracts/definition.ts";
import { errorReport } from "../../contracts/error-report.ts";
import { errorText } from "../../contracts/failure.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import { PROGRAM_OUTCOMES } from "../../contracts/run.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import { plainText } from "../language/templates/filled-text.ts";
import { checkPattern, checkPatternMembers } from "./parts/check-pattern.ts";
import { patternStepFailed } from "./parts/errors.ts";
import { isLimitOfStep } from "./parts/limit-around.ts";
import { toPatternDefinition } from "./parts/pattern-definition.ts";
import {
  namedAgents,
  type PatternStepSettings,
  patternSettings,
  withFirstAgent,
} from "./parts/pattern-settings.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";
import { plainData } from "./parts/step-data.ts";

/** Lets agents of the workflow work together as one of these patterns does. */
export function createPatternStep(patterns: readonly Pattern[]) {
  const named = z.object({ pattern: z.string() });
  const readAs = <Item>(
    settings: PatternStepSettings,
    definition: StepsDefinition,
    read: (pattern: Pattern, inner: PatternDefinition) => readonly Item[] | undefined,
  ): readonly Item[] => {
    const pattern = patterns.find(({ name }) => name === settings.pattern);
    const inner = toPatternDefinition(settings, definition, { patterns, passEnv: [] });
    return (pattern === undefined ? undefined : read(pattern, inner)) ?? [];
  };
  return {
    ...PLAIN_STEP,
    name: "pattern",
    summary: "Carries out a pattern of agents, such as a fan-out",
    settings: patternSettings(patterns),
    templates: ["task"],
    schemas: ["steps.*.verify.*.json_schema"],
    check: (settings) => checkPattern(settings, patterns),
    checkAmong: (settings, definition) => checkPatternMembers(settings, definition, patterns),
    withPatterns: (own): StepType => createPatternStep([...patterns, ...own]),
    patterns: (settings) => {
      const { data } = named.safeParse(settings);
      return data === undefined ? [] : [data.pattern];
    },
    routeTests: (settings, definition) =>
      readAs(settings, definition, (pattern, inner) => pattern.tests?.(inner)),
    claims: (settings, definition) =>
      readAs(settings, definition, (pattern, inner) => pattern.claims?.(inner)),
    agents: (settings) => [...namedAgents(settings), ...(settings.fallback ?? [])],
    fallbacks: ({ fallback = [] }) => fallback,
    triedBy: withFirstAgent,
    run: (run) => carryOut(run, patterns),
  } as const satisfies StepType<PatternStepSettings>;
}

// What the pattern's program returned; it has been through JSON.
const programResult = z.object({
  outcome: z.enum(PROGRAM_OUTCOMES),
  reason: z.string(),
  metadata: z.record(z.string(), z.json()),
  error: errorReport.exactOptional(),
  output: z.json().exactOptional(),
});

async function carryOut(
  run: StepRun<PatternStepSettings>,
  patterns: readonly Pattern[],
): Promise<StepOutcome> {
  const { step, settings, address, context, definition } = run;
  const { pattern } = settings;
  const { path, execution, attempt } = address;
  const within = {
    path,
    // Attempts are carried out at the same paths, so each is an execution of its own there.
    execution: (execution - 1) * step.maxAttempts + attempt,
    ...taskOfTry(run),
  };
  const { passEnv = [] } = step;
  const inner = toPatternDefinition(settings, definition, { patterns, within, passEnv });
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

/** What the pattern is to do; whoever takes the place of another is told what went wrong before (WF-15). */
function taskOfTry(run: StepRun<PatternStepSettings>): Pick<EnclosingStep, "task" | "told"> {
  const given = taskOf(run);
  const { before, step, settings } = run;
  const isFallback = step.settings["fallback"] !== undefined && settings.fallback === undefined;
  if (before === undefined || !isFallback) return given;
  const { task = "", told = [{ text: task }] } = given;
  const pieces = [
    ...told,
    { text: "\n\nSomebody else tried before, and failed:\n" },
    {
      text: [errorText(run.definition, before.error), before.output].join("\n").trim(),
      source: "attempt before",
    },
  ];
  return { task: plainText(pieces), told: pieces };
}

/** What the pattern is to do, and how agents are told when somebody else wrote some of it. */
function taskOf(run: StepRun<PatternStepSettings>): Pick<EnclosingStep, "task" | "told"> {
  const { task } = run.settings;
  if (task === undefined) return inputAsTask(run);
  const told = run.scope.prompt(task);
  const isForeign = told.some(({ source }) => source !== undefined);
  return { task: plainText(told), ...(isForeign ? { told } : {}) };
}

function inputAsTask({
  step: { input },
  scope: { context },
}: StepRun<PatternStepSettings>): Pick<EnclosingStep, "task" | "told"> {
  const plain = plainData(input === undefined ? context.input : (context.dataOf(input) ?? null));
  if (plain === null) return { task: "" };
  const task = typeof plain === "string" ? plain : JSON.stringify(plain);
  if (input === undefined || context.getResult(input) === undefined) return { task };
  // src/engine/replay-versions.ts knows this sentence.
  const told = [
    { text: "Do your part with this:\n\n" },
    { text: task, source: `data of step "${input}"` },
  ];
  return { task, told };
}
