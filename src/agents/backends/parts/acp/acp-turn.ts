import { methods } from "@agentclientprotocol/sdk";
import type { Usage } from "../../../../contracts/usage.ts";
import { rejectOnAbort } from "../../../../foundation/abort.ts";
import { startAwakeTimer } from "../../../../foundation/awake-timer.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import { isRecord } from "../../../../foundation/json.ts";
import { toProviderError } from "../provider-error.ts";
import type { TerminalUpdate, TurnWork } from "../turn-gate.ts";
import type { AcpDialect } from "./acp-launch.ts";
import type { AcpProgram } from "./acp-program.ts";
import { replyUsage, stopReasonOf } from "./read-reply.ts";
import type { UpdateReader } from "./update-reader.ts";

/** One turn of a session. */
export interface AcpTurn {
  readonly work: TurnWork;
  readonly reader: UpdateReader;
  /** What a person said with denials, and the program was not told yet. */
  readonly notes: string[];
}

/** Where a turn is carried out. */
export interface TurnPlace {
  readonly program: AcpProgram;
  readonly sessionId: string;
  readonly dialect: AcpDialect;
  readonly clock: Clock;
  /** What the session had cost before the turn; undefined when it is not known. */
  readonly costBeforeUsd: number | undefined;
}

type Reply = { readonly [name: string]: unknown };

// A program that has not said that it stopped by then is ended.
const CANCEL_MS = 2000;
const ACTIVITY_MS = 1000;

/**
 * Carries out a turn: asks the program, and asks again with what a person said with a denial, until there is
 * nothing more to say. Tells what it used, also when it fails. Rejects with RequestError, with the signal's
 * reason, or with anything else when the program ends.
 */
export async function carryOutTurn(
  turn: AcpTurn,
  place: TurnPlace,
  text: string,
): Promise<TerminalUpdate> {
  const { dialect, sessionId } = place;
  const before = dialect.sessionUsage?.(sessionId);
  try {
    return await promptUntilDone(turn, place, text);
  } finally {
    if (dialect.sessionUsage === undefined) emitCost(turn, place);
    else emitGrowth(turn, before, dialect.sessionUsage(sessionId));
  }
}

async function promptUntilDone(
  turn: AcpTurn,
  place: TurnPlace,
  text: string,
): Promise<TerminalUpdate> {
  const { work, reader, notes } = turn;
  const { usageOf = replyUsage, sessionUsage } = place.dialect;
  let hasUsage = false;
  for (let next = text; ; next = notes.splice(0).join("\n")) {
    const reply = await promptOnce(turn, place, next);
    const usage = usageOf(reply);
    if (Object.values(usage).some((count) => count > 0)) {
      hasUsage = true;
      if (sessionUsage === undefined) work.emit({ type: "usage", usage });
    }
    const reason = stopReasonOf(reply);
    if (reason === "end_turn" && notes.length > 0) continue;
    if (reason === "end_turn" && reader.isEmpty && !hasUsage) throw silentEnd(work.request.agent);
    return { type: "stop", reason, text: reader.text };
  }
}

async function promptOnce(
  { work, reader }: AcpTurn,
  { program, sessionId, clock }: TurnPlace,
  text: string,
): Promise<Reply> {
  const { agent, process } = program;
  const prompt = [{ type: "text" as const, text }];
  const answer = agent.request(methods.agent.session.prompt, { sessionId, prompt });
  const aborted = rejectOnAbort(work.signal);
  try {
    const reply: unknown = await Promise.race([answer, aborted.promise]);
    return isRecord(reply) ? reply : {};
  } catch (error) {
    if (!work.signal.aborted) throw error;
    await agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
    const hasStopped = await settlesWithin(answer, CANCEL_MS, clock);
    // What a tool had begun may go on without its tool.
    if (!hasStopped || reader.hasOpenCall) await process.end();
    throw error;
  } finally {
    aborted.stop();
  }
}

/** Programs tell what the whole session has cost. */
function emitCost({ work, reader }: AcpTurn, { costBeforeUsd }: TurnPlace): void {
  const { sessionCostUsd } = reader;
  if (sessionCostUsd === undefined || costBeforeUsd === undefined) return;
  const costUsd = sessionCostUsd - costBeforeUsd;
  // Zero is what programs say that know no price.
  if (costUsd > 0) work.emit({ type: "usage", usage: { costUsd } });
}

/** What the session has used since; as with costs, zero is no news. */
function emitGrowth({ work }: AcpTurn, before: Usage | undefined, after: Usage | undefined): void {
  if (before === undefined || after === undefined) return;
  const grown = (key: keyof Usage) => Math.max(0, (after[key] ?? 0) - (before[key] ?? 0));
  const [inputTokens, outputTokens] = [grown("inputTokens"), grown("outputTokens")];
  if (inputTokens + outputTokens > 0) {
    const cachedTokens = grown("cachedTokens");
    work.emit({ type: "usage", usage: { inputTokens, outputTokens, cachedTokens } });
  }
  if (grown("costUsd") > 0) work.emit({ type: "usage", usage: { costUsd: grown("costUsd") } });
}

/** Some programs take a failure of their model for the end of the turn. */
function silentEnd(agent: string): Error {
  const problem = "its program ended the turn without a word, a tool call or any use of the model";
  return toProviderError({ agent, problem });
}

/** Resolves with whether a promise settles in time, either way. */
export async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  clock: Clock,
): Promise<boolean> {
  const { promise: elapsed, resolve } = Promise.withResolvers<false>();
  const timer = startAwakeTimer(clock, limitMs, () => resolve(false));
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, elapsed]);
  } finally {
    timer.cancel();
  }
}

/** The work of a turn that tells of mere activity at most once a second. */
export function withCalmActivity(work: TurnWork, clock: Clock): TurnWork {
  let quietUntilMs = 0;
  return {
    ...work,
    emit: (update) => {
      if (update.type === "activity") {
        const nowMs = clock.monotonic();
        if (nowMs < quietUntilMs) return;
        quietUntilMs = nowMs + ACTIVITY_MS;
      }
      work.emit(update);
    },
  };
}
