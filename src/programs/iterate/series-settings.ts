import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { scanTemplate, templateVariables } from "../language/templates/template.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { checkProblem, toVerification, verificationSchema } from "../step/written-check.ts";

/** Iterations at most where nothing else bounds their number. */
const DEFAULT_CAP = 100;
/** Most iterations of a series. */
const MOST_ITERATIONS = 10_000;

const duration = z
  .string()
  .meta({ examples: ["30m", "2h"], pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" });

/** What a file says of a series of iterations. */
export const seriesBlock = z.strictObject({
  count: z.int().min(1).max(MOST_ITERATIONS).optional().describe("How many iterations there are."),
  duration: duration.optional().describe("No iteration begins later than this, in running time."),
  until: z
    .string()
    .min(1)
    .optional()
    .describe("A shell command after each iteration; the series is over once it exits with 0."),
  maxIterations: z
    .int()
    .min(1)
    .max(MOST_ITERATIONS)
    .optional()
    .describe("Iterations at most, whatever else bounds them. Default: 100 without `count`."),
  commit: z
    .boolean()
    .optional()
    .describe("Whether each iteration that succeeds is committed to git. Default: false."),
  allowDirty: z
    .boolean()
    .optional()
    .describe(
      "Commits also where there are changes of yours, which stay as they are. Default: false.",
    ),
  commitFailed: z
    .boolean()
    .optional()
    .describe("Whether iterations that fail are committed, too. Default: false."),
  context: z
    .boolean()
    .optional()
    .describe("Whether an iteration is told of those before it. Default: true."),
  continuation: z
    .string()
    .min(1)
    .optional()
    .describe("What iterations after the first are asked for, in place of the task."),
  summarizer: z
    .enum(["done", "files", "model"])
    .optional()
    .describe(
      "What sums an iteration up: what it says itself (default), the files it changed, or the second agent of the file in a turn of its own (model).",
    ),
  plan: z
    .string()
    .min(1)
    .optional()
    .describe("A plan that every iteration is told: a text, or the path of a file."),
  verify: z
    .array(verificationSchema)
    .optional()
    .describe("Checks that must hold for an iteration to have succeeded."),
});

/** A series of iterations with every default filled in. */
export interface SeriesSettings {
  readonly agent: AgentSpec;
  readonly count: number | undefined;
  readonly durationMs: number | undefined;
  readonly until: string | undefined;
  /** Iterations at most. */
  readonly cap: number;
  readonly commits: boolean;
  readonly allowsDirty: boolean;
  readonly commitsFailed: boolean;
  readonly tellsEarlier: boolean;
  readonly continuation: string | undefined;
  readonly summarizer: "done" | "files" | "model";
  /** Who sums iterations up, where they are not asked themselves. */
  readonly summaryAgent: AgentSpec | undefined;
  readonly plan: string | undefined;
  readonly verify: readonly VerificationSpec[];
}

/** Running time of a series that says none: its own duration bounds it, else each iteration has as long as a run has. */
export function seriesTimeoutMs(
  options: PatternDefinition["options"],
  usualMs: number,
): number | undefined {
  const {
    duration: bound,
    count,
    maxIterations = count ?? DEFAULT_CAP,
  } = seriesBlock.parse(options);
  return bound === undefined ? usualMs * maxIterations : undefined;
}

/** What a checked definition says of its series. */
export function seriesSettings({ options, agents }: PatternDefinition): SeriesSettings {
  const block = seriesBlock.parse(options);
  const [agent, second] = crewOf(agents);
  if (agent === undefined) throw new Error("a series of iterations has no agent");
  const { count, maxIterations = count ?? DEFAULT_CAP, until, continuation, plan } = block;
  return {
    agent,
    count,
    durationMs: block.duration === undefined ? undefined : parseDuration(block.duration),
    cap: maxIterations,
    commits: block.commit ?? false,
    allowsDirty: block.allowDirty ?? false,
    commitsFailed: block.commitFailed ?? false,
    tellsEarlier: block.context ?? true,
    summarizer: block.summarizer ?? "done",
    summaryAgent: block.summarizer === "model" ? second : undefined,
    verify: (block.verify ?? []).map((check) => toVerification(check, undefined)),
    ...{ until, continuation, plan },
  };
}

/** What is wrong with a series, or with who takes part in it. */
export function seriesFaults(definition: PatternDefinition): readonly PatternFault[] {
  const block = seriesBlock.parse(definition.options);
  return [
    ...faultsOfBounds(block),
    ...faultsOfGit(block),
    ...faultsOfTexts(block),
    ...faultsOfMembers(definition, block),
  ];
}

type Block = z.infer<typeof seriesBlock>;

function faultsOfBounds({ count, duration: time, until, maxIterations }: Block) {
  const faults: PatternFault[] = [];
  if (
    count === undefined &&
    time === undefined &&
    until === undefined &&
    maxIterations === undefined
  )
    faults.push({
      problem: "nothing says when the iterations are over",
      hint: "write count, duration or until under iterate",
    });
  if (time !== undefined && (!isDuration(time) || parseDuration(time) === 0))
    faults.push({
      key: "duration",
      problem: `"${time}" is no duration`,
      hint: "write a number above 0 and a unit: 30m, 2h",
    });
  if (count !== undefined && maxIterations !== undefined && maxIterations < count)
    faults.push({
      key: "maxIterations",
      problem: `maxIterations is ${maxIterations}, and count is ${count}`,
      hint: "remove one of them",
    });
  return faults;
}

function faultsOfGit({
  commit = false,
  allowDirty,
  commitFailed,
  summarizer,
  context,
  continuation,
}: Block) {
  const faults: PatternFault[] = [];
  for (const [key, value] of Object.entries({ allowDirty, commitFailed }))
    if (value === true && !commit)
      faults.push({
        key,
        problem: `${key} means nothing without commit`,
        hint: "write commit: true",
      });
  if (context === false && summarizer !== undefined && continuation === undefined && !commit)
    faults.push({
      key: "summarizer",
      problem: "summarizer means nothing where nobody is told of earlier iterations",
      hint: "remove it, or context: false",
    });
  return faults;
}

const VARIABLES: ReadonlySet<string> = new Set(["task", "id", "git", "params", "agents"]);

function faultsOfTexts({ verify = [], continuation = "" }: Block): readonly PatternFault[] {
  const checks = verify.flatMap((check): readonly PatternFault[] => {
    const problem = checkProblem(check);
    return problem === undefined ? [] : [{ key: "verify", problem }];
  });
  const texts = verify.flatMap(({ command = [], fileExists }) => [
    ...(typeof command === "string" ? [command] : command),
    ...(fileExists === undefined ? [] : [fileExists]),
  ]);
  return [
    ...checks,
    ...texts.flatMap((text) => templateFaults("verify", text)),
    ...templateFaults("continuation", continuation),
  ];
}

function templateFaults(key: string, text: string): readonly PatternFault[] {
  const template = scanTemplate(text);
  return [
    ...template.faults.map(({ error }) => ({ key, problem: error.message })),
    ...templateVariables(template).flatMap(({ name, segments: [root = ""] }) =>
      VARIABLES.has(root)
        ? []
        : [
            {
              key,
              problem: `{{${name}}} is not known here`,
              hint: "there are task, id, params, git and agents",
            },
          ],
    ),
  ];
}

function faultsOfMembers({ agents, steps, onFailure }: PatternDefinition, { summarizer }: Block) {
  const faults: PatternFault[] = [];
  const [agent, second, third] = crewOf(agents);
  const isModel = summarizer === "model";
  const other = isModel ? third : second;
  if (other !== undefined)
    faults.push({
      agent: other.id,
      problem: isModel
        ? `one agent works and one sums up, and ${other.id} is a third one`
        : `iterate has one agent, and ${other.id} is another one`,
      hint: "remove it, or use a pattern for several",
    });
  if (isModel && second === undefined)
    faults.push({
      key: "summarizer",
      problem: "nobody is there who sums iterations up",
      hint: "add a second agent, such as { id: scribe, backend: model, model: anthropic/claude-haiku-4-5 }",
    });
  if (steps.length > 0)
    faults.push({
      problem: "iterate has no steps: each iteration is one",
      hint: "write what is to be done as the task, and checks under iterate.verify",
    });
  if (onFailure !== "continue")
    faults.push({
      problem: `an iteration that fails ends nothing, so onFailure: ${onFailure} means nothing`,
      hint: "remove onFailure; five failures in a row end a series",
    });
  if (agent?.session === "keep")
    faults.push({
      agent: agent.id,
      problem: `${agent.id} keeps its session, and each iteration is a fresh agent`,
      hint: "remove session: keep",
    });
  return faults;
}
