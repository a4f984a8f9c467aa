import type { StepsDefinition } from "../../../contracts/definition.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import type { SettingFault } from "../../../contracts/ports/step-type.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { patternProblem } from "../../../foundation/path-pattern.ts";
import { present } from "../../../foundation/present.ts";
import { compileRegex } from "../../language/regex.ts";
import { blockKeyOf } from "../../primitives/own-turns.ts";
import { leavesOrder, MODE_OF_ORDER, stepOrder } from "../../primitives/step-order.ts";
import { attempt, checkTemplate, checkTexts, fault, patternNames } from "./check-pattern-texts.ts";
import { toPatternDefinition } from "./pattern-definition.ts";
import {
  blockOfStep,
  foreignBlocks,
  namedAgents,
  type PatternCheckEntry,
  type PatternStepEntry,
  type PatternStepSettings,
  withFirstAgent,
} from "./pattern-settings.ts";
import { snakeCaseOf } from "./snake-case.ts";

const CHECK_KINDS = [
  "command",
  "file_exists",
  "output_matches",
  "json_schema",
  "git_changed",
] as const;

/** What is wrong with the pattern of a pattern step; the places are those of its own keys. */
export function checkPattern(
  settings: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const { steps = [], agents, fallback } = settings;
  if (steps.length > 0 && fallback !== undefined)
    return [
      {
        key: "fallback",
        problem: "stands beside steps, each of which has its own",
        hint: "write fallback in the steps that need one",
      },
    ];
  if (steps.length === 0 && agents === undefined)
    return [{ problem: "names nobody who does it", hint: "write agents, or steps with an agent" }];
  const names = patternNames(settings);
  return [
    ...checkBlock(settings, patterns),
    ...checkIds(settings),
    ...checkMode(settings, patterns),
    ...checkTurnRules(settings, patterns),
    ...checkOrder(settings, patterns),
    ...steps.flatMap((step) => [
      ...checkAgent(settings, step),
      ...checkTexts(names, step),
      ...checkCompensation(settings, patterns, step),
      ...(step.verify ?? []).flatMap((check) => checkVerification(step, check)),
    ]),
  ];
}

/** What is wrong with who takes part in the pattern, among the agents of its workflow. */
export function checkPatternMembers(
  settings: PatternStepSettings,
  around: StepsDefinition,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const others = settings.fallback ?? [];
  return [
    ...membersFaults(settings, around, patterns),
    ...others.flatMap((agent) =>
      membersFaults(withFirstAgent(settings, agent), around, patterns).map((fault) => ({
        ...{ ...fault, key: "fallback" },
        problem: `${agent} cannot take the place of the first agent: ${fault.problem}`,
      })),
    ),
  ];
}

function membersFaults(
  settings: PatternStepSettings,
  around: StepsDefinition,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const pattern = patterns.find(({ name }) => name === settings.pattern);
  if (pattern?.check === undefined) return [];
  const within = { path: "", execution: 1 };
  const definition = toPatternDefinition(settings, around, { patterns, within, passEnv: [] });
  const key = snakeCaseOf(blockKeyOf(pattern));
  return pattern
    .check(definition)
    .map(({ problem, hint }) => ({ key, problem, ...present({ hint }) }));
}

function checkBlock(
  settings: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const pattern = patterns.find(({ name }) => name === settings.pattern);
  const foreign = foreignBlocks(settings, patterns).map((key) => ({
    key,
    problem: `has ${key}, which ${settings.pattern} does not know`,
    hint: `remove it, or write pattern: ${key.replaceAll("_", "-")}`,
  }));
  if (pattern === undefined) return foreign;
  try {
    const { [pattern.goalKey ?? ""]: goal } = blockOfStep(settings, pattern);
    const key = snakeCaseOf(blockKeyOf(pattern));
    const faults = typeof goal === "string" ? checkTemplate(patternNames(settings), key, goal) : [];
    return [...foreign, ...faults.map((one) => ({ ...one, key }))];
  } catch (error) {
    return [...foreign, { key: blockKeyOf(pattern), problem: toErrorReport(error).message }];
  }
}

function checkIds({ steps = [], coordination }: PatternStepSettings): readonly SettingFault[] {
  const seen = new Set<string>();
  return [...steps, ...(coordination?.barriers ?? [])].flatMap(({ id }) => {
    const isTaken = seen.has(id.toLowerCase());
    seen.add(id.toLowerCase());
    return isTaken ? [fault(`has two of the id "${id}"`)] : [];
  });
}

/** A pattern that orders its steps itself does nothing with another mode. */
function checkMode(
  { pattern, coordination }: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const { mode } = coordination ?? {};
  const known = patterns.find(({ name }) => name === pattern);
  if (mode === undefined || known === undefined || leavesOrder(known.order)) return [];
  const own = MODE_OF_ORDER[known.order];
  if (mode === own) return [];
  const problem = `has the mode "${mode}", and that of ${pattern} is ${own}`;
  return [{ key: "coordination", problem, hint: "remove mode, or choose another pattern" }];
}

