import type { AgentSession, TurnRequest } from "../contracts/backend.ts";
import type { TurnInterrupted } from "../contracts/events/agent-events.ts";
import type { StopRequest } from "../contracts/operation.ts";
import { cancelled } from "../engine/errors.ts";
import { turnsBefore } from "../fold/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { type ErrorReport, fromErrorReport, toErrorReport } from "../foundation/errors.ts";
import { renderInbox } from "../messaging/inbox-text.ts";
import { turnTimedOut, turnUnfinished } from "./errors.ts";
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

/** Why a turn is told to end. */
export type TurnStop = StopRequest | { readonly kind: "timed-out"; readonly timeoutMs: number };

/** What the end of a turn means for its session. `crashed` leaves the prompt to the session. */
export type TurnEnd =
  | { readonly status: "settled"; readonly isSessionUsable: boolean }
  | { readonly status: "crashed"; readonly error: ErrorReport };

export interface AgentTurnOptions {
  readonly agent: AgentState;
  readonly session: string;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
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
    const { agent, planned, ports } = options;
    const { timers } = ports.runtime;
    const timeoutMs = planned.prompt?.input.timeoutMs;
    this.#collector = new TurnCollector(agent.id, planned.turn);
    this.#journalStart();
    this.#deadline = new TurnDeadline(timers, timeoutMs, () =>
      this.stop({ kind: "timed-out", timeoutMs: timeoutMs ?? 0 }),
    );
    this.#requests = new TurnRequests(ports, {
      agent: agent.id,
      turn: planned.turn,
      key: planned.key,
      markers: markersOf(planned.prompt?.input),
      signal: this.#abort.signal,
      deadline: this.#deadline,
    });
  }

  /** Tells the backend to end the turn; the first reason counts. */
  stop(stop: TurnStop): void {
    this.#stop ??= stop;
    this.#abort.abort(stop);
  }

  /** Carries the turn out on a session and settles it. Never rejects. */
  async run(open: () => Promise<AgentSession>): Promise<TurnEnd> {
    let isSessionUsable = true;
    let error: ErrorReport | undefined;
    try {
      await this.#options.ports.runtime.flushed();
      if (!this.#abort.signal.aborted) isSessionUsable = await this.#stream(await open());
    } catch (thrown) {
      error = toErrorReport(thrown);
    }
    this.#deadline.stop();
    return this.#settle(error, isSessionUsable);
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

  #stream(session: AgentSession): Promise<boolean> {
    const { agent, ports } = this.#options;
    const { runtime, onUpdate } = ports;
    return readStream({
      updates: session.prompt(this.#request()),
      signal: this.#abort.signal,
      timers: runtime.timers,
      take: (update) => {
        onUpdate?.(agent.id, update);
        const fact = this.#collector.take(update);
        if (fact !== undefined) runtime.append(fact);
      },
    });
  }

  #request(): TurnRequest {
    const { agent, planned, ports } = this.#options;
    const { prompt, messages, turn, attempt, key } = planned;
    const { step, previousError } = prompt?.input ?? {};
    const inbox = renderInbox(messages);
    const text = [inbox, prompt?.input.prompt ?? ""].filter((part) => part !== "").join("\n\n");
    return {
      run: ports.runtime.run,
      agent: agent.id,
      turn,
      attempt,
      key,
      prompt: text,
      task:
        prompt === undefined
          ? messages.map((message) => message.text).join("\n\n")
          : (prompt.input.task ?? prompt.input.prompt),
      ...(step === undefined ? {} : { step: step.path, stepAttempt: step.attempt }),
      ...(previousError === undefined ? {} : { previousError }),
      turnsBefore: turnsBefore(agent),
      signal: this.#abort.signal,
      client: this.#requests,
    };
  }

  #settle(thrown: ErrorReport | undefined, isSessionUsable: boolean): TurnEnd {
    const { end } = this.#collector;
    const stop = this.#stop;
    if (end?.status === "stopped" && (stop === undefined || end.reason !== "cancelled")) {
      return this.#complete(end.reason, isSessionUsable);
    }
    if (stop !== undefined) return this.#settleStopped(stop, isSessionUsable);
    if (end?.status === "failed") return this.#fail(end.error, end.sessionLost);
    return this.#fail(
      thrown ?? toErrorReport(turnUnfinished({ agent: this.#options.agent.id })),
      true,
    );
  }

  #complete(
    stopReason: Parameters<typeof completeTurn>[1]["stopReason"],
    isSessionUsable: boolean,
  ): TurnEnd {
    const { agent, planned, ports } = this.#options;
    const result = completeTurn(ports.runtime, {
      agent: agent.id,
      planned,
      stopReason,
      collector: this.#collector,
      requests: this.#requests,
      mainChannel: ports.mainChannel,
    });
    planned.prompt?.resolve(result);
    return { status: "settled", isSessionUsable };
  }

  #settleStopped(stop: TurnStop, isSessionUsable: boolean): TurnEnd {
    const { agent, planned } = this.#options;
    if (stop.kind === "timed-out") {
      const error = turnTimedOut({ agent: agent.id, timeoutMs: stop.timeoutMs });
      this.#journalFailure(toErrorReport(error));
      planned.prompt?.reject(error);
      return { status: "settled", isSessionUsable: false };
    }
    this.#journalInterruption(stop.kind);
    planned.prompt?.reject(stop.kind === "cancelled" ? cancelled({ reason: stop.reason }) : stop);
    return { status: "settled", isSessionUsable };
  }

  #fail(error: ErrorReport, sessionLost: boolean): TurnEnd {
    this.#journalFailure(error);
    if (sessionLost) return { status: "crashed", error };
    this.#options.planned.prompt?.reject(fromErrorReport(error));
    return { status: "settled", isSessionUsable: true };
  }

  #journalFailure(error: ErrorReport): void {
    const { agent, planned, ports } = this.#options;
    const { text } = this.#collector.text;
    const { usage } = this.#collector;
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
    ports.runtime.append({ type: "turn-interrupted", agent: agent.id, turn: planned.turn, reason });
  }
}
