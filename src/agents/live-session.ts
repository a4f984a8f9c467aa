import type { AgentSpec } from "../contracts/agent.ts";
import type { AgentBackend } from "../contracts/backend.ts";
import type { ContextMention } from "../contracts/context-access.ts";
import type { StopRequest } from "../contracts/operation.ts";
import { hasPendingMessages } from "../fold/message-reading.ts";
import { delay } from "../foundation/abort.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { isRecord, type Json } from "../foundation/json.ts";
import { MAX_MESSAGES_PER_MINUTE, maySendAgainAt } from "../messaging/sending-rate.ts";
import { GivenTexts } from "../signals/given-texts.ts";
import { AfterTurn, RestartBudget } from "./after-turn.ts";
import { AgentTurn } from "./agent-turn.ts";
import { BackendSession, type BackendSessionOptions } from "./backend-session.ts";
import { agentNoTurn } from "./errors.ts";
import { healthNotice } from "./health/turn-health.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { type TakenPlace, TurnPlaces } from "./turn-places.ts";
import type { PromptItem } from "./turn-prompt.ts";
import type { TurnEnd, TurnStop } from "./turn-settlement.ts";
import { giveUpItems, type PlannedTurn, planTurn } from "./turn-start.ts";
import { specUnder } from "./turn-terms.ts";

// Owns one session of one agent: the queue of prompts, the turn that runs, the backend's session.
// S1: one turn at a time; prompts run in the order in which they came.
// S2: the backend's session ends with this one, whatever its turns do.
// S3: every prompt it was given is settled, or taken over by the next owner.
// S4: an agent whose turns are announced and that has posted as much as it may within a minute begins no turn for
// messages until it may post again. What a turn says at its end is therefore always posted. The messages wait in its
// inbox, and their times are in the journal, so that the next owner goes on waiting.

/** Why a prompt is refused that was not started. */
const CLOSED = "its session was closed";

export interface LiveSessionOptions extends BackendSessionOptions {
  /** Whether pending messages start turns of their own. */
  readonly wakes: boolean;
  /** Called when the session crashed too often, or once if it must not, in a turn that nobody waits for. */
  readonly onGivenUp: (error: ErrorReport) => void;
}

