import type { AgentSession, StopReason, TurnRequest, TurnUpdate } from "../contracts/backend.ts";
import type { TurnInterrupted } from "../contracts/events/agent-events.ts";
import type { StopRequest } from "../contracts/operation.ts";
import { cancelled } from "../engine/errors.ts";
import { turnsBefore } from "../fold/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { type ErrorReport, fromErrorReport, toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { renderInbox } from "../messaging/inbox-text.ts";
import { wholeText } from "../messaging/read-resource.ts";
import { tellChanges } from "../messaging/shadows/tell-shadows.ts";
import type { TurnEnding } from "./budget/settle-turn.ts";
import type { BudgetStop, TurnAllowance } from "./budget/turn-allowance.ts";
import { agentGone, agentInterrupted, turnTimedOut, turnUnfinished } from "./errors.ts";
import { readStream } from "./read-stream.ts";
import type { SessionPorts } from "./session-ports.ts";
import { TurnCollector } from "./turn-collector.ts";
import { completeTurn, markersOf } from "./turn-completion.ts";
import { TurnDeadline } from "./turn-deadline.ts";
import { TurnRequests } from "./turn-requests.ts";
import { itemsOf, type PlannedTurn } from "./turn-start.ts";

// Owns one turn from turn-started to the event that settles it.
// T1: `turn-started` is durable before the backend sees the turn's items.
// T2: every turn is settled by exactly one of turn-completed, turn-failed, turn-interrupted, unless the
//     owner dies; then the next owner writes turn-interrupted.
// T3: the event that settles a turn and the outcome of its operation share a group of events.

/** Why a turn is told to end. `retaken`: a message interrupts, and the next turn takes the prompt again. */
export type TurnStop =
  | StopRequest
  | { readonly kind: "timed-out"; readonly timeoutMs: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "retaken" }
  | BudgetStop;

/**
 * What the end of a turn means for its session. All but `settled` leave the prompt to the session: for another
 * turn (`retaken`), or for the same turn, started again (`held`).
 */
export type TurnEnd =
  | { readonly status: "settled" | "retaken" | "held"; readonly isSessionUsable: boolean }
  | { readonly status: "crashed"; readonly error: ErrorReport };

/** How the reading of the backend's stream ended: it was `left` when it did not end in time. */
type StreamResult =
  | { readonly status: "ended" | "left"; readonly error?: undefined }
  | { readonly status: "unopened"; readonly error?: ErrorReport }
  | { readonly status: "broken"; readonly error: ErrorReport };

export interface AgentTurnOptions {
  readonly agent: AgentState;
  readonly session: string;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
  /** What the turn may take. */
  readonly allowance: TurnAllowance;
  /** What Troupe tells the agent before everything else. */
  readonly notice: string | undefined;
}

/** One turn of an agent. Making it journals its start. */
export class AgentTurn {
  readonly #options: AgentTurnOptions;
  readonly #collector: TurnCollector;
  readonly #requests: TurnRequests;
  readonly #deadline: TurnDeadline;
  readonly #abort = new AbortController();
  #stop: TurnStop | undefined;

