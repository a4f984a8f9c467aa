import { z } from "zod";
import { FAILURE_POLICIES } from "../../../contracts/definition.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import { BARRIER_TYPES } from "../../../contracts/step.ts";
import { isDuration } from "../../../foundation/duration.ts";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import { isRecord, type Json, toJson } from "../../../foundation/json.ts";
import { builtInPatterns } from "../../patterns/registry.ts";
import { blockKeyOf } from "../../primitives/own-turns.ts";
import { fromSnakeCase, inSnakeCase, snakeCaseOf } from "./snake-case.ts";

// What a pattern workflow says of itself, in snake_case as all of a step workflow. A step of a pattern has
// `max_attempts` only: `max_retries` means one thing in step workflows and another in pattern workflows.

const id = z.string().regex(ID_PATTERN, "is no id: letters, digits, _ and -, a letter first");
const duration = z.string().refine(isDuration, "is no duration such as 500ms, 30s, 10m, 2h");
const attempts = z.int().min(1).max(101);
const agent = z.string().min(1).brand<"$agent">();

const verification = z.strictObject({
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  expect_exit: z.int().min(0).max(255).optional(),
  timeout: duration.optional(),
  file_exists: z.string().min(1).optional(),
  output_matches: z.string().min(1).optional(),
  json_schema: z.record(z.string(), z.json()).optional(),
  git_changed: z.boolean().optional(),
  protect: z.array(z.string().min(1)).min(1).optional(),
});

const compensation = z.strictObject({
  prompt: z.string().optional().describe("What an agent is to do, with variables."),
  agent: agent.optional().describe("Who gets `prompt`. Default: the agent of the step."),
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)])
    .optional()
    .describe("What is run in place of an agent."),
  timeout: duration
    .optional()
    .describe("How long one attempt may take. Default: that of the step, else 5m."),
});

const step = z.strictObject({
  id: id.describe("Unique in this pattern."),
  agent: agent.optional().describe("Who does it. Default: the only agent."),
  prompt: z
    .string()
    .optional()
    .describe("What to do, with {{task}}, {{steps.ID.output}}, {{git.diff}}. Default: the task."),
  depends_on: z.array(id).optional().describe("Steps and barriers that must be done before (dag)."),
  when: z.string().min(1).optional().describe("A condition over `steps` and `task`."),
  expects: id.optional().describe("The word that completes the step, or `none`."),
  max_attempts: attempts.optional().describe("Attempts in all. Default: 1."),
  timeout: duration.optional().describe("How long one attempt may take, such as 10m."),
  verify: z.array(verification).optional().describe("Checks that must hold afterwards."),
  compensate: compensation
    .optional()
    .describe("Saga: how what the step did is undone when the pattern fails later."),
  fallback: z.array(agent).optional().describe("Agents that try after the last attempt."),
  receives_previous_output: z
    .boolean()
    .optional()
    .describe("Pipeline: whether the stage is told the output before it. Default: true."),
});

const barrier = z.strictObject({
  id,
  wait_for: z.array(agent).min(1),
  signal: id.optional(),
  type: z.enum(BARRIER_TYPES).optional(),
  timeout: duration.optional(),
});

const members = {
  task: z
    .string()
    .optional()
    .describe(
      "What is to be done, with variables. Default: the data of `input`, else the input of the run.",
    ),
  agents: z
    .array(agent)
    .min(1)
    .optional()
    .describe("Who takes part. Default: all agents that its steps name."),
  fallback: z
    .array(agent)
    .optional()
    .describe(
      "Agents that take the place of the first of `agents`, one after the other, when all attempts have failed.",
    ),
  steps: z
    .array(step)
    .max(2000)
    .optional()
    .describe("What is done. Without steps every agent gets the task."),
  coordination: z
    .strictObject({
      mode: z
        .enum(["sequential", "parallel", "dag"])
        .optional()
        .describe(
          "How steps are ordered: `dag` (default), `sequential` (default of saga) or `parallel` (default of fan-out). In pipeline and dag it must be what the pattern does.",
        ),
      barriers: z
        .array(barrier)
        .max(100)
        .optional()
        .describe("Points where its steps wait for signals."),
    })
    .optional()
    .describe("How its steps wait for each other."),
  options: z
    .strictObject({
      max_concurrency: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe("How many of its steps and turns run at the same time."),
      turn_timeout: duration
        .optional()
        .describe("How long a turn may take that the pattern gives. Default: any time."),
      bounds: z
        .strictObject({
          turns_per_agent: z.int().min(1).optional(),
          messages: z.int().min(1).optional(),
          ping_pong: z.int().min(1).optional(),
        })
        .optional()
        .describe(
          "What ends a pattern that messages drive, and, where it is written, the turns of others.",
        ),
    })
    .optional()
    .describe("Bounds of the pattern."),
  error_handling: z
    .strictObject({
      max_attempts: attempts.optional(),
      retry_delay: duration.optional(),
      escalate_to: agent.optional(),
      on_failure: z.enum(FAILURE_POLICIES).exclude(["pause"]).optional(),
    })
    .optional()
    .describe("What happens when one of its steps fails."),
};

