import type { StopReason } from "../contracts/backend.ts";
import type { StopRequest } from "../contracts/operation.ts";
import { cancelled } from "../engine/errors.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import {
  type ErrorReport,
  fromErrorReport,
  type TroupeError,
  toErrorReport,
} from "../foundation/errors.ts";
import { isRecord } from "../foundation/json.ts";
import { findStorageFault } from "../foundation/storage-fault.ts";
import { agentResources } from "../host/system/errors.ts";
import type { GivenTexts } from "../signals/given-texts.ts";
import type { AgentRequests } from "./agent-requests.ts";
import type { BudgetStop } from "./budget/turn-allowance.ts";
import { agentGone, agentInterrupted, agentStuck, turnTimedOut, turnUnfinished } from "./errors.ts";
import type { AccountTurn } from "./governor/rate-governor.ts";
import type { HandOver } from "./health/hand-over.ts";
import type { HealthStop, StuckStop } from "./health/turn-health.ts";
import type { SessionPorts } from "./session-ports.ts";
import type { TurnCollector } from "./turn-collector.ts";
import { completeTurn } from "./turn-completion.ts";
import type { TurnJournal } from "./turn-journal.ts";
import type { PlannedTurn } from "./turn-start.ts";

/** Why a turn is told to end. `retaken`: a message interrupts, and the next turn takes the prompt again. */
export type TurnStop =
  | StopRequest
  | { readonly kind: "timed-out"; readonly timeoutMs: number }
  | {
      readonly kind: "interrupted";
      /** Whether what it had been told is not taken again: a person has cut it off. */
      readonly isForgotten?: true;
    }
  | { readonly kind: "retaken" }
  /** A person wants the agent to begin anew. */
  | { readonly kind: "restarted" }
  | HealthStop
  | BudgetStop;

/**
 * What the end of a turn means for its session. All but `settled` leave the prompt to the session: for another
 * turn (`retaken`, `restart` on a session of its own), or for the same turn, started again (`held`).
 */
export type TurnEnd =
  | { readonly status: "settled"; readonly isSessionUsable: boolean }
  | {
      readonly status: "retaken" | "held";
      readonly isSessionUsable: boolean;
      readonly handOver: string | undefined;
    }
  | { readonly status: "restart"; readonly handOver: string | undefined }
  | {
      readonly status: "crashed";
      readonly error: ErrorReport;
      readonly handOver: string | undefined;
    }
  /** Nothing helped: whoever waited for the turn knows, if anybody did. */
  | { readonly status: "given-up"; readonly error: ErrorReport };

/** How the reading of the backend's stream ended: it was `left` when it did not end in time. */
export type StreamResult =
  | { readonly status: "ended" | "left"; readonly error?: undefined }
  | { readonly status: "unopened"; readonly error?: ErrorReport }
  | { readonly status: "broken"; readonly error: ErrorReport };

/** A turn whose work is over. */
export interface TurnToSettle {
  readonly agent: AgentState;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
  readonly account: AccountTurn | undefined;
  readonly collector: TurnCollector;
  readonly requests: AgentRequests;
  readonly journal: TurnJournal;
  readonly handOver: HandOver;
  readonly given: GivenTexts;
  /** Whether the agent reads what it is told. */
  readonly reads: boolean;
}

/** How the work of a turn ended. */
export interface TurnOutcome {
  readonly reading: StreamResult;
  /** Why it was told to end, if it was. */
  readonly stop: TurnStop | undefined;
  /** What it has done that its agent may not do. */
  readonly breach: ErrorReport | undefined;
}

/** Journals the end of a turn, settles its prompt unless another turn takes that, and tells what follows. */
export function settleAgentTurn(
  turn: TurnToSettle,
  { reading, stop, breach }: TurnOutcome,
): TurnEnd {
  const { end } = turn.collector;
  const failed = end?.status === "failed" ? end.error : undefined;
  const diskFault = [breach, failed, reading.error].find(isDiskFault);
  if (diskFault !== undefined) return giveUpRun(turn, fromErrorReport(diskFault));
  const isSessionUsable = reading.status === "ended" || reading.status === "unopened";
  const isDone = end?.status === "stopped" && (stop === undefined || end.reason !== "cancelled");
  if (breach !== undefined && (isDone || stop === undefined)) {
    const isLost = end?.status === "failed" && end.sessionLost;
    return refuse(turn, breach, isSessionUsable && !isLost);
  }
  if (isDone) return complete(turn, end.reason, isSessionUsable);
  if (stop !== undefined) return settleStopped(turn, stop, isSessionUsable);
  const runaway = [failed, reading.error].find((error) => error?.code === agentResources.code);
  // The same again would take as much: no session is given another chance with it.
  if (runaway !== undefined) return refuse(turn, runaway, false);
  if (end?.status === "failed") return settleFailed(turn, end.error, end.sessionLost);
  const error = reading.error ?? toErrorReport(turnUnfinished({ agent: turn.agent.id }));
  return fail(turn, error, reading.status !== "unopened");
}

