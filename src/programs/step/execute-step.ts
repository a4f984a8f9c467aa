import type { CompletionReason } from "../../contracts/agent.ts";
import type { StepCompleted } from "../../contracts/events/note-events.ts";
import type { ReusableStep, RevisedStep } from "../../contracts/events/reuse.ts";
import { keptFailure, withoutFailure } from "../../contracts/failure.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { CommandEnd } from "../../contracts/step-facts.ts";
import { elapsedMs } from "../../foundation/duration.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";

// Owns one step, whatever the style of the workflow: its condition, what an earlier run made of it, its tries with
// backoff, and the note of every move. The style says what an attempt is and what a result is to others.

/** Which execution of which step a note is about. */
export interface ExecutionPlace {
  readonly step: string;
  /** Its place in the workflow: `review`, `all-files[3]/check`. */
  readonly path: string;
  /** From 1 per path. */
  readonly execution: number;
}

/** What went wrong before, for whoever tries next. */
export interface FailedTry {
  readonly error: ErrorReport;
  readonly output: string;
}

/** What an attempt came to that did the step. */
export interface StepWork {
  readonly output: string;
  readonly outputTruncated: boolean;
  readonly reason: CompletionReason;
  /** Who did it, when that is another than the one who tried. */
  readonly agent: string | undefined;
  /** What its event says besides. */
  readonly recorded: Pick<StepCompleted, "text" | "outcome" | "data" | "command">;
}

/** What one attempt came to; `done` is what its style knows of it besides. */
export type Attempted<Done> =
  | { readonly status: "completed"; readonly work: StepWork; readonly done: Done }
  | FailedAttempt<Done>;

interface FailedAttempt<Done> extends FailedTry {
  readonly status: "failed";
  /** What its event keeps. */
  readonly data?: Json;
  /** How its command ended, for those after it. */
  readonly command?: CommandEnd;
  /** Whether the output is what an agent said; what a program printed is in its failure. */
  readonly isSaid?: true;
  readonly done?: Done;
}

/** One step, ready to be carried out. */
export interface StepCase<Done> {
  /** The door of whoever asks for it. */
  readonly door: Context;
  readonly place: ExecutionPlace;
  /** What people know it by, where it is one of many. */
  readonly label?: string;
  readonly when: string | undefined;
  readonly tries: StepTries;
  /** Raises EXPRESSION_* errors. Not a promise where nothing has to be waited for. */
  readonly holds: (condition: string) => boolean | Promise<boolean>;
  /** Brings together what the step is given; resolves with its hash. Not a promise where nothing has to be waited for. */
  readonly prepare: () => string | Promise<string>;
  /** What an earlier run made of the same. */
  readonly reusable: (inputHash: string) => ReusableStep | undefined;
  /** What has to be done once before the first attempt. */
  readonly begin?: () => Promise<void>;
  /** Rejects on cancellation; any other rejection fails the step for good. */
  readonly attempt: (now: StepTry, before: FailedTry | undefined) => Promise<Attempted<Done>>;
}

interface Started<Done> extends StepCase<Done> {
  readonly startedAt: number;
}

