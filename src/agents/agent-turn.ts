import { type AgentSession, isThrottling, type TurnUpdate } from "../contracts/backend.ts";
import type { StigmergySpec } from "../contracts/stigmergy.ts";
import type { Timers } from "../engine/ports.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { type ErrorReport, toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { toShortageError } from "../foundation/shortage.ts";
import { toDiskError } from "../host/system/disk-error.ts";
import type { GivenTexts } from "../signals/given-texts.ts";
import { AgentRequests, ALL_SHARED } from "./agent-requests.ts";
import { toTurnRequest } from "./backend-request.ts";
import type { TurnAllowance } from "./budget/turn-allowance.ts";
import { HandOver } from "./health/hand-over.ts";
import { TurnHealth } from "./health/turn-health.ts";
import { interruptionNotice, lookAtFiles } from "./interruption.ts";
import type { TurnWatch } from "./places/agent-place.ts";
import type { SessionPorts } from "./session-ports.ts";
import { type Grace, watchGrace } from "./stop-grace.ts";
import { TurnCollector } from "./turn-collector.ts";
import { markersOf } from "./turn-completion.ts";
import { TurnDeadline } from "./turn-deadline.ts";
import { journalStart, TurnJournal } from "./turn-journal.ts";
import type { TakenPlace } from "./turn-places.ts";
import {
  type StreamResult,
  settleAgentTurn,
  type TurnEnd,
  type TurnStop,
  type TurnToSettle,
} from "./turn-settlement.ts";
import type { PlannedTurn } from "./turn-start.ts";

// Owns one turn from turn-started to the event that settles it.
// T1: `turn-started` is durable before the backend sees the turn's items.
// T2: every turn is settled by exactly one of turn-completed, turn-failed, turn-interrupted, unless the
//     owner dies; then the next owner writes turn-interrupted.
// T3: the event that settles a turn and the outcome of its operation share a group of events.

export interface AgentTurnOptions {
  readonly agent: AgentState;
  readonly session: string;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
  /** What the turn may take. */
  readonly allowance: TurnAllowance;
  /** What Troupe tells the agent before everything else; to be asked once its session is open. */
  readonly notice: () => string | undefined;
  /** How long the turn may show no sign of life; undefined when nobody looks after it. */
  readonly idleTimeoutMs: number | undefined;
  /** What the session was given so far; the turn adds its own. */
  readonly given: GivenTexts;
  /** Whether the agent reads what it is told: a program that prints does not. */
  readonly reads: boolean;
  /** What the turn holds while it works. */
  readonly place: TakenPlace;
  /** Whether it can change files unseen. */
  readonly changesFiles: boolean;
}

/** One turn of an agent. Making it journals its start. */
export class AgentTurn {
  readonly #options: AgentTurnOptions;
  readonly #collector: TurnCollector;
  readonly #requests: AgentRequests;
  readonly #deadline: TurnDeadline;
  readonly #journal: TurnJournal;
  readonly #health: TurnHealth | undefined;
  readonly #handOver = new HandOver();
  readonly #abort = new AbortController();
  #stop: TurnStop | undefined;
  #interruption: string | undefined;

