/**
 * Owns what has become of one message with each agent that it was addressed to.
 *
 * W1 An agent is settled once, by the first of: the turn that took the message ended well; the message was given
 *    up; the agent's or the run's life is over.
 * W2 A turn that failed settles nothing while the message waits for another turn.
 */
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { interruptionText } from "../../../fold/interruption-text.ts";
import { startsAgain } from "../../../fold/state/starts-again.ts";

/** What an agent said to a message. */
export interface Answer {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
}

/** Why an agent said nothing. */
export interface MissingAnswer {
  readonly agent: string;
  readonly reason: string;
}

/** Looks for the answers to one message in the events that follow it. */
export interface AnswerWatch {
  /** Takes the next event of the run; whether anybody is still to answer. */
  observe(event: JournalEvent): boolean;
  /** Nobody answers any more, for this reason. */
  giveUp(reason: string): void;
  /** Agents that have neither answered nor failed, in the order of address. */
  readonly open: readonly string[];
  /** In the order in which they came. */
  readonly answers: readonly Answer[];
  readonly missing: readonly MissingAnswer[];
}

/** An addressee that is not settled. */
interface Waiting {
  readonly agent: string;
  turn: number | undefined;
  isAcked: boolean;
  /** What it posted in the turn that took the message. */
  said: string[];
  /** Why the last turn with the message was for nothing. */
  trouble: string | undefined;
}

/** A watch over the message `id` and the agents that it was addressed to. */
export function createAnswerWatch(id: string, agents: readonly string[]): AnswerWatch {
  const waiting = new Map<string, Waiting>();
  for (const agent of agents)
    waiting.set(agent, { agent, turn: undefined, isAcked: false, said: [], trouble: undefined });
  const answers: Answer[] = [];
  const missing: MissingAnswer[] = [];
  const fail = ({ agent }: Waiting, reason: string) => {
    waiting.delete(agent);
    missing.push({ agent, reason });
  };
  const giveUp = (reason: string) => {
    for (const each of [...waiting.values()]) fail(each, reason);
  };
  const observe = (event: JournalEvent) => {
    if (event.type === "run-ended") giveUp(`its run is over (${event.outcome})`);
    const each = waiting.get(actorOf(event));
    const news = each === undefined ? undefined : advance(each, event, id);
    if (each === undefined || news === undefined) return waiting.size > 0;
    if (news.kind === "missing") fail(each, news.reason);
    else {
      waiting.delete(each.agent);
      answers.push(news.answer);
    }
    return waiting.size > 0;
  };
  return {
    observe,
    giveUp,
    get open() {
      return [...waiting.keys()];
    },
    answers,
    missing,
  };
}

type News =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "missing"; readonly reason: string };

function actorOf(event: JournalEvent): string {
  if (event.type === "message-posted") return event.from;
  return "agent" in event ? (event.agent ?? "") : "";
}

/** Moves an addressee on by an event of its own; what settles it. */
function advance(each: Waiting, event: JournalEvent, id: string): News | undefined {
  switch (event.type) {
    case "turn-started":
      if (event.items.some((item) => item.kind === "message" && item.id === id))
        take(each, event.turn);
      return undefined;
    case "message-delivered":
      if (event.ids.includes(id)) take(each, event.turn);
      return undefined;
    case "message-acked":
      if (event.ids.includes(id)) each.isAcked = true;
      return undefined;
    case "message-posted":
      if (each.turn !== undefined) each.said.push(event.text);
      return undefined;
    case "message-dead":
      if (event.id !== id) return undefined;
      return { kind: "missing", reason: each.trouble ?? `given up after ${event.attempts} turns` };
    case "agent-exited":
      return { kind: "missing", reason: each.trouble ?? `it is gone (${event.reason})` };
    case "turn-completed":
    case "turn-failed":
    case "turn-interrupted":
      return event.turn === each.turn ? endTurn(each, event) : undefined;
    default:
      return undefined;
  }
}

function take(each: Waiting, turn: number): void {
  each.turn = turn;
  each.said = [];
}

type TurnEnd = Extract<
  JournalEvent,
  { readonly type: "turn-completed" | "turn-failed" | "turn-interrupted" }
>;

function endTurn(each: Waiting, event: TurnEnd): News | undefined {
  const { agent, said } = each;
  const { turn } = event;
  if (event.type === "turn-completed" && (event.stopReason === "end_turn" || each.isAcked)) {
    const text = event.text.trim() === "" ? said.join("\n\n") : event.text;
    return { kind: "answered", answer: { agent, turn, text } };
  }
  each.turn = undefined;
  each.trouble = troubleOf(event);
  if (event.type === "turn-interrupted" && startsAgain(event.reason)) return undefined;
  return each.isAcked ? { kind: "missing", reason: each.trouble } : undefined;
}

function troubleOf(event: TurnEnd): string {
  switch (event.type) {
    case "turn-completed":
      return `its turn stopped: ${event.stopReason}`;
    case "turn-failed":
      return `its turn failed: ${event.error.message} [${event.error.code}]`;
    case "turn-interrupted":
      return `its turn was cut off: ${interruptionText(event.reason)}`;
  }
}