interface Timed {
  /** In ms since the epoch, as all times of the context. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly durationMs: number;
}

/** How a step ended. `revised` is what a fork puts in place of what it came to. */
export type StepEnd<Done> =
  | ({ readonly status: "skipped"; readonly reason: string } & Timed)
  | ({
      readonly status: "reused";
      readonly reused: ReusableStep;
      readonly revised: RevisedStep | undefined;
    } & Timed)
  | ({
      readonly status: "completed";
      readonly now: StepTry;
      readonly work: StepWork;
      readonly done: Done;
      readonly revised: RevisedStep | undefined;
    } & Timed)
  | (FailedAttempt<Done> & { readonly now: StepTry } & Timed);

/** Carries a step out. Resolves with how it ended, also when it failed; rejects only when it is cancelled. */
export async function executeStep<Done>(step: StepCase<Done>): Promise<StepEnd<Done>> {
  const { door, place, when, tries } = step;
  const started = { ...step, startedAt: door.now() };
  try {
    if (when !== undefined) {
      const found = step.holds(when);
      // Waiting for what is there already would change the order in which steps ask for things.
      const holds = typeof found === "boolean" ? found : await found;
      if (!holds) return skip(started, `when: ${when}`);
    }
    return await tryStep(started);
  } catch (error) {
    const report = toErrorReport(error);
    if (report.code !== "ENGINE_CANCELLED")
      return fail(started, firstTry(tries), {
        status: "failed",
        error: report,
        output: "",
      });
    door.note({ type: "step-cancelled", ...place, reason: report.message });
    throw error;
  }
}

async function tryStep<Done>(step: Started<Done>): Promise<StepEnd<Done>> {
  const { door, place, tries } = step;
  const prepared = step.prepare();
  // Waiting for what is there would let others go first.
  const inputHash = typeof prepared === "string" ? prepared : await prepared;
  const reused = step.reusable(inputHash);
  if (reused !== undefined) return reuse(step, reused);
  if (step.begin !== undefined) await step.begin();
  let now = firstTry(tries);
  let before: FailedTry | undefined;
  for (;;) {
    const { attempt } = now;
    const known = { ...agentOf(now), ...present({ label: step.label }) };
    door.note({ type: "step-started", ...place, attempt, ...known, inputHash });
    const result = await step.attempt(now, before);
    if (result.status === "completed") return complete(step, now, result);
    const { error, output } = result;
    const next = nextTry(tries, now, error);
    if (next === undefined) return fail(step, now, result);
    const { delayMs } = next;
    door.note({
      type: "step-retrying",
      ...place,
      attempt,
      error: withoutFailure(error),
      delayMs,
      ...agentOf(next),
    });
    if (delayMs > 0) await door.sleep(delayMs);
    before = { error, output };
    now = next;
  }
}

function skip({ door, place, startedAt }: Started<unknown>, reason: string): StepEnd<never> {
  door.note({ type: "step-skipped", ...place, reason });
  return { status: "skipped", reason, ...since(door, startedAt) };
}

/** What an earlier run came to with the same input (ENG-15). */
function reuse({ door, place, startedAt }: Started<unknown>, reused: ReusableStep): StepEnd<never> {
  door.note({ type: "step-completed", ...place, ...reused });
  return { status: "reused", reused, revised: door.revised(place), ...since(door, startedAt) };
}

function complete<Done>(
  { door, place, startedAt }: Started<Done>,
  now: StepTry,
  attempted: Extract<Attempted<Done>, { status: "completed" }>,
): StepEnd<Done> {
  const { output, outputTruncated, reason, agent = now.agent, recorded } = attempted.work;
  const { text, ...others } = recorded;
  const time = since(door, startedAt);
  door.note({
    type: "step-completed",
    ...place,
    attempt: now.attempt,
    output,
    ...(outputTruncated ? { outputTruncated } : {}),
    ...(text === undefined ? {} : { text }),
    reason,
    durationMs: time.durationMs,
    ...agentOf({ agent }),
    ...others,
  });
  return { ...attempted, now, revised: door.revised(place), ...time };
}

function fail<Done>(
  { door, place, startedAt }: Started<Done>,
  now: StepTry,
  failed: FailedAttempt<Done>,
): StepEnd<Done> {
  const time = since(door, startedAt);
  const { durationMs } = time;
  const { error, data, output, isSaid = false } = failed;
  const kept = {
    ...present({ data }),
    ...keptFailure(error),
    ...(isSaid && output !== "" ? { said: output } : {}),
  };
  const { attempt } = now;
  door.note({
    type: "step-failed",
    ...place,
    attempt,
    error: withoutFailure(error),
    durationMs,
    ...agentOf(now),
    ...kept,
  });
  return { ...failed, now, ...time };
}

function since(door: Context, startedAt: number): Timed {
  const endedAt = door.now();
  return { startedAt, endedAt, durationMs: elapsedMs(startedAt, endedAt) };
}

function agentOf({ agent }: { readonly agent: string | undefined }): { readonly agent?: string } {
  return agent === undefined ? {} : { agent };
}

/** Who may try a step, and how often. */
export interface StepTries {
  /** Undefined for a step that belongs to no agent. */
  readonly agent: string | undefined;
  readonly maxAttempts: number;
  /** Doubles with every attempt, up to five minutes. */
  readonly retryDelayMs: number;
  /** Agents that try once each when its own has given up, in this order; the last is who it is escalated to. */
  readonly others: readonly string[];
}

/** One try of a step. */
export interface StepTry {
  readonly agent: string | undefined;
  /** From 1, whoever tries. */
  readonly attempt: number;
  /** Wait before, in ms. */
  readonly delayMs: number;
}

const MAX_RETRY_DELAY_MS = 300_000;

/** The first try of a step. */
function firstTry({ agent }: StepTries): StepTry {
  return { agent, attempt: 1, delayMs: 0 };
}

/** Who tries after a failure, or undefined when nobody is left. */
export function nextTry(
  { agent, maxAttempts, retryDelayMs, others }: StepTries,
  failed: StepTry,
  { retryable }: ErrorReport,
): StepTry | undefined {
  const attempt = failed.attempt + 1;
  const isOwn = failed.agent === agent;
  if (isOwn && retryable === true && failed.attempt < maxAttempts) {
    // No jitter: the agents of one run do not storm anything together.
    const delayMs = Math.min(MAX_RETRY_DELAY_MS, retryDelayMs * 2 ** (failed.attempt - 1));
    return { agent, attempt, delayMs };
  }
  // Each tries once, however often it is named; after its own agent, none of them has.
  const left = [...new Set<string | undefined>(others)].filter((other) => other !== agent);
  const other = left[left.indexOf(failed.agent) + 1];
  return other === undefined ? undefined : { agent: other, attempt, delayMs: 0 };
}