  constructor(options: AgentTurnOptions) {
    this.#options = options;
    const { agent, planned, ports, allowance } = options;
    this.#collector = new TurnCollector(agent.id, planned.turn, (usage) => allowance.priced(usage));
    const journaled = { ...options, collector: this.#collector };
    journalStart(journaled);
    this.#deadline = this.#startDeadline();
    this.#journal = new TurnJournal(journaled, this.#deadline);
    this.#health = this.#startHealth();
    this.#requests = new AgentRequests(ports, {
      agent: agent.id,
      turn: planned.turn,
      attempt: planned.attempt,
      key: planned.key,
      markers: [...markersOf(planned.prompt?.input), ...ports.customs.markers],
      step: planned.prompt?.input.step?.path,
      signal: this.#abort.signal,
      deadline: {
        standDuring: (wait) =>
          this.#deadline.standDuring(() =>
            this.#waitForOthers(() => options.place.leaveDuring(wait, this.#abort.signal)),
          ),
      },
    });
  }

  /** Tells the backend to end the turn; the first reason counts. */
  stop(stop: TurnStop): void {
    this.#stop ??= stop;
    this.#health?.end();
    this.#abort.abort(stop);
  }

  /** Calls one of Troupe's tools in this turn. Rejects with AGENT_NO_TURN once it is over, and as the tool does. */
  callTool(name: string, input: Json): Promise<Json> {
    return this.#waitForOthers(() => this.#requests.callTool(name, input));
  }

  /** Carries the turn out on a session and settles it. */
  async run(open: (signal: AbortSignal) => Promise<AgentSession>): Promise<TurnEnd> {
    const { signal } = this.#abort;
    const { agent, ports } = this.#options;
    let reading: StreamResult = { status: "unopened" };
    let watch: TurnWatch | undefined;
    try {
      await ports.runtime.flushed();
      const looking = signal.aborted ? undefined : this.#tellInterruption();
      // Most programs take longer to start; what it raises is raised where it is waited for.
      looking?.catch(() => {});
      const session = signal.aborted ? undefined : await open(signal);
      this.#interruption = await looking;
      watch = session === undefined ? undefined : await ports.agentPlaces?.watch(agent);
      if (session !== undefined && !signal.aborted) reading = await this.#stream(session);
    } catch (thrown) {
      reading = {
        status: "unopened",
        error: toErrorReport(toDiskError(thrown) ?? toShortageError(thrown) ?? thrown),
      };
    }
    this.#deadline.stop();
    this.#health?.end();
    this.#requests.end();
    const breach = await this.#findBreach(watch);
    return settleAgentTurn(this.#toSettle(), { reading, stop: this.#stop, breach });
  }

  /** What it is told of the attempts before; what its files are is durable before it begins. */
  async #tellInterruption(): Promise<string | undefined> {
    const { agent, planned, ports, reads, changesFiles } = this.#options;
    if (!reads) return undefined;
    const { turn, attempt } = planned;
    const changed = await lookAtFiles({ ports, agent: agent.id, turn, changesFiles }, attempt);
    await ports.runtime.flushed();
    return interruptionNotice(ports.runtime.state, { agent: agent.id, turn }, changed);
  }

  #toSettle(): TurnToSettle {
    const [collector, requests, journal] = [this.#collector, this.#requests, this.#journal];
    const { account } = this.#options.place;
    return { ...this.#options, account, collector, requests, journal, handOver: this.#handOver };
  }

  /** What the turn has done that its agent may not do; what cannot be found out counts as much. */
  async #findBreach(watch: TurnWatch | undefined): Promise<ErrorReport | undefined> {
    try {
      return await watch?.end(this.#options.planned.turn);
    } catch (thrown) {
      return toErrorReport(toDiskError(thrown) ?? toShortageError(thrown) ?? thrown);
    }
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

  #startHealth(): TurnHealth | undefined {
    const { agent, session, planned, ports, idleTimeoutMs } = this.#options;
    if (idleTimeoutMs === undefined) return undefined;
    const { runtime, tools } = ports;
    return new TurnHealth({
      runtime,
      agent,
      session,
      turn: planned.turn,
      idleTimeoutMs,
      // Who asks Troupe for news again and again waits for others.
      isPatientTool: (tool) => tools.offered({ ...ALL_SHARED, collab: "all" }).includes(tool),
      stop: (stop) => this.stop(stop),
    });
  }

  /** Whoever waits for others is not stuck. */
  #waitForOthers<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#health === undefined ? wait() : this.#health.standDuring(wait);
  }

  async #stream(session: AgentSession): Promise<StreamResult> {
    const { agent, planned, ports, notice } = this.#options;
    const { runtime, means } = ports;
    const { signal } = this.#abort;
    this.#health?.follow(session);
    const take = (update: TurnUpdate) => {
      means.onUpdate?.(agent.id, update, planned.turn);
      this.#observe(update);
      if (update.type !== "stop" && update.type !== "error") this.#heedBudget();
      const fact = this.#collector.take(update);
      if (fact !== undefined && !this.#isCutOff(update)) runtime.append(fact);
      if (update.type === "usage") this.#options.allowance.take(this.#collector.usage);
    };
    try {
      const client = this.#requests;
      const { trails } = ports.customs.shares;
      const marks = trails === undefined ? "" : await this.#marks(trails);
      const told = { notice: notice(), interruption: this.#interruption, marks };
      const request = toTurnRequest({ agent, planned, ports, ...told, signal, client });
      this.#noteGiven(request.prompt);
      const updates = session.prompt(request);
      const hasEnded = await readStream({ updates, signal, timers: runtime.timers, take });
      return { status: hasEnded ? "ended" : "left" };
    } catch (thrown) {
      return {
        status: "broken",
        error: toErrorReport(toDiskError(thrown) ?? toShortageError(thrown) ?? thrown),
      };
    }
  }

  /** What is said of the marks in a run that has them; few have. */
  async #marks(rules: StigmergySpec): Promise<string> {
    const { renderTrail } = await import("../messaging/trails/trail-text.ts");
    return renderTrail(this.#options.ports.runtime.state, rules);
  }

  #noteGiven(prompt: string): void {
    const { planned, given } = this.#options;
    given.add(prompt);
    if (planned.prompt?.input.task !== undefined) given.add(planned.prompt.input.task);
  }

  /** Lets those see the update who look after the turn and its account. */
  #observe(update: TurnUpdate): void {
    this.#health?.take(update);
    if (!this.#isCutOff(update)) this.#handOver.take(update);
    const { account } = this.#options.place;
    if (isThrottled(update)) account?.slowDown(update.delayMs);
    else if (isAnswer(update)) account?.speedUp();
  }

  /** What was told to stop calls that a failure, or a refusal, and some programs say so of a call that only waited. */
  #isCutOff(update: TurnUpdate): boolean {
    return this.#stop !== undefined && update.type === "tool-result" && update.isError;
  }

  #heedBudget(): void {
    if (this.#stop !== undefined) return;
    const stop = this.#options.allowance.stopBeyond();
    if (stop !== undefined) this.stop(stop);
  }
}