function isDiskFault(error: ErrorReport | undefined): boolean {
  return error !== undefined && findStorageFault(fromErrorReport(error)) !== undefined;
}

/** The run stops without a word of the turn, so that its next owner starts the turn again. */
function giveUpRun({ planned, ports }: TurnToSettle, error: TroupeError): TurnEnd {
  ports.runtime.fail(error);
  planned.prompt?.reject(error);
  return { status: "settled", isSessionUsable: false };
}

function complete(turn: TurnToSettle, stopReason: StopReason, isSessionUsable: boolean): TurnEnd {
  const { agent, planned, ports } = turn;
  turn.journal.settleBudget("ended");
  if (stopReason !== "end_turn") turn.journal.closeInput();
  const result = completeTurn(ports.runtime, {
    agent: agent.id,
    planned,
    stopReason,
    collector: turn.collector,
    requests: turn.requests,
    customs: ports.customs,
    deeds: ports.budget.deeds,
    isShadow: agent.spec.shadow !== undefined,
    given: turn.given,
    reads: turn.reads,
  });
  planned.prompt?.resolve(result);
  return { status: "settled", isSessionUsable };
}

function settleStopped(turn: TurnToSettle, stop: TurnStop, isSessionUsable: boolean): TurnEnd {
  const { agent, planned } = turn;
  const { prompt } = planned;
  switch (stop.kind) {
    case "timed-out": {
      const error = turnTimedOut({ agent: agent.id, timeoutMs: stop.timeoutMs });
      turn.journal.giveUp(toErrorReport(error), "cut");
      prompt?.reject(error);
      return { status: "settled", isSessionUsable: false };
    }
    case "retaken":
      turn.journal.interrupt("cancelled", "cut");
      return { status: "retaken", isSessionUsable, handOver: tellOver(turn) };
    case "restarted":
      turn.journal.interrupt("restarted", "cut");
      return { status: "restart", handOver: tellOver(turn) };
    case "interrupted":
      turn.journal.closeInput(stop.isForgotten);
      turn.journal.interrupt("cancelled", "cut");
      prompt?.reject(agentInterrupted({ agent: agent.id }));
      return { status: "settled", isSessionUsable };
    case "cancelled":
      turn.journal.interrupt("cancelled", "cut");
      prompt?.reject(errorOf(turn, stop.reason));
      return { status: "settled", isSessionUsable };
    case "suspended":
      turn.journal.interrupt("suspended", "again");
      prompt?.reject(stop);
      return { status: "settled", isSessionUsable };
    case "over-budget":
      turn.journal.giveUp(toErrorReport(stop.error), "cut");
      prompt?.reject(stop.error);
      return { status: "settled", isSessionUsable };
    case "overloaded":
      turn.account?.slowDown();
      return mayWaitAgain(turn)
        ? waitForProvider(turn, isSessionUsable)
        : settleStuck(turn, { ...stop, kind: "stuck", rung: "fail" }, isSessionUsable);
    case "stuck":
      return settleStuck(turn, stop, isSessionUsable);
    case "out-of-budget":
      turn.journal.interrupt("suspended", "again");
      return { status: "held", isSessionUsable, handOver: tellOver(turn) };
  }
}

/** The program sees a cancellation only when its own operation was cancelled. */
function errorOf(turn: TurnToSettle, reason: string): unknown {
  const { agent, planned } = turn;
  const isCancelled = planned.prompt?.signal.aborted === true;
  return isCancelled ? cancelled({ reason }) : agentGone({ agent: agent.id, reason });
}