/** What bounds the turns that a pattern gives itself bounds no steps. */
function checkTurnRules(
  { pattern, steps = [], options = {} }: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const known = patterns.find(({ name }) => name === pattern);
  if (known === undefined || (known.order === "mode" && steps.length === 0)) return [];
  const { turn_timeout, bounds } = options;
  return Object.entries({ turn_timeout, bounds }).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [
          {
            key: "options",
            problem: `has ${key}, and all turns of this ${pattern} are steps`,
            hint: "bound the steps instead",
          },
        ],
  );
}

/** A step that waits for itself, or for nothing that there is, would never begin. */
function checkOrder(
  settings: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly SettingFault[] {
  const { steps = [], coordination } = settings;
  const pattern = patterns.find(({ name }) => name === settings.pattern);
  const order = pattern === undefined ? undefined : stepOrder(pattern, coordination?.mode);
  const barriers = new Set((coordination?.barriers ?? []).map(({ id }) => id));
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const faults = steps.flatMap(({ id, depends_on = [], receives_previous_output }, index) => [
    ...(pattern?.order !== "list" && receives_previous_output !== undefined
      ? [
          fault(
            `"${id}" has receives_previous_output, and ${settings.pattern} knows no previous step`,
          ),
        ]
      : []),
    ...depends_on.flatMap((name) => {
      if (barriers.has(name)) return [];
      const place = places.get(name);
      if (place === undefined)
        return [
          fault(
            `"${id}" depends on "${name}", which is no step or barrier of it`,
            didYouMean(name, [...places.keys(), ...barriers]),
          ),
        ];
      const isLater = order === "list" && place >= index;
      return isLater
        ? [fault(`"${id}" depends on "${name}", which comes after it`, "reorder the steps")]
        : [];
    }),
  ]);
  if (faults.length > 0) return faults;
  const left = stepsInCycles(steps);
  return left.length === 0 ? [] : [fault(`has steps that wait for each other: ${left.join(", ")}`)];
}

/** What is left when steps that wait for nothing are taken away until there are none. */
function stepsInCycles(steps: readonly PatternStepEntry[]): readonly string[] {
  let left = new Map(steps.map(({ id, depends_on = [] }) => [id, depends_on]));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const waiting = left;
    left = new Map([...left].filter(([, names]) => names.some((name) => waiting.has(name))));
  }
  return [...left.keys()];
}

function checkAgent(
  settings: PatternStepSettings,
  { id, agent }: PatternStepEntry,
): readonly SettingFault[] {
  const { agents } = settings;
  if (agent === undefined)
    return namedAgents(settings).length === 1
      ? []
      : [fault(`"${id}" names no agent, and there is not just one`)];
  if (agents === undefined || agents.some((name) => name.toLowerCase() === agent.toLowerCase()))
    return [];
  return [
    fault(`"${id}" uses agent "${agent}", which is not in agents`, didYouMean(agent, agents)),
  ];
}

/** One thing undoes a step, in a pattern that does so. */
function checkCompensation(
  settings: PatternStepSettings,
  patterns: readonly Pattern[],
  { id, compensate }: PatternStepEntry,
): readonly SettingFault[] {
  if (compensate === undefined) return [];
  const { prompt, command, agent } = compensate;
  if (patterns.find(({ name }) => name === settings.pattern)?.compensates !== true)
    return [fault(`"${id}" has compensate, and ${settings.pattern} undoes nothing`, "use saga")];
  if ((prompt === undefined) === (command === undefined))
    return [
      fault(`"${id}" has a compensate that is not one thing`, "write prompt or command in it"),
    ];
  if (command === undefined || agent === undefined) return [];
  return [fault(`"${id}" is undone by a command, and names an agent for it`, "keep one of them")];
}

function checkVerification(
  { id }: PatternStepEntry,
  check: PatternCheckEntry,
): readonly SettingFault[] {
  const kinds = CHECK_KINDS.filter((kind) => check[kind] !== undefined);
  if (kinds.length !== 1)
    return [
      fault(
        `"${id}" has a check with ${kinds.join(" and ") || "nothing to check"}`,
        `write one of ${CHECK_KINDS.join(", ")}`,
      ),
    ];
  const isCommand = check.command !== undefined;
  if (!isCommand && (check.expect_exit !== undefined || check.timeout !== undefined))
    return [fault(`"${id}" has a check with expect_exit or timeout, which only a command takes`)];
  for (const pattern of check.protect ?? []) {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      return [fault(`"${id}" protects ${JSON.stringify(pattern.slice(0, 60))}, which ${problem}`)];
  }
  const { output_matches } = check;
  if (output_matches === undefined) return [];
  return attempt(`"${id}"`, () => {
    compileRegex(output_matches);
    return [];
  });
}
