import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { canonicalJson, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { type FilledText, plainText } from "../language/templates/filled-text.ts";
import { type ConventionTemplate, renderConvention } from "../patterns/conventions/convention.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";
import { placeOf } from "../primitives/execute-pattern-step.ts";
import { attemptStep, markerOf, type StepByAgent } from "../primitives/step-attempt.ts";
import { checkScope, fillTask, type VariableSources } from "../primitives/step-variables.ts";
import type { Team } from "../primitives/team.ts";
import {
  type Attempted,
  type ExecutionPlace,
  executeStep,
  type FailedTry,
  nextTry,
  type StepEnd,
  type StepTries,
  type StepTry,
} from "../step/execute-step.ts";
import { beginChecks, type StepChecks } from "../step/step-checks.ts";
import { concludeIteration, readKept, tokensSince, withKept } from "./conclude-iteration.ts";
import { type FailedCheck, iterationPrompt } from "./iteration-prompt.ts";
import type { IterationRecord } from "./iteration-record.ts";
import { cutSummary } from "./iteration-summary.ts";
import type { SeriesGit } from "./series-git.ts";
import type { SeriesSettings } from "./series-settings.ts";

/** What all iterations of a series share. */
export interface Series {
  readonly definition: PatternDefinition;
  readonly settings: SeriesSettings;
  readonly team: Team;
  readonly git: SeriesGit;
  /** The text of the plan, if there is one. */
  readonly plan: string | undefined;
}

/** An iteration that is to be carried out. */
export interface IterationCall {
  /** From 0. */
  readonly iteration: number;
  /** What bounds the series, for people. */
  readonly bound: string;
  readonly earlier: readonly IterationRecord[];
  /** Id of the last commit of those before it, where they were taken over from an earlier run. */
  readonly standsAt: string | undefined;
  /**
   * Why the series goes on. It follows from what earlier iterations left, so it is not in the hash of what decides on this
   * one: no check is run after an iteration that was taken over.
   */
  readonly check?: FailedCheck;
}

/** How an iteration ended. */
export interface IterationEnd {
  readonly record: IterationRecord;
  readonly output: string;
  readonly error: ErrorReport | undefined;
  /** Whether it was taken over from an earlier run. */
  readonly isReused: boolean;
  /** Whether it could not even begin. */
  readonly isRefused: boolean;
}

const iterationConvention: ConventionTemplate<Pick<IterationCall, "iteration" | "bound">> = {
  name: "iterate/iteration",
  place: ({ iteration, bound }) =>
    `The task is worked on in iterations, each by a fresh agent that remembers nothing of the others. This is iteration ${iteration} of ${bound}, counted from 0.`,
  result: () => "what you did and what should come next, in a sentence or two",
  rules: () => ["Go on from the files as they are: the work of earlier iterations is in them."],
  data: () => [],
};

/** An iteration that is under way. */
interface Underway {
  readonly branch: Context;
  readonly series: Series;
  readonly call: IterationCall;
  readonly sources: VariableSources;
  readonly step: StepByAgent;
  readonly tries: StepTries;
  readonly place: ExecutionPlace;
  readonly task: FilledText;
  readonly asked: FilledText;
  readonly turns: ReturnType<Context["subscribe"]>;
}

/**
 * Carries an iteration out: a step with attempts and checks, then what it changed and its commit. Resolves also when it
 * failed; rejects only when it is cancelled.
 */
export async function runIteration(
  branch: Context,
  series: Series,
  call: IterationCall,
): Promise<IterationEnd> {
  const now = await prepare(branch, series, call);
  const { place, tries, step } = now;
  let checks: StepChecks | undefined;
  const end = await executeStep<undefined>({
    ...{ door: branch, place, when: undefined, tries, holds: () => true },
    prepare: () => hashOf(now),
    reusable: (inputHash) => branch.reusable({ ...place, inputHash }),
    begin: async () => {
      await series.git.look(branch, call);
      const place = series.team.place(step.agent);
      const checked = { step: step.id, checks: step.verify, place };
      checks = await beginChecks(checkScope(now.sources), checked);
    },
    attempt: (tried, before) => {
      if (checks === undefined) throw new Error("an iteration began without its checks");
      return attempt(now, { tried, before, checks });
    },
  });
  return endOf(end, now);
}

async function prepare(branch: Context, series: Series, call: IterationCall): Promise<Underway> {
  const { definition, settings } = series;
  const { agent, verify, continuation } = settings;
  const { maxAttempts = 1, retryDelayMs = 0, timeoutMs } = definition.turns ?? {};
  const work = { place: series.team.place(agent.id), builtOn: [] };
  const sources: VariableSources = { context: branch, definition, results: new Map(), work };
  const { told: task } = await fillTask(sources, agent.task);
  const isContinued = call.iteration > 0 && continuation !== undefined;
  const { told: asked } = isContinued ? await fillTask(sources, continuation) : { told: task };
  return {
    ...{ branch, series, call, sources, task, asked },
    step: {
      ...{ id: "iteration", agent: agent.id, dependsOn: [], fallback: [] },
      ...{ maxAttempts, retryDelayMs, verify, ...present({ timeoutMs }) },
    },
    tries: { agent: agent.id, maxAttempts, retryDelayMs, others: [] },
    place: { ...placeOf(definition, `iteration[${call.iteration}]`, 1), step: "iteration" },
    turns: branch.subscribe({ kinds: ["turn-ended"], from: [agent.id] }),
  };
}

interface Trying {
  readonly tried: StepTry;
  readonly before: FailedTry | undefined;
  readonly checks: StepChecks;
}

/** One attempt; after the last one, what the iteration came to. */
async function attempt(now: Underway, trying: Trying): Promise<Attempted<undefined>> {
  const { branch, series, call, tries, turns } = now;
  const attempted = await takeTurn(now, trying);
  const isTriedAgain =
    attempted.status === "failed" && nextTry(tries, trying.tried, attempted.error) !== undefined;
  if (isTriedAgain) return attempted;
  const tokensUsed = await tokensSince(branch, turns);
  const work = { iteration: call.iteration, attempted, tokensUsed };
  const record = await concludeIteration(branch, series, work);
  return withKept(attempted, { record, base: series.git.baseCommit });
}

function takeTurn(now: Underway, { tried, before, checks }: Trying): Promise<Attempted<undefined>> {
  const { series, call, sources, step, place, task, asked } = now;
  const { team, git, plan, settings } = series;
  const { agent } = step;
  const { tellsEarlier } = settings;
  const told = { ...call, baseCommit: git.baseCommit, plan, task, asked, tellsEarlier };
  const prompt = iterationPrompt(told);
  const { path, execution } = place;
  const facts = team.facts(agent, markerOf(step, team.handle(agent)));
  return attemptStep(sources, team, {
    ...{ step, agent, before, checks },
    address: { id: step.id, path, execution, attempt: tried.attempt },
    task: plainText(prompt),
    told: markedText(prompt),
    convention: () => renderConvention(iterationConvention, { ...facts, ...call }),
  });
}

function endOf(end: StepEnd<undefined>, { branch, series, call }: Underway): IterationEnd {
  const whole = { error: undefined, isReused: false, isRefused: false };
  switch (end.status) {
    case "completed": {
      const { record } = readKept(end.work.recorded.data);
      return { ...whole, record, output: end.revised?.output ?? end.work.output };
    }
    case "reused": {
      const { record, base } = readKept(end.reused.data);
      series.git.resumeFrom(base);
      const output = end.revised?.output ?? end.reused.output;
      return { ...whole, record, output, isReused: true };
    }
    case "skipped":
      throw new Error("an iteration has no condition");
    case "failed": {
      const { error, data } = end;
      if (data !== undefined) return { ...whole, record: readKept(data).record, output: "", error };
      const record = {
        ...{ iteration: call.iteration, commitId: null, changedFiles: [], success: false },
        ...{ summary: cutSummary(error.message), tokensUsed: null },
        timestamp: toIsoTime(branch.now()),
      };
      return { ...whole, record, output: "", error, isRefused: true };
    }
  }
}

/** The hash of what decides on an iteration, without what differs from run to run: times, bounds, where it began. */
function hashOf({ series, call, task, asked }: Underway): string {
  const { agent, verify, tellsEarlier, commits, summarizer } = series.settings;
  const earlier = call.earlier.map(({ success, summary, commitId, changedFiles, report }) => ({
    ...{ success, summary, commitId, changedFiles, ...present({ report }) },
  }));
  const given = { iteration: call.iteration, task: plainText(task), asked: plainText(asked) };
  const { plan = null } = series;
  const told = { ...given, plan, agent, verify, tellsEarlier, commits, summarizer, earlier };
  return sha256(canonicalJson(toJson(told, "the input of an iteration")));
}
