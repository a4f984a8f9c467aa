import type { EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { hasWakingMessages } from "../fold/message-reading.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionDirectory } from "./session-directory.ts";

/** Whom messages can wake. */
export interface AgentWakerOptions {
  readonly runtime: RunRuntime;
  readonly sessions: SessionDirectory;
  /** The session that an agent keeps, made if need be. */
  readonly keptSession: (agent: AgentState) => LiveSession;
  /** Whether an agent takes nothing new. */
  readonly isLeaving: (agent: string) => boolean;
  /** Whether processes of agents are connected that want to hear of mentions. */
  readonly tellsMentions: boolean;
}

/** Wakes agents for what comes in, and cuts off the turns that a message interrupts. */
export class AgentWaker {
  readonly #options: AgentWakerOptions;

  constructor(options: AgentWakerOptions) {
    this.#options = options;
  }

  /** Wakes whom an event concerns. */
  take(event: JournalEvent): void {
    if (event.type === "message-posted") this.#wakeReaders(event);
    if (event.type !== "shadow-called") return;
    const agent = findAgent(this.#options.runtime.state, event.agent);
    if (agent !== undefined) this.wake(agent);
  }

  /** Only a kept session can be woken; others read their inbox with their next prompt. */
  wake(agent: AgentState): void {
    const { runtime, isLeaving, keptSession } = this.#options;
    if (agent.spec.session !== "keep" || agent.status === "exited" || isLeaving(agent.id)) return;
    if (hasWakingMessages(runtime.state, agent.id)) keptSession(agent).wake();
  }

  #wakeReaders(event: EventOf<"message-posted">): void {
    const { runtime, sessions, tellsMentions } = this.#options;
    if (tellsMentions) this.#tellMentioned(event);
    for (const reader of event.to ?? event.mentions) {
      const agent = findAgent(runtime.state, reader);
      if (agent === undefined || agent.status === "exited") continue;
      if (event.interrupt === true)
        for (const session of sessions.ofAgent(agent.id)) session.interrupt({ kind: "retaken" });
      this.wake(agent);
    }
  }

  /** For clients that are connected; nobody's wake-up depends on it (MCP-4). */
  #tellMentioned({ from, text: message, mentions, at }: EventOf<"message-posted">): void {
    if (mentions.length === 0) return;
    const { runtime, sessions } = this.#options;
    const timestamp = toIsoTime(at);
    runtime.whenDurable(() => {
      for (const target of mentions) {
        for (const session of sessions.ofAgent(target))
          session.mention({ from, target, message, timestamp });
      }
    });
  }
}
