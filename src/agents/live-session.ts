import type { AgentBackend, AgentSession } from "../contracts/backend.ts";
import type { StopRequest } from "../contracts/operation.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import { AgentTurn, type TurnEnd } from "./agent-turn.ts";
import { agentGone } from "./errors.ts";
import { RestartBudget } from "./restart-budget.ts";
import type { SessionPorts } from "./session-ports.ts";
import type { PromptItem } from "./turn-prompt.ts";
import { planTurn } from "./turn-start.ts";

// Owns one session of one agent: the queue of prompts, the turn that runs, the backend's session.
// S1: one turn at a time; prompts run in the order in which they came.
// S2: the backend's session ends with this one, whatever its turns do.

export interface LiveSessionOptions {
  readonly agent: AgentState;
  /** Unique in the run: `coder/main`, `coder/review`. */
  readonly name: string;
  readonly backend: AgentBackend;
  readonly ports: SessionPorts;
  /** Whether pending messages start turns of their own. */
  readonly wakes: boolean;
}

/** One live session of an agent. */
export class LiveSession {
  readonly name: string;
  readonly #options: LiveSessionOptions;
  readonly #prompts: PromptItem[] = [];
  readonly #restarts: RestartBudget;
  readonly #closing = new AbortController();
  #backendSession: AgentSession | undefined;
  #turn: AgentTurn | undefined;
  #work: Promise<void> | undefined;
  #mayResume = true;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.name = options.name;
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
    this.#work = this.#workOff().finally(() => {
      this.#work = undefined;
      if (this.#prompts.length > 0) this.wake();
    });
  }

  /** Cuts the running turn off. */
  interrupt(stop: StopRequest): void {
    this.#turn?.stop(stop);
  }

  /** Cuts off what runs and ends the backend's session with all its processes. Idempotent. */
  async close(stop: StopRequest): Promise<void> {
    this.#closing.abort(stop);
    this.#turn?.stop(stop);
    await this.#work;
    for (const item of this.#prompts.splice(0))
      item.reject(agentGone({ agent: this.#options.agent.id, reason: "its session was closed" }));
    await this.#endBackend();
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
    const { agent, backend, ports } = this.#options;
    const slot = ports.slots(backend.name);
    const waiting =
      prompt === undefined
        ? this.#closing.signal
        : AbortSignal.any([this.#closing.signal, prompt.signal]);
    try {
      await slot.acquire(waiting);
    } catch {
      // Told to stop before there was a place: the prompt was not started and settles as its signal says.
      prompt?.reject(waiting.reason);
      return true;
    }
    try {
      const takesMessages = backend.takesMessages;
      const planned = planTurn(ports.runtime, agent, { prompt, takesMessages });
      if (planned === undefined) return false;
      const end = await this.#carryOut(
        new AgentTurn({ agent, session: this.name, planned, ports }),
        prompt,
      );
      await this.#afterTurn(end, prompt);
      return true;
    } finally {
      slot.release();
    }
  }

  async #carryOut(turn: AgentTurn, prompt: PromptItem | undefined): Promise<TurnEnd> {
    this.#turn = turn;
    const follow = () => turn.stop(toStopRequest(prompt?.signal.reason));
    if (prompt?.signal.aborted === true) follow();
    prompt?.signal.addEventListener("abort", follow, { once: true });
    try {
      return await turn.run(() => this.#open());
    } finally {
      prompt?.signal.removeEventListener("abort", follow);
      this.#turn = undefined;
    }
  }

  async #afterTurn(end: TurnEnd, prompt: PromptItem | undefined): Promise<void> {
    if (end.status === "settled") {
      if (!end.isSessionUsable) await this.#replaceBackend("replaced");
      return;
    }
    await this.#replaceBackend("crashed");
    if (prompt === undefined) return;
    const { onCrash = "resume" } = this.#options.agent.spec;
    this.#mayResume = onCrash === "resume";
    if (onCrash === "fail" || this.#closing.signal.aborted || !this.#restarts.take()) {
      prompt.reject(fromErrorReport(end.error));
    } else this.#prompts.unshift(prompt);
  }

  async #open(): Promise<AgentSession> {
    if (this.#backendSession !== undefined) return this.#backendSession;
    const { agent, backend, ports } = this.#options;
    const { runtime, host } = ports;
    const known = agent.sessions.get(this.name)?.resume;
    const logFile = ports.logFile(agent.id);
    const session = await backend.open({
      run: runtime.run,
      spec: agent.spec,
      session: this.name,
      cwd: agent.spec.cwd ?? runtime.state.run.cwd,
      env: host.baseEnv(agent.spec.env ?? {}),
      ...(known === undefined || !this.#mayResume ? {} : { resume: known }),
      ...(logFile === undefined ? {} : { logFile }),
    });
    this.#backendSession = session;
    const { resume } = session;
    runtime.append({
      type: "agent-ready",
      agent: agent.id,
      session: this.name,
      ...(resume === undefined ? {} : { resume }),
    });
    await runtime.flushed();
    return session;
  }

  async #replaceBackend(reason: "crashed" | "replaced"): Promise<void> {
    const { agent, ports } = this.#options;
    await this.#endBackend();
    ports.runtime.append({ type: "session-ended", agent: agent.id, session: this.name, reason });
  }

  async #endBackend(): Promise<void> {
    const session = this.#backendSession;
    this.#backendSession = undefined;
    await session?.close();
  }
}

/** The reason of an abort as a request to stop; anything else was a cancellation in other words. */
function toStopRequest(reason: unknown): StopRequest {
  if (
    typeof reason === "object" &&
    reason !== null &&
    "kind" in reason &&
    reason.kind === "suspended"
  ) {
    return { kind: "suspended" };
  }
  const text =
    typeof reason === "object" && reason !== null && "reason" in reason
      ? String(reason.reason)
      : "cancelled";
  return { kind: "cancelled", reason: text };
}
