import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { WorkflowResult } from "../contracts/workflow-result.ts";
import { present } from "../foundation/present.ts";
import type { IterativeResult } from "../programs/iterate/iteration-record.ts";
import { escapeTemplate } from "../programs/language/templates/template.ts";
import { roleUnfit } from "../workflows/checks/errors.ts";
import { beginPrepared } from "./begin-run.ts";
import {
  AMOUNT,
  assertArgument,
  FLAG,
  listOf,
  NUMBER,
  OBJECT,
  type OptionTable,
  oneOf,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import {
  assertPrograms,
  checkOptions,
  ONE_MEMBER,
  TALK_OPTIONS,
  TASKLESS_MEMBER,
} from "./option-tables.ts";
import { buildTalk, type MemberTask, namesOfMembers, type TalkOptions } from "./talk-definition.ts";

/** One task again and again. One of `count`, `durationMs`, `until` and `maxIterations` bounds it. */
export interface IterateOptions extends TalkOptions {
  /** Who does it, and what is to be done. */
  readonly agent: MemberTask;
  /** How many iterations there are. */
  readonly count?: number;
  /** No iteration begins later than this, in running time. */
  readonly durationMs?: number;
  /** A shell command after each iteration; the series is over once it exits with 0. */
  readonly until?: string;
  /** Iterations at most. Defaults to 100 without `count`. */
  readonly maxIterations?: number;
  /** Shell commands that must exit with 0 for an iteration to have succeeded. */
  readonly verify?: readonly string[];
  /** Whether each iteration that succeeds is committed. Defaults to false. */
  readonly enableGitCommits?: boolean;
  /** Commits also where there are changes of the user's, which stay. Defaults to false. */
  readonly allowDirty?: boolean;
  /** Whether iterations that fail are committed, too. Defaults to false. */
  readonly commitFailed?: boolean;
  /** Whether an iteration is told of those before it. Defaults to true. */
  readonly enableContextPassing?: boolean;
  /** What iterations after the first are asked for. Plain text. Defaults to the task. */
  readonly continuationPrompt?: string;
  /** What sums an iteration up: its own words (default), or the files that it changed. */
  readonly summarizer?: "done" | "files";
  /** Who sums iterations up instead, in a turn of its own after each that succeeded. */
  readonly summaryAgent?: Omit<MemberTask, "task">;
  /** A plan that every iteration is told. */
  readonly planContent?: string;
  /** Running time of the whole series in ms. Defaults to none with `durationMs`, else to 10 minutes for each iteration. */
  readonly timeoutMs?: number;
}

/**
 * One task again and again, each time by a fresh agent that is told what the ones before it did. Its `result` rejects with WORKFLOW_ROLE where nothing bounds it.
 *
 * @example
 * ```ts
 * const run = iterate({
 *   agent: { name: "dev", task: "Make the tests pass", cli: "claude" },
 *   until: "npm test",
 *   enableGitCommits: true,
 * });
 * const { stopReason } = await readIterativeResult(await run.result);
 * console.log(stopReason);
 * ```
 */
export function iterate(options: IterateOptions): WorkflowRun {
  checkOptions("iterate", ITERATE, options);
  assertPrograms("iterate", [options.agent, options.summaryAgent ?? {}]);
  const { agent, summaryAgent } = options;
  const [name = "worker"] = namesOfMembers([agent], "worker");
  const sketch = {
    pattern: "iterate",
    members: [
      { task: agent, name },
      ...(summaryAgent === undefined
        ? []
        : [{ task: { ...summaryAgent, task: "" }, name: summaryAgent.name ?? "summarizer" }]),
    ],
    block: blockOf(options),
    goal: undefined,
  };
  const { definition: built, functions } = buildTalk(sketch, options);
  const { timeoutMs: usualMs, ...untimed } = built;
  return beginPrepared(options, async () => {
    const { seriesFaults, seriesTimeoutMs } = await import(
      "../programs/iterate/series-settings.ts"
    );
    const isUsual = options.timeoutMs === undefined && usualMs !== undefined;
    const timeoutMs = isUsual ? seriesTimeoutMs(built.options, usualMs) : usualMs;
    const definition = { ...untimed, ...present({ timeoutMs }) };
    const [fault] = seriesFaults(definition);
    if (fault !== undefined) throw roleUnfit({ problem: fault.problem, hint: fault.hint ?? "" });
    return { definition, start: { functions } };
  }).run;
}

const ITERATE: OptionTable<IterateOptions> = {
  ...TALK_OPTIONS,
  ...{ agent: required(ONE_MEMBER), summaryAgent: optionsOf(TASKLESS_MEMBER) },
  ...{ count: NUMBER, durationMs: AMOUNT, until: TEXT, maxIterations: NUMBER },
  ...{ verify: listOf(TEXT), enableGitCommits: FLAG, allowDirty: FLAG, commitFailed: FLAG },
  ...{ enableContextPassing: FLAG, continuationPrompt: TEXT, planContent: TEXT },
  summarizer: oneOf("done", "files"),
};

function blockOf(options: IterateOptions) {
  const { count, durationMs, until, maxIterations, verify } = options;
  const summarizer = options.summaryAgent === undefined ? options.summarizer : "model";
  const { enableGitCommits: commit, enableContextPassing: context } = options;
  const { allowDirty, commitFailed, continuationPrompt, planContent } = options;
  return present({
    ...{ count, until, maxIterations, summarizer, commit, allowDirty, commitFailed, context },
    duration: durationMs === undefined ? undefined : `${durationMs}ms`,
    verify: verify?.map((command) => ({ command: escapeTemplate(command) })),
    continuation: continuationPrompt === undefined ? undefined : escapeTemplate(continuationPrompt),
    // With a space at its end it is no path.
    plan: planContent === undefined ? undefined : `${planContent} `,
  });
}

/** What a series came to, from the result of its run. */
export async function readIterativeResult(
  result: Pick<WorkflowResult, "metadata">,
): Promise<IterativeResult> {
  assertArgument(["readIterativeResult", "result"], OBJECT, result);
  assertArgument(["readIterativeResult", "result.metadata"], OBJECT, result.metadata);
  const { metadata } = result;
  const { readResult } = await import("../programs/iterate/iteration-record.ts");
  return readResult(metadata);
}