function isThrottled(
  update: TurnUpdate,
): update is Extract<TurnUpdate, { readonly type: "retrying" }> {
  return update.type === "retrying" && isThrottling(update.reason);
}

/** Whether an update comes from the model. */
function isAnswer({ type }: TurnUpdate): boolean {
  return type === "text-delta" || type === "thinking" || type === "tool-call" || type === "stop";
}

/** What to do with a stream of updates. */
interface StreamReading {
  readonly updates: AsyncIterable<TurnUpdate>;
  /** Tells the backend to end the turn. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly take: (update: TurnUpdate) => void;
}

/**
 * Reads a turn's stream to its end. A backend that does not end it in time after the signal is left
 * behind: the result is then false, and its session must be closed.
 */
async function readStream(reading: StreamReading): Promise<boolean> {
  const { updates, signal, timers, take } = reading;
  const grace = watchGrace(signal, timers);
  const iterator = updates[Symbol.asyncIterator]();
  try {
    // One race for the whole stream: each race with a promise that waits on keeps its own result alive.
    await Promise.race([takeAll(iterator, grace, take), grace.passed]);
    return true;
  } catch (error) {
    if (grace.hasPassed) return false;
    throw error;
  } finally {
    grace.stop();
  }
}

async function takeAll(
  iterator: AsyncIterator<TurnUpdate>,
  grace: Grace,
  take: StreamReading["take"],
): Promise<void> {
  for (;;) {
    const next = await iterator.next();
    if (grace.hasPassed || next.done === true) return;
    take(next.value);
  }
}
