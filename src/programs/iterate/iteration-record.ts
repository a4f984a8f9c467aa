import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";

/** Why a series of iterations was over. */
export const STOP_REASONS = [
  "count",
  "duration",
  "until",
  "cap",
  "failing",
  "cancelled",
  "limit",
] as const;

/** Why a series of iterations was over. */
export type SeriesStop = (typeof STOP_REASONS)[number];

const record = z.strictObject({
  iteration: z.int(),
  commitId: z.string().nullable(),
  changedFiles: z.array(z.string()).readonly(),
  moreFiles: z.int().exactOptional(),
  uncommitted: z.array(z.string()).readonly().exactOptional(),
  summary: z.string(),
  success: z.boolean(),
  report: z.string().exactOptional(),
  timestamp: z.string(),
  tokensUsed: z.number().nullable(),
});

/** What an iteration came to. */
export interface IterationRecord {
  /** From 0. */
  readonly iteration: number;
  /** Id of its commit; null when it made none. */
  readonly commitId: string | null;
  /** Files that changed while it worked, the first 500. */
  readonly changedFiles: readonly string[];
  /** Files beyond these. Absent: none. */
  readonly moreFiles?: number;
  /** Files that its commit could not hold without somebody else's changes. Absent: none. */
  readonly uncommitted?: readonly string[];
  /** What it did, or why it failed, at most 500 characters. */
  readonly summary: string;
  readonly success: boolean;
  /** Report of the program or check that failed, for the next iteration. Absent: there is none, or its run has none. */
  readonly report?: string;
  /** When it ended, ISO 8601. */
  readonly timestamp: string;
  /** Null when its backend does not tell. */
  readonly tokensUsed: number | null;
}

/** What a series of iterations came to. */
export interface IterativeResult {
  readonly iterationsAttempted: number;
  readonly iterationsSucceeded: number;
  readonly iterationsFailed: number;
  /** Null while the series is not over. */
  readonly stopReason: SeriesStop | null;
  readonly elapsedSeconds: number;
  /** Null when no backend tells. */
  readonly totalTokens: number | null;
  readonly records: readonly IterationRecord[];
}

/** A record as journals hold it. */
export function readRecord(value: Json): IterationRecord {
  return record.parse(value);
}

const series = z.object({
  iterationsAttempted: z.int(),
  iterationsSucceeded: z.int(),
  iterationsFailed: z.int(),
  stopReason: z.enum(STOP_REASONS).nullable(),
  elapsedSeconds: z.number(),
  totalTokens: z.number().nullable(),
  records: z.array(record).readonly(),
});

/** The result of a series, from the metadata of its run. */
export function readResult(metadata: { readonly [key: string]: Json }): IterativeResult {
  return series.parse(metadata);
}

const progress = z.object({ elapsedMs: z.number() });
const stopped = z.object({ reason: z.enum(STOP_REASONS) });

/** What a series came to, from the moves that it has noted so far. */
export function seriesResult(advances: readonly PatternAdvance[]): IterativeResult {
  const of = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const records = of("iteration-completed").map(readRecord);
  const last = of("iteration").at(-1);
  const end = of("series-over").at(-1);
  const succeeded = records.filter(({ success }) => success).length;
  return {
    iterationsAttempted: records.length,
    iterationsSucceeded: succeeded,
    iterationsFailed: records.length - succeeded,
    stopReason: end === undefined ? null : stopped.parse(end).reason,
    elapsedSeconds: last === undefined ? 0 : Math.round(progress.parse(last).elapsedMs / 1000),
    totalTokens: sumOf(records),
    records,
  };
}

function sumOf(records: readonly IterationRecord[]): number | null {
  const known = records.flatMap(({ tokensUsed }) => (tokensUsed === null ? [] : [tokensUsed]));
  return known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0);
}