const patternNames = (patterns: readonly Pick<Pattern, "name">[]) =>
  z.enum(patterns.map(({ name }) => name)).describe("How the agents work together.");

const written = z.object({ pattern: patternNames(builtInPatterns), ...members });

/** The settings of a pattern step, beside the pattern's own block. */
export type PatternStepSettings = z.infer<typeof written>;

/** What a file says of a pattern step. */
export function patternSettings(patterns: readonly Pattern[]): z.ZodType<PatternStepSettings> {
  const blocks = patterns.flatMap((pattern) =>
    pattern.block === undefined
      ? []
      : [[snakeCaseOf(blockKeyOf(pattern)), inSnakeCase(pattern.block).optional()] as const],
  );
  return z.strictObject({
    ...Object.fromEntries(blocks),
    pattern: patternNames(patterns),
    ...members,
  });
}

/** The block of a pattern in its own words; `problem` is why it is none. */
export function blockOfStep(
  settings: PatternStepSettings,
  pattern: Pick<Pattern, "name" | "blockKey" | "block">,
): { readonly [key: string]: Json } {
  const key = snakeCaseOf(blockKeyOf(pattern));
  const found: unknown = new Map<string, unknown>(Object.entries(settings)).get(key);
  if (pattern.block === undefined || found === undefined) return {};
  const block = toJson(
    pattern.block.parse(fromSnakeCase(pattern.block, found)),
    `the block ${key}`,
  );
  return isJsonObject(block) ? block : {};
}

/** Keys of the blocks of other patterns that stand in the settings. */
export function foreignBlocks(
  settings: PatternStepSettings,
  patterns: readonly Pattern[],
): readonly string[] {
  const foreign = patterns.filter(({ name }) => name !== settings.pattern);
  const keys = new Set(foreign.map((pattern) => snakeCaseOf(blockKeyOf(pattern))));
  return Object.keys(settings).filter((key) => keys.has(key));
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
/** What a file says of one step of a pattern. */
export type PatternStepEntry = z.infer<typeof step>;
/** What a file says of one check of a pattern's step. */
export type PatternCheckEntry = z.infer<typeof verification>;

/** The settings with another agent in the place of the first one. */
export function withFirstAgent(settings: PatternStepSettings, agent: string): PatternStepSettings {
  const { fallback: _fallback, agents = [], ...rest } = settings;
  const first = members.agents.parse([agent, ...agents.slice(1)]);
  return { ...rest, agents: first };
}

/** The agents that a pattern step names anywhere but as a fallback of all of it, once each, as written. */
export function namedAgents(settings: PatternStepSettings): readonly string[] {
  const { agents = [], steps = [], coordination, error_handling } = settings;
  const { escalate_to } = error_handling ?? {};
  const names = [
    ...agents,
    ...steps.flatMap(({ agent, fallback = [], compensate }) => [
      ...[agent, compensate?.agent].filter((name) => name !== undefined),
      ...fallback,
    ]),
    ...(coordination?.barriers ?? []).flatMap(({ wait_for }) => wait_for),
    ...(escalate_to === undefined ? [] : [escalate_to]),
  ];
  const byKey = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [...byKey.values()];
}