/** One live session of an agent. */
export class LiveSession {
  readonly name: string;
  readonly #options: LiveSessionOptions;
  readonly #prompts: PromptQueue;
  readonly #backend: BackendSession;
  readonly #after: AfterTurn;
  readonly #places: TurnPlaces;
  readonly #given = new GivenTexts();
  readonly #closing = new AbortController();
  #turn: AgentTurn | undefined;
  #work: Promise<void> | undefined;
  #isWoken = false;
  #isToBeginAnew = false;
  #toldUntilMs = 0;
  #wait: AbortController | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.name = options.name;
    this.#prompts = new PromptQueue(options.agent.id);
    this.#backend = new BackendSession(options, (tool, input) => this.callTool(tool, input));
    this.#places = new TurnPlaces(options);
    this.#after = new AfterTurn({
      backend: this.#backend,
      prompts: this.#prompts,
      restarts: new RestartBudget(options.ports.runtime.timers),
      onCrash: options.agent.spec.onCrash ?? "resume",
      isMessageDriven: this.#isMessageDriven,
      isClosing: () => this.#closing.signal.aborted,
      giveUp: (error) => {
        this.#closing.abort({ kind: "cancelled", reason: error.message });
        options.onGivenUp(error);
      },
    });
  }

  /** Puts a prompt at the end of the queue. */
  prompt(item: PromptItem): void {
    this.#prompts.add(item);
    // A program that asks for a turn does not wait for what messages have to.
    this.#wait?.abort();
    this.wake();
  }

  /** Looks for something to do, unless it is busy. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#prompts.isEmpty && !this.#options.wakes) return;
    // Whoever has just seen nothing to do may not have come to its end.
    this.#isWoken = this.#work !== undefined;
    if (!this.#isWoken) this.#begin();
  }

  #begin(): void {
    const { runtime } = this.#options.ports;
    this.#work = this.#workOff()
      .catch((error: unknown) => runtime.fail(error))
      .finally(() => {
        this.#work = undefined;
        if (this.#isWoken || !this.#prompts.isEmpty) this.wake();
      });
  }

  /**
   * Calls one of Troupe's tools in the turn that runs: what processes of the agent ask for. Rejects with
   * AGENT_NO_TURN when none does, and as the tool does.
   */
  async callTool(name: string, input: Json): Promise<Json> {
    if (this.#turn === undefined) throw agentNoTurn({ agent: this.#options.agent.id });
    return this.#turn.callTool(name, input);
  }

  /** Tells processes of the session that a message names the agent. */
  mention(mention: ContextMention): void {
    this.#backend.mention(mention);
  }

  /** Cuts the running turn off. */
  interrupt(stop: TurnStop): void {
    this.#turn?.stop(stop);
  }

  /** Ends the backend's session and begins another; what it works on is taken again there, without its memory. */
  restart(): void {
    if (this.#closing.signal.aborted) return;
    this.#isToBeginAnew = true;
    this.#turn?.stop({ kind: "restarted" });
    // An idle one lets go of its processes now, not with its next turn.
    if (this.#work === undefined) this.#begin();
  }

  /** Takes nothing new; resolves once the turn that runs has ended. Close it then. */
  async retire(): Promise<void> {
    this.#closing.abort({ kind: "cancelled", reason: "its agent is being stopped" });
    await this.#work;
  }

  /** Cuts off what runs and ends the backend's session with all its processes. The first call counts. */
  close(stop: StopRequest): Promise<void> {
    this.#closed ??= this.#close(stop);
    return this.#closed;
  }

  async #close(stop: StopRequest): Promise<void> {
    this.#closing.abort(stop);
    this.#turn?.stop(stop);
    await this.#work;
    this.#prompts.refuseAll(CLOSED);
    if (stop.kind === "suspended") await this.#backend.letGo();
    else await this.#backend.end();
  }

  async #workOff(): Promise<void> {
    // What woke the session may still be adding events of the same group.
    await Promise.resolve();
    while (!this.#closing.signal.aborted) {
      await this.#beginAnew();
      const prompt = this.#prompts.next();
      if (prompt === undefined && !this.#options.wakes) return;
      if (!(await this.#runNext(prompt))) return;
    }
  }

  async #beginAnew(): Promise<void> {
    if (!this.#isToBeginAnew) return;
    this.#isToBeginAnew = false;
    await this.#backend.replace({ reason: "replaced", mayResume: false, handOver: undefined });
  }

  /** Runs one turn, if there is anything for it. */
  async #runNext(prompt: PromptItem | undefined): Promise<boolean> {
    const { agent, ports } = this.#options;
    // Nobody waits for a place who has nothing to do there.
    if (prompt === undefined && !hasPendingMessages(ports.runtime.state, agent.id)) return false;
    if (prompt === undefined && (await this.#waitToSend())) return true;
    const waiting =
      prompt === undefined
        ? this.#closing.signal
        : AbortSignal.any([this.#closing.signal, prompt.signal]);
    let place: TakenPlace;
    try {
      place = await this.#places.take(waiting);
    } catch (error) {
      if (!waiting.aborted) {
        prompt?.reject(error);
        throw error;
      }
      // Told to stop before there was a place: the prompt was not started.
      if (prompt !== undefined) this.#prompts.refuse(prompt, CLOSED);
      return true;
    }
    let next: "again" | "held" | "nothing";
    try {
      // It may have been told to while it waited for its place.
      await this.#beginAnew();
      next = await this.#start(prompt, place);
    } catch (error) {
      prompt?.reject(error);
      throw error;
    } finally {
      place.release();
    }
    // Whoever is held gives its place to others.
    if (next === "held") await this.#hold(prompt, waiting);
    return next !== "nothing";
  }

  /** Waits until the agent may post again what its next turn says; whether it had to wait. */
  async #waitToSend(): Promise<boolean> {
    const { agent, ports } = this.#options;
    const { runtime, customs } = ports;
    if (customs.announces === "none" && agent.spec.shadow === undefined) return false;
    const nowMs = runtime.timers.now();
    const untilMs = maySendAgainAt(runtime.state, agent.id, nowMs);
    if (untilMs === undefined) return false;
    if (untilMs > this.#toldUntilMs) {
      this.#toldUntilMs = untilMs;
      const status = agent.turns.size > 0 ? "working" : "idle";
      const reason = `waits until ${toIsoTime(untilMs)}: it has sent ${MAX_MESSAGES_PER_MINUTE} messages within a minute, which is the most that one agent may`;
      runtime.append({ type: "agent-status", agent: agent.id, status, reason });
    }
    this.#wait = new AbortController();
    const ended = AbortSignal.any([this.#closing.signal, this.#wait.signal]);
    // Whoever ends the wait has something else for the session to do, or closes it.
    await delay(runtime.timers, untilMs - nowMs, ended).catch(() => {});
    this.#wait = undefined;
    return true;
  }

  async #start(
    prompt: PromptItem | undefined,
    place: TakenPlace,
  ): Promise<"again" | "held" | "nothing"> {
    const { agent, backend, ports } = this.#options;
    const { metering, conventions } = backend;
    const isDriven = prompt === undefined && this.#isMessageDriven;
    const isGiven = prompt?.input.takesMessages === true;
    const takesMessages = backend.takesMessages || isDriven || isGiven;
    const planned = planTurn(ports.runtime, agent, { prompt, takesMessages });
    if (planned === undefined) return "nothing";
    const { turn: number, attempt } = planned;
    const step = prompt?.input.step;
    const spec = specUnder(agent, planned.terms, backend);
    const asking = { spec, metering, turn: number, attempt, step };
    const admission = ports.budget.admit(asking);
    if (admission.status === "held") return "held";
    if (admission.status === "refused") {
      giveUpItems(ports.runtime, agent, { planned, error: admission.error });
      return "again";
    }
    const { allowance } = admission;
    const { notice: told } = allowance;
    const notice = () => {
      if (conventions === "none") return undefined;
      const { hasMemory } = this.#backend;
      return joinNotices(
        told,
        ...agent.told.map(({ text }) => `[troupe] ${text}`),
        healthNotice(agent, this.name, hasMemory),
        // A call that was cut off may have spawned somebody of whom its session has not heard.
        hasMemory && attempt === 1 ? undefined : ports.collab?.notice(agent.id),
      );
    };
    const idleTimeoutMs = idleTimeoutOf(agent.spec, backend);
    const parts = { agent, session: this.name, planned, ports, allowance };
    const memory = { given: this.#given, reads: conventions !== "none" };
    const { changesFiles = false } = backend;
    const turn = new AgentTurn({ ...parts, ...memory, notice, idleTimeoutMs, place, changesFiles });
    await this.#after.take(await this.#carryOut(turn, planned), planned);
    return "again";
  }

  /** Waits until a budget may have room, and looks again. */
  async #hold(prompt: PromptItem | undefined, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.ports.budget.whenChanged(signal);
      if (prompt !== undefined) this.#prompts.putBack(prompt);
    } catch {
      if (prompt !== undefined) this.#prompts.refuse(prompt, CLOSED);
    }
  }

  /** Whether messages alone are what it works on. */
  get #isMessageDriven(): boolean {
    const { agent, ports } = this.#options;
    const { shadow, spawnedBy } = agent.spec;
    return ports.customs.isMessageDriven || shadow !== undefined || spawnedBy !== undefined;
  }

  async #carryOut(turn: AgentTurn, { prompt, terms }: PlannedTurn): Promise<TurnEnd> {
    this.#turn = turn;
    const follow = () => turn.stop(toStopRequest(prompt?.signal.reason));
    if (prompt?.signal.aborted === true) follow();
    prompt?.signal.addEventListener("abort", follow, { once: true });
    try {
      return await turn.run((signal) => this.#backend.open(signal, terms));
    } finally {
      prompt?.signal.removeEventListener("abort", follow);
      this.#turn = undefined;
    }
  }
}

function joinNotices(...notices: readonly (string | undefined)[]): string | undefined {
  const parts = notices.filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** The reason of an abort as a request to stop; anything else was a cancellation in other words. */
function toStopRequest(reason: unknown): StopRequest {
  if (isRecord(reason) && reason["kind"] === "suspended") return { kind: "suspended" };
  const text = isRecord(reason) && "reason" in reason ? String(reason["reason"]) : "cancelled";
  return { kind: "cancelled", reason: text };
}

/** How long an agent of a model may show no sign of life where its workflow says nothing. */
const IDLE_TIMEOUT_MS = 600_000;

/**
 * How long turns of an agent may show no sign of life; undefined when nobody looks after them. Programs,
 * functions and people may be silent as long as they like.
 */
function idleTimeoutOf(spec: AgentSpec, backend: AgentBackend): number | undefined {
  const asksModel = backend.account !== undefined || backend.signIn !== undefined;
  return spec.idleTimeoutMs ?? (asksModel ? IDLE_TIMEOUT_MS : undefined);
}
