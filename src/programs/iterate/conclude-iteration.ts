import { hasOneLanguage } from "../../contracts/definition-format.ts";
import { failureOf } from "../../contracts/failure.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { addUsage, tokensOf, type Usage } from "../../contracts/usage.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { isRecord, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { Attempted } from "../step/execute-step.ts";
import { type IterationRecord, readRecord } from "./iteration-record.ts";
import { cutSummary, summarize, sumUp } from "./iteration-summary.ts";
import type { SeriesGit } from "./series-git.ts";
import type { SeriesSettings } from "./series-settings.ts";

const MOST_FILES_RECORDED = 500;

/** The work of an iteration, which is over. */
export interface IterationWork {
  readonly iteration: number;
  readonly attempted: Attempted<undefined>;
  readonly tokensUsed: number | null;
}

/** What work is concluded with. */
export interface ConclusionParts {
  readonly definition: { readonly format: number };
  readonly git: SeriesGit;
  readonly settings: Pick<SeriesSettings, "summarizer" | "summaryAgent" | "commitsFailed">;
}

/** The record of an iteration, with what it changed and its commit. */
export async function concludeIteration(
  context: Context,
  { definition, git, settings }: ConclusionParts,
  { iteration, attempted, tokensUsed }: IterationWork,
): Promise<IterationRecord> {
  const success = attempted.status === "completed";
  const { summarizer, summaryAgent } = settings;
  let tokens = tokensUsed;
  const summaryOf = async (files: readonly string[]) => {
    if (!success) return cutSummary(failureSummary(definition, attempted.error));
    const { output, recorded } = attempted.work;
    const words = { output, text: recorded.text, files };
    const asked =
      summaryAgent === undefined ? undefined : await sumUp(context, summaryAgent.id, words);
    if (asked?.tokens !== undefined) tokens = (tokens ?? 0) + asked.tokens;
    return asked?.text ?? summarize(words, summarizer === "files" ? "files" : "done");
  };
  const commits = success || settings.commitsFailed;
  const changes = await git.conclude(context, { iteration, commits, summaryOf });
  const { commit: commitId, summary, files, uncommitted } = changes;
  const changedFiles = files.slice(0, MOST_FILES_RECORDED);
  const moreFiles = files.length - changedFiles.length;
  const left = uncommitted.slice(0, MOST_FILES_RECORDED);
  return {
    ...{ iteration, commitId, changedFiles },
    ...(moreFiles > 0 ? { moreFiles } : {}),
    ...(left.length > 0 ? { uncommitted: left } : {}),
    ...{ summary, success, tokensUsed: tokens },
    ...(success ? {} : present({ report: reportFor(definition, attempted.error) })),
    timestamp: toIsoTime(context.now()),
  };
}

/** The report of a failure, where the run has reports. */
function reportFor(
  definition: { readonly format: number },
  error: ErrorReport,
): string | undefined {
  return hasOneLanguage(definition) ? failureOf(error)?.report : undefined;
}

/** Reports begin with a line that says what failed; where that is an exit code alone, the error says more. */
function failureSummary(definition: { readonly format: number }, error: ErrorReport): string {
  const [headline = ""] = reportFor(definition, error)?.split("\n") ?? [];
  return headline.includes(": ") ? headline : error.message;
}

/** What a step keeps of its iteration: its record, and the commit that the series began at. */
export interface KeptIteration {
  readonly record: IterationRecord;
  readonly base: string | null;
}

/** The work with what its step keeps of it. */
export function withKept(
  attempted: Attempted<undefined>,
  kept: KeptIteration,
): Attempted<undefined> {
  const data = toJson(kept, "the record of an iteration");
  if (attempted.status === "failed") return { ...attempted, data };
  const { work } = attempted;
  return { ...attempted, work: { ...work, recorded: { ...work.recorded, data } } };
}

/** What a step has kept of its iteration. */
export function readKept(data: Json | undefined): KeptIteration {
  const { record = null, base } = isObject(data) ? data : {};
  return { record: readRecord(record), base: typeof base === "string" ? base : null };
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isRecord(value);
}

/** Tokens of the turns that ended since a subscription began; null when nobody tells. */
export async function tokensSince(
  branch: Context,
  ended: ReturnType<Context["subscribe"]>,
): Promise<number | null> {
  let sum: Usage = {};
  for (;;) {
    const event = await branch.next(ended, { timeoutMs: 0 });
    if (event === undefined) return tokensOf(sum) ?? null;
    if (event.type === "turn-completed" || event.type === "turn-failed")
      sum = addUsage(sum, event.usage ?? {});
  }
}
