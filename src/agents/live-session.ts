import type { ContextMention } from "../contracts/context-access.ts";
import type { StopRequest } from "../contracts/operation.ts";
import { findMailbox } from "../fold/agent-lookup.ts";
import { type ErrorReport, fromErrorReport } from "../foundation/errors.ts";
import { isRecord, type Json } from "../foundation/json.ts";
import { AgentTurn, type TurnEnd, type TurnStop } from "./agent-turn.ts";
import { BackendSession, type BackendSessionOptions } from "./backend-session.ts";
import { agentGone, agentNoTurn } from "./errors.ts";
import { RestartBudget } from "./restart-budget.ts";
import type { PromptItem } from "./turn-prompt.ts";
import { type PlannedTurn, planTurn } from "./turn-start.ts";

// Owns one session of one agent: the queue of prompts, the turn that runs, the backend's session.
// S1: one turn at a time; prompts run in the order in which they came.
// S2: the backend's session ends with this one, whatever its turns do.
// S3: every prompt it was given is settled, or taken over by the next owner.

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
  readonly #prompts: PromptItem[] = [];
  readonly #backend: BackendSession;
  readonly #restarts: RestartBudget;
  readonly #closing = new AbortController();
  #turn: AgentTurn | undefined;
  #work: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.name = options.name;
    this.#backend = new BackendSession(options, (tool, input) => this.callTool(tool, input));
    this.#restarts = new RestartBudget(options.ports.runtime.timers);
  }

  /** Puts a prompt at the end of the queue. */
  prompt(item: PromptItem): void {
    this.#prompts.push(item);
    this.wake();
  }

  /** Looks for something to do, unless it is busy. */
  wake(): void {
    if (this.#work !== undefined || this.#closing.signal.aborted) return;
    if (this.#prompts.length === 0 && !this.#options.wakes) return;
    const { runtime } = this.#options.ports;
    this.#work = this.#workOff()
      .catch((error: unknown) => runtime.fail(error))
      .finally(() => {
        this.#work = undefined;
        if (this.#prompts.length > 0) this.wake();
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
    for (const item of this.#prompts.splice(0)) this.#refuse(item, "its session was closed");
    if (stop.kind === "suspended") await this.#backend.letGo();
    else await this.#backend.end();
  }

  /** Settles a prompt that no turn takes any more. */
  #refuse(item: PromptItem, reason: string): void {
    const { agent } = this.#options;
    item.reject(item.signal.aborted ? item.signal.reason : agentGone({ agent: agent.id, reason }));
  }

  async #workOff(): Promise<void> {
    // What woke the session may still be adding events of the same group.
    await Promise.resolve();
    while (!this.#closing.signal.aborted) {
      const prompt = this.#nextPrompt();
      if (prompt === undefined && !this.#options.wakes) return;
      if (!(await this.#runNext(prompt))) return;
    }
  }

  #nextPrompt(): PromptItem | undefined {
    for (let item = this.#prompts.shift(); item !== undefined; item = this.#prompts.shift()) {
      if (!item.signal.aborted) return item;
      item.reject(item.signal.reason);
    }
    return undefined;
  }

  /** Runs one turn, if there is anything for it. */
  async #runNext(prompt: PromptItem | undefined): Promise<boolean> {
    const { backend, ports } = this.#options;
    // Whoever waits for a person for days must not keep others from working.
    const slot = backend.isPerson === true ? undefined : ports.slots(backend.name);
    const waiting =
      prompt === undefined
        ? this.#closing.signal
        : AbortSignal.any([this.#closing.signal, prompt.signal]);
    try {
      await slot?.acquire(waiting);
    } catch {
      // Told to stop before there was a place: the prompt was not started.
      if (prompt !== undefined) this.#refuse(prompt, "its session was closed");
      return true;
    }
    let next: "again" | "held" | "nothing";
    try {
      next = await this.#start(prompt);
    } catch (error) {
      prompt?.reject(error);
      throw error;
    } finally {
      slot?.release();
    }
    // Whoever is held gives its place to others.
    if (next === "held") await this.#hold(prompt, waiting);
    return next !== "nothing";
  }

  async #start(prompt: PromptItem | undefined): Promise<"again" | "held" | "nothing"> {
    const { agent, backend, ports } = this.#options;
    const { metering, conventions } = backend;
    const isDriven = prompt === undefined && this.#isMessageDriven;
    const takesMessages = backend.takesMessages || isDriven;
    const planned = planTurn(ports.runtime, agent, { prompt, takesMessages });
    if (planned === undefined) return "nothing";
    const { turn: number, attempt } = planned;
    const step = prompt?.input.step?.id;
    const asking = { spec: agent.spec, metering, turn: number, attempt, step };
    const admission = ports.budget.admit(asking);
    if (admission.status === "held") return "held";
    if (admission.status === "refused") {
      this.#giveUp(planned, admission.error);
      return "again";
    }
    const { allowance } = admission;
    const notice = conventions === "none" ? undefined : allowance.notice;
    const session = this.name;
    const turn = new AgentTurn({ agent, session, planned, ports, allowance, notice });
    await this.#afterTurn(await this.#carryOut(turn, prompt), planned);
    return "again";
  }

  /** Waits until a budget may have room, and looks again. */
  async #hold(prompt: PromptItem | undefined, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.ports.budget.whenChanged(signal);
      if (prompt !== undefined) this.#prompts.unshift(prompt);
    } catch {
      if (prompt !== undefined) this.#refuse(prompt, "its session was closed");
    }
  }

  /** A budget of the agent or the step has nothing left: no turn will ever take these items. */
  #giveUp({ prompt, messages }: PlannedTurn, error: unknown): void {
    if (prompt !== undefined) {
      prompt.reject(error);
      return;
    }
    const { agent, ports } = this.#options;
    const { runtime } = ports;
    for (const { id } of messages) {
      const attempts = findMailbox(runtime.state, agent.id)?.items.get(id)?.attempts ?? 0;
      runtime.append({ type: "message-dead", agent: agent.id, id, attempts });
    }
  }

  /** Whether messages alone are what it works on. */
  get #isMessageDriven(): boolean {
    const { agent, ports } = this.#options;
    return ports.isMessageDriven === true || agent.spec.shadow !== undefined;
  }

  async #carryOut(turn: AgentTurn, prompt: PromptItem | undefined): Promise<TurnEnd> {
    this.#turn = turn;
    const follow = () => turn.stop(toStopRequest(prompt?.signal.reason));
    if (prompt?.signal.aborted === true) follow();
    prompt?.signal.addEventListener("abort", follow, { once: true });
    try {
      return await turn.run((signal) => this.#backend.open(signal));
    } finally {
      prompt?.signal.removeEventListener("abort", follow);
      this.#turn = undefined;
    }
  }

  async #afterTurn(end: TurnEnd, { turn, prompt }: PlannedTurn): Promise<void> {
    if (end.status === "crashed") return this.#afterCrash(end.error, prompt);
    if (!end.isSessionUsable) await this.#backend.replace("replaced", true);
    if (end.status === "settled" || prompt === undefined) return;
    if (end.status === "held") {
      this.#prompts.unshift(prompt);
      return;
    }
    // What the agent does now differs from what it did before: it must not count as the same requests.
    this.#prompts.unshift({ ...prompt, key: `${prompt.key}/after-${turn}` });
  }

  async #afterCrash(error: ErrorReport, prompt: PromptItem | undefined): Promise<void> {
    const { agent, onGivenUp } = this.#options;
    const { onCrash = "resume" } = agent.spec;
    await this.#backend.replace("crashed", onCrash === "resume");
    if (prompt === undefined && (!this.#isMessageDriven || this.#closing.signal.aborted)) return;
    const isGivenUp = onCrash === "fail" || this.#closing.signal.aborted || !this.#restarts.take();
    if (prompt !== undefined && isGivenUp) prompt.reject(fromErrorReport(error));
    else if (prompt !== undefined) this.#prompts.unshift(prompt);
    else if (isGivenUp) {
      this.#closing.abort({ kind: "cancelled", reason: "its session crashed" });
      onGivenUp(error);
    }
  }
}

/** The reason of an abort as a request to stop; anything else was a cancellation in other words. */
function toStopRequest(reason: unknown): StopRequest {
  if (isRecord(reason) && reason["kind"] === "suspended") return { kind: "suspended" };
  const text = isRecord(reason) && "reason" in reason ? String(reason["reason"]) : "cancelled";
  return { kind: "cancelled", reason: text };
}