function settleStuck(
  turn: TurnToSettle,
  { rung, observation }: StuckStop,
  isSessionUsable: boolean,
): TurnEnd {
  const { agent, planned } = turn;
  if (rung === "fail") {
    const error = agentStuck({ agent: agent.id, observation });
    turn.journal.giveUp(toErrorReport(error), "cut");
    planned.prompt?.reject(error);
    return { status: "given-up", error: toErrorReport(error) };
  }
  turn.journal.interrupt("stuck", "cut");
  if (rung === "restart") return { status: "restart", handOver: tellOver(turn) };
  return { status: "retaken", isSessionUsable, handOver: tellOver(turn) };
}

/**
 * A provider that asks to wait is no failure: the same turn starts again when the account may go on. So it is with one
 * that is away for a while, unless the turn has done something that it could do twice.
 */
function settleFailed(turn: TurnToSettle, error: ErrorReport, sessionLost: boolean): TurnEnd {
  const wait = readProviderWait(error) ?? readOutage(turn, error);
  if (wait !== undefined) turn.account?.slowDown(wait.retryAfterMs);
  return wait !== undefined && mayWaitAgain(turn)
    ? waitForProvider(turn, !sessionLost)
    : fail(turn, error, sessionLost);
}

/** Without an account nobody could tell when the provider may be asked again. */
function mayWaitAgain({ account, planned, ports }: TurnToSettle): boolean {
  return account !== undefined && mayWait(planned, ports.runtime.timers.now());
}

function waitForProvider(turn: TurnToSettle, isSessionUsable: boolean): TurnEnd {
  turn.journal.interrupt("rate-limited", "again");
  return { status: "held", isSessionUsable, handOver: tellOver(turn) };
}

/** Its prompt is settled whatever became of the session: another turn would find nothing wrong. */
function refuse(turn: TurnToSettle, breach: ErrorReport, isSessionUsable: boolean): TurnEnd {
  turn.journal.giveUp(breach, "ended");
  turn.planned.prompt?.reject(fromErrorReport(breach));
  return { status: "settled", isSessionUsable };
}

function fail(turn: TurnToSettle, error: ErrorReport, sessionLost: boolean): TurnEnd {
  if (!sessionLost) turn.journal.closeInput();
  turn.journal.fail(error, sessionLost ? "cut" : "ended");
  if (sessionLost) return { status: "crashed", error, handOver: tellOver(turn) };
  turn.planned.prompt?.reject(fromErrorReport(error));
  return { status: "settled", isSessionUsable: true };
}

function tellOver(turn: TurnToSettle): string | undefined {
  return turn.handOver.tell(turn.collector.text.text);
}

/** What backends raise when a provider asks to wait. */
const OVERLOADED = "BACKEND_OVERLOADED";

/** What backends raise when a provider failed or cannot be reached. */
const PROVIDER_FAILED = "BACKEND_PROVIDER_FAILED";

const MAX_WAITS = 8;

/** With cooldowns that double from 2 s, about a minute. */
const MAX_OUTAGE_WAITS = 5;

const LONGEST_WAIT_MS = 3_600_000;

/** That a provider asks to wait; undefined for any other error. */
interface ProviderWait {
  readonly retryAfterMs: number | undefined;
}

/** Reads the error of a turn. */
function readProviderWait({ code, details }: ErrorReport): ProviderWait | undefined {
  if (code !== OVERLOADED) return undefined;
  const given = isRecord(details) ? details["retryAfterMs"] : undefined;
  return { retryAfterMs: typeof given === "number" ? given : undefined };
}

/** That a provider is away for a while and nothing has happened in the turn; undefined for any other error. */
function readOutage(
  { collector, planned }: TurnToSettle,
  { code, details }: ErrorReport,
): ProviderWait | undefined {
  const isAway = code === PROVIDER_FAILED && isRecord(details) && details["isAway"] === true;
  if (!isAway || collector.hasActed || planned.waits >= MAX_OUTAGE_WAITS) return undefined;
  return { retryAfterMs: undefined };
}

/** Whether a turn that was cut off so often for this reason, since then, may wait once more. */
function mayWait(
  { waits, waitsSince }: { readonly waits: number; readonly waitsSince: number | undefined },
  nowMs: number,
): boolean {
  return waits < MAX_WAITS && nowMs - (waitsSince ?? nowMs) < LONGEST_WAIT_MS;
}
