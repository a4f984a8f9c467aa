import type { Machine } from "../../app/machine/machine.ts";
import { seriesFile } from "../../app/workflow/single-agent.ts";
import { isDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import { readCount } from "../command/read-count.ts";
import type { seriesInputOptions } from "../commands/parts/run-input.ts";
import { isCondition } from "./find-workflow.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { readInput } from "./read-input.ts";
import { assertArgv } from "./run-operands.ts";

type SeriesInput = OptionValues<typeof seriesInputOptions>;

/** The series that a command line of `iter` means; undefined: what is wrong was told. Raises USAGE_INVALID, BACKEND_UNKNOWN. */
export async function prepareSeries(
  machine: Machine,
  invocation: Invocation<SeriesInput>,
): Promise<PreparedRun | undefined> {
  const { args, rest, options } = invocation;
  const { agent: backend, model, maxRetries, turnTimeout, continuation, verify } = options;
  const { worktree } = options;
  assertSummary(options);
  const { bound, task } = readOperands(args.slice(0, args.length - rest.length), options);
  if (backend !== undefined) assertArgv(backend, rest);
  else if (rest.length > 0)
    throw usageInvalid({
      problem: "a program after -- belongs to --agent command",
      hint: 'troupe iter 3 "TASK" --agent command -- ./improve.sh',
    });
  const workflow = await seriesFile(machine, {
    agent: { backend, argv: rest },
    ...{ model, bound, turnTimeout, continuation, verify, worktree },
    summary: summaryOf(options),
    settings: { ...settingsOf(options), ...(await planOf(options, invocation)) },
    maxRetries: maxRetries === undefined ? undefined : readCount(maxRetries, "--max-retries"),
  });
  return prepareRun(machine, invocation, { asked: { workflow, task } });
}

function readOperands(
  operands: readonly string[],
  { until, taskFile }: SeriesInput,
): { readonly bound: object; readonly task: string | undefined } {
  const [first, ...others] = operands;
  const isGiven = first !== undefined && isCondition(first);
  const [task, ...more] = isGiven ? others : operands;
  if (!isGiven && until === undefined) throw noCondition(first);
  if (more.length > 0)
    throw usageInvalid({
      problem: `too many arguments for 'iter': ${more.map((text) => JSON.stringify(text)).join(" ")}`,
      hint: "put the task into quotes; troupe help iter shows what it takes",
    });
  if (task === undefined && taskFile === undefined)
    throw usageInvalid({
      problem: "nothing says what is to be done",
      hint: 'write it after the condition: troupe iter 5 "improve the tests"',
    });
  if (!isGiven) return { bound: {}, task };
  return { bound: isDuration(first) ? { duration: first } : { count: Number(first) }, task };
}

/** Raises USAGE_INVALID. */
function assertSummary({ agent, summarizer, summaryModel }: SeriesInput): void {
  if (summaryModel !== undefined && summarizer !== "model")
    throw usageInvalid({
      problem: "--summary-model names who sums up, and nobody is asked to",
      hint: "add --summarizer model",
    });
  if (summarizer === "model" && summaryModel === undefined && agent === "command")
    throw usageInvalid({
      problem: "a command does not sum iterations up",
      hint: "name a model: --summarizer model --summary-model anthropic/claude-haiku-4-5",
    });
}

/** A model of its own, else one more of what the agent is. */
function summaryOf({ agent, model, summarizer, summaryModel }: SeriesInput) {
  if (summarizer !== "model") return undefined;
  return summaryModel === undefined
    ? { backend: agent, model }
    : { backend: "model", model: summaryModel };
}

function noCondition(first: string | undefined) {
  const looksLikeOne = first !== undefined && /^[-+]?\d[\w.]*$/.test(first);
  return usageInvalid({
    problem: looksLikeOne
      ? `"${first}" is no number of iterations and no time`
      : "nothing says how often or how long",
    hint: 'write 5, 30m or 2h before the task, or --until "npm test"',
  });
}

/** The text of the plan; with a space at its end it is no path. Raises FILE_* errors. */
async function planOf({ plan }: SeriesInput, invocation: Invocation): Promise<object> {
  return plan === undefined ? {} : { plan: `${await readInput(plan, invocation)} ` };
}

function settingsOf(options: SeriesInput): object {
  const { until, maxIterations: most, summarizer } = options;
  const { commit, allowDirty, commitFailed, context } = options;
  const maxIterations = most === undefined ? undefined : readCount(most, "--max-iterations", 1);
  return present({
    ...{ until, summarizer, maxIterations, commit, allowDirty, commitFailed, context },
  });
}
