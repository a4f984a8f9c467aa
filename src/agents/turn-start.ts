import type { TurnItem } from "../contracts/events/agent-events.ts";
import type { Message } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { pendingMessages } from "../fold/message-reading.ts";
import type { AgentState, TurnState } from "../fold/state/agent-state.ts";
import type { PromptItem } from "./turn-prompt.ts";

/** A turn that is about to start: what it takes from the mailbox and how it is called. */
export interface PlannedTurn {
  readonly turn: number;
  readonly attempt: number;
  readonly key: string;
  readonly prompt: PromptItem | undefined;
  readonly messages: readonly Message[];
}

const MAX_MESSAGE_ATTEMPTS = 5;
/** Most messages that one turn takes, so that a flooded inbox does not make an endless prompt. */
const MAX_MESSAGES_PER_TURN = 100;

/**
 * What the agent's next turn is made of, or undefined when nothing waits. A turn that was cut off with its
 * owner keeps its number and key; messages that too many turns have taken in vain go to the dead letters.
 */
export function planTurn(
  runtime: RunRuntime,
  agent: AgentState,
  wanted: { readonly prompt: PromptItem | undefined; readonly takesMessages: boolean },
): PlannedTurn | undefined {
  const { prompt, takesMessages } = wanted;
  const messages = takesMessages ? takeMessages(runtime, agent) : [];
  const [first] = messages;
  if (prompt === undefined && first === undefined) return undefined;
  const before = findInterrupted(agent, prompt);
  return {
    turn: before?.turn ?? agent.lastTurn + 1,
    attempt: (before?.attempt ?? 0) + 1,
    key: prompt?.key ?? before?.key ?? `${runtime.run}/${first?.id ?? ""}`,
    prompt,
    messages,
  };
}

/** The items of a planned turn as the journal names them. */
export function itemsOf(planned: PlannedTurn): readonly TurnItem[] {
  const prompts: TurnItem[] =
    planned.prompt === undefined ? [] : [{ kind: "prompt", op: planned.prompt.op }];
  return [...prompts, ...planned.messages.map(({ id }): TurnItem => ({ kind: "message", id }))];
}

function takeMessages(runtime: RunRuntime, agent: AgentState): readonly Message[] {
  const pending = pendingMessages(runtime.state, agent.id, MAX_MESSAGES_PER_TURN);
  for (const { message, attempts } of pending) {
    if (attempts < MAX_MESSAGE_ATTEMPTS) continue;
    runtime.append({ type: "message-dead", agent: agent.id, id: message.id, attempts });
  }
  return pending
    .filter(({ attempts }) => attempts < MAX_MESSAGE_ATTEMPTS)
    .map(({ message }) => message);
}

function findInterrupted(agent: AgentState, prompt: PromptItem | undefined): TurnState | undefined {
  for (const turn of agent.interruptedTurns.values()) {
    const promptItem = turn.items.find((item) => item.kind === "prompt");
    if (
      prompt === undefined
        ? promptItem === undefined
        : promptItem?.kind === "prompt" && promptItem.op === prompt.op
    ) {
      return turn;
    }
  }
  return undefined;
}