  constructor(options: AgentTurnOptions) {
    this.#options = options;
    const { agent, planned, ports, allowance } = options;
    this.#collector = new TurnCollector(agent.id, planned.turn, (usage) => allowance.priced(usage));
    this.#journalStart();
    this.#deadline = this.#startDeadline();
    this.#requests = new TurnRequests(ports, {
      agent: agent.id,
      turn: planned.turn,
      key: planned.key,
      markers: [...markersOf(planned.prompt?.input), ...ports.markers],
      signal: this.#abort.signal,
      deadline: this.#deadline,
    });
  }

  /** Tells the backend to end the turn; the first reason counts. */
  stop(stop: TurnStop): void {
    this.#stop ??= stop;
    this.#abort.abort(stop);
  }

  /** Calls one of Troupe's tools in this turn. Rejects with AGENT_NO_TURN once it is over, and as the tool does. */
  callTool(name: string, input: Json): Promise<Json> {
    return this.#requests.callTool(name, input);
  }

  /** Carries the turn out on a session and settles it. */
  async run(open: (signal: AbortSignal) => Promise<AgentSession>): Promise<TurnEnd> {
    const { signal } = this.#abort;
    let reading: StreamResult = { status: "unopened" };
    try {
      await this.#options.ports.runtime.flushed();
      const session = signal.aborted ? undefined : await open(signal);
      if (session !== undefined && !signal.aborted) reading = await this.#stream(session);
    } catch (thrown) {
      reading = { status: "unopened", error: toErrorReport(thrown) };
    }
    this.#deadline.stop();
    this.#requests.end();
    return this.#settle(reading);
  }

  /** What ends the turn first: its own deadline, or the time that a budget leaves. */
  #startDeadline(): TurnDeadline {
    const { planned, ports, allowance } = this.#options;
    const { timers } = ports.runtime;
    const { timeoutMs = Infinity } = planned.prompt?.input ?? {};
    const { timeLeft } = allowance;
    if (timeLeft !== undefined && timeLeft.leftMs < timeoutMs)
      return new TurnDeadline(timers, timeLeft.leftMs, () => this.stop(timeLeft.stop()));
    return new TurnDeadline(timers, timeoutMs, () => this.stop({ kind: "timed-out", timeoutMs }));
  }

  #journalStart(): void {
    const { agent, planned, session, ports } = this.#options;
    const { turn, attempt, key, prompt, messages } = planned;
    const step = prompt?.input.step;
    const at = { agent: agent.id, turn };
    const items = itemsOf(planned);
    ports.runtime.append({
      type: "turn-started",
      ...at,
      attempt,
      session,
      key,
      items,
      ...(step === undefined ? {} : { step }),
    });
    const ids = messages.map((message) => message.id);
    if (ids.length > 0) ports.runtime.append({ type: "message-delivered", ...at, ids });
  }

  async #stream(session: AgentSession): Promise<StreamResult> {
    const { agent, ports } = this.#options;
    const { runtime, onUpdate } = ports;
    const take = (update: TurnUpdate) => {
      onUpdate?.(agent.id, update, this.#options.planned.turn);
      if (update.type !== "stop" && update.type !== "error") this.#heedBudget();
      const fact = this.#collector.take(update);
      if (fact !== undefined) runtime.append(fact);
      if (update.type === "usage") this.#options.allowance.take(this.#collector.usage);
    };
    const { signal } = this.#abort;
    try {
      const updates = session.prompt(this.#request());
      const hasEnded = await readStream({ updates, signal, timers: runtime.timers, take });
      return { status: hasEnded ? "ended" : "left" };
    } catch (thrown) {
      return { status: "broken", error: toErrorReport(thrown) };
    }
  }

  #heedBudget(): void {
    if (this.#stop !== undefined) return;
    const stop = this.#options.allowance.stopBeyond();
    if (stop !== undefined) this.stop(stop);
  }

  #request(): TurnRequest {
    const { agent, planned, ports, notice = "" } = this.#options;
    const { prompt, messages, turn, attempt, key } = planned;
    const { step, previousError } = prompt?.input ?? {};
    const parts = [notice, renderInbox(messages), prompt?.input.prompt ?? ""];
    const text = parts.filter((part) => part !== "").join("\n\n");
    const whole = messages.map((message) => ({
      ...message,
      text: wholeText(ports.runtime, message),
    }));
    return {
      run: ports.runtime.run,
      agent: agent.id,
      turn,
      attempt,
      // One execution of a step has one key through all retries and crashes; other turns have that of their items.
      key: step === undefined ? key : `${ports.runtime.run}/${step.path}#${step.execution}`,
      prompt: text,
      task:
        prompt === undefined
          ? whole.map((message) => message.text).join("\n\n")
          : (prompt.input.task ?? prompt.input.prompt),
      ...(prompt === undefined ? { messages: whole } : {}),
      ...(step === undefined ? {} : { step: step.path, stepAttempt: step.attempt }),
      ...(previousError === undefined ? {} : { previousError }),
      // Made when asked for: it grows with the run, and most backends have no use for it.
      get turnsBefore() {
        return turnsBefore(agent);
      },
      signal: this.#abort.signal,
      client: this.#requests,
    };
  }

  #settle(reading: StreamResult): TurnEnd {
    const { end } = this.#collector;
    const stop = this.#stop;
    const isSessionUsable = reading.status === "ended" || reading.status === "unopened";
    if (end?.status === "stopped" && (stop === undefined || end.reason !== "cancelled")) {
      return this.#complete(end.reason, isSessionUsable);
    }
    if (stop !== undefined) return this.#settleStopped(stop, isSessionUsable);
    if (end?.status === "failed") return this.#fail(end.error, end.sessionLost);
    const error = reading.error ?? toErrorReport(turnUnfinished({ agent: this.#options.agent.id }));
    return this.#fail(error, reading.status !== "unopened");
  }

  #complete(stopReason: StopReason, isSessionUsable: boolean): TurnEnd {
    const { agent, planned, ports } = this.#options;
    this.#settleBudget("ended");
    const result = completeTurn(ports.runtime, {
      agent: agent.id,
      planned,
      stopReason,
      collector: this.#collector,
      requests: this.#requests,
      mainChannel: ports.mainChannel,
      markers: ports.markers,
      isShadow: agent.spec.shadow !== undefined,
      ...(ports.announces === undefined ? {} : { announces: ports.announces }),
    });
    planned.prompt?.resolve(result);
    return { status: "settled", isSessionUsable };
  }

  #settleStopped(stop: TurnStop, isSessionUsable: boolean): TurnEnd {
    const { agent, planned } = this.#options;
    const { prompt } = planned;
    switch (stop.kind) {
      case "timed-out": {
        const error = turnTimedOut({ agent: agent.id, timeoutMs: stop.timeoutMs });
        this.#journalFailure(toErrorReport(error), "cut");
        prompt?.reject(error);
        return { status: "settled", isSessionUsable: false };
      }
      case "retaken":
        this.#journalInterruption("cancelled");
        return { status: "retaken", isSessionUsable };
      case "interrupted":
        this.#journalInterruption("cancelled");
        prompt?.reject(agentInterrupted({ agent: agent.id }));
        return { status: "settled", isSessionUsable };
      case "cancelled":
        this.#journalInterruption("cancelled");
        prompt?.reject(this.#errorOf(stop.reason));
        return { status: "settled", isSessionUsable };
      case "suspended":
        this.#journalInterruption("suspended");
        prompt?.reject(stop);
        return { status: "settled", isSessionUsable };
      case "over-budget":
        this.#journalFailure(toErrorReport(stop.error), "cut");
        prompt?.reject(stop.error);
        return { status: "settled", isSessionUsable };
      case "out-of-budget":
        this.#journalInterruption("suspended");
        return { status: "held", isSessionUsable };
    }
  }

  /** The program sees a cancellation only when its own operation was cancelled. */
  #errorOf(reason: string): unknown {
    const { agent, planned } = this.#options;
    const isCancelled = planned.prompt?.signal.aborted === true;
    return isCancelled ? cancelled({ reason }) : agentGone({ agent: agent.id, reason });
  }

  #fail(error: ErrorReport, sessionLost: boolean): TurnEnd {
    this.#journalFailure(error, sessionLost ? "cut" : "ended");
    if (sessionLost) return { status: "crashed", error };
    this.#options.planned.prompt?.reject(fromErrorReport(error));
    return { status: "settled", isSessionUsable: true };
  }

  #journalFailure(error: ErrorReport, ending: TurnEnding): void {
    this.#settleBudget(ending);
    const { agent, planned, ports } = this.#options;
    const { text } = this.#collector.text;
    const { usage } = this.#collector;
    tellChanges(ports.runtime, agent.id, planned.turn);
    const said = text === "" ? {} : { text };
    ports.runtime.append({
      type: "turn-failed",
      agent: agent.id,
      turn: planned.turn,
      error,
      ...said,
      usage,
    });
  }

  #journalInterruption(reason: TurnInterrupted["reason"]): void {
    const { agent, planned, ports } = this.#options;
    const { usage } = this.#collector;
    this.#settleBudget(reason === "suspended" ? "again" : "cut");
    if (reason !== "suspended") tellChanges(ports.runtime, agent.id, planned.turn);
    ports.runtime.append({
      type: "turn-interrupted",
      agent: agent.id,
      turn: planned.turn,
      reason,
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
    });
  }

  #settleBudget(ending: TurnEnding): void {
    this.#options.allowance.settle(ending, this.#collector.usage, this.#deadline.workedMs);
  }
}
