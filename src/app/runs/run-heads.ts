import { z } from "zod";
import { BUDGET_METERS } from "../../contracts/budget.ts";
import type { LeaseHolder, RunStore } from "../../contracts/ports/store.ts";
import { OUTCOMES, RUN_STATUSES, type RunStatus, WAITING_KINDS } from "../../contracts/run.ts";
import type { RunHead } from "../../fold/head.ts";
import { TroupeError } from "../../foundation/errors.ts";

const meterUse = z.object({ limit: z.number(), spent: z.number(), reserved: z.number() });

const runHead: z.ZodType<RunHead> = z.object({
  v: z.literal(1),
  run: z.string(),
  workflow: z.string(),
  instance: z.string(),
  state: z.enum(RUN_STATUSES),
  outcome: z.enum(OUTCOMES).nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  steps: z.object({ done: z.number(), total: z.number() }),
  agents: z.number(),
  costUsd: z.number().nullable(),
  estimatedUsd: z.number().exactOptional(),
  unpricedTurns: z.number().exactOptional(),
  budget: z.partialRecord(z.enum(BUDGET_METERS), meterUse).exactOptional(),
  needs: z.number(),
  waitingFor: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(WAITING_KINDS),
      text: z.string(),
      step: z.string().nullable(),
      agent: z.string().nullable(),
      run: z.string().exactOptional(),
    }),
  ),
  task: z.string().nullable(),
  cwd: z.string(),
  resumable: z.boolean(),
  exitCode: z.number().nullable(),
  durationMs: z.number(),
  lastSeq: z.number(),
  lastAt: z.string(),
  parent: z.string().nullable(),
  forkedFrom: z.object({ run: z.string(), seq: z.number() }).exactOptional(),
  schedule: z.object({ name: z.string(), due: z.string() }).exactOptional(),
});

/** A run in a listing. */
export interface RunListing extends RunHead {
  /** The process that carries it out, if one does. */
  readonly owner: LeaseHolder | undefined;
  /** Why it is not this user's own (SEC-2); null for one that is. A foreign run waits for nobody and has no owner. */
  readonly foreign: string | null;
}

/** The stored summary of a run; undefined when it has none yet or cannot be read. */
export function readHead(store: RunStore, run: string): RunHead | undefined {
  try {
    return readSummary(store, run)?.head;
  } catch (error) {
    // One run that is damaged or being removed must not hide the others (I9).
    if (error instanceof TroupeError && /^(STORE_|RUN_NOT_FOUND$)/.test(error.code))
      return undefined;
    throw error;
  }
}

/** The summary of a run with its owner; a run whose owner is gone is not running, whatever its last event says. */
export function readListing(
  store: RunStore,
  run: string,
  isGone: (holder: LeaseHolder) => boolean,
): RunListing | undefined {
  const summary = readSummary(store, run);
  if (summary === undefined) return undefined;
  const { head, holder, foreign } = summary;
  // What somebody else's journal says of a process, or asks of a person, is not to be acted on.
  if (foreign !== null) {
    const state = truthfulState(head.state, undefined);
    return { ...head, needs: 0, waitingFor: [], owner: undefined, state, foreign };
  }
  const owner = holder === undefined || isGone(holder) ? undefined : holder;
  return { ...head, owner, state: truthfulState(head.state, owner), foreign };
}

/** A summary from where it is stored; undefined when it is none of this version. */
export function parseHead(value: unknown): RunHead | undefined {
  const parsed = runHead.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** What a run is called that `owner` carries out: one that nobody carries out is not running. */
export function truthfulState(state: RunStatus, owner: LeaseHolder | undefined): RunStatus {
  if (owner !== undefined) return state;
  return state === "running" ? "suspended" : state;
}

function readSummary(
  store: RunStore,
  run: string,
):
  | {
      readonly head: RunHead;
      readonly holder: LeaseHolder | undefined;
      readonly foreign: string | null;
    }
  | undefined {
  const journal = store.open(run, "read");
  try {
    const head = parseHead(journal.head());
    if (head === undefined) return undefined;
    // The name of its directory is the id of a run, also of one that was copied.
    const foreign = journal.foreign() ?? null;
    return { head: { ...head, run }, holder: journal.leaseHolder(), foreign };
  } finally {
    journal.close();
  }
}
