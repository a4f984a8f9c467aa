import type { AgentSpec } from "../../contracts/agent.ts";
import type { ConversationBounds } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { SelectorKind, Subscription } from "../../contracts/selector.ts";

// What the facts of a run say about how it is to end. Pure: a fact in, a state out; `BoundWatch` takes facts in for others.

/** Facts that a conversation is made of. */
export const CONVERSATION_KINDS: readonly SelectorKind[] = [
  ...(["message", "turn-started", "turn-ended", "agent-exited"] as const),
  ...(["document", "file", "dead-letter"] as const),
];

/** How far a conversation has come. */
export interface Conversation {
  readonly turns: number;
  /** The number of the first turn of each agent that belongs to it, by id. */
  readonly firstTurns: ReadonlyMap<string, number>;
  /** Of agents. */
  readonly messages: number;
  /** The two agents that spoke last, the last one first. */
  readonly speakers: readonly string[];
  /** How often these two took turns without anybody or anything else. */
  readonly alternations: number;
  /** Agents that belong to it and whose life is over. */
  readonly exited: ReadonlySet<string>;
  /** Why agents that ended with an error did, by id. */
  readonly exitErrors: ReadonlyMap<string, string>;
  /** What agents said last, if that is that they failed, by id. */
  readonly negatives: ReadonlyMap<string, string>;
  /** Agents with messages that were given up. */
  readonly deadLetters: readonly string[];
  /** The bound that is broken, in words. */
  readonly broken: string | undefined;
}

/** Nothing has happened yet. */
export const SILENCE: Conversation = {
  turns: 0,
  firstTurns: new Map(),
  messages: 0,
  speakers: [],
  alternations: 0,
  exited: new Set(),
  exitErrors: new Map(),
  negatives: new Map(),
  deadLetters: [],
  broken: undefined,
};

/** Who did what an event tells. */
export function actorOf(event: JournalEvent): string | undefined {
  if ("agent" in event) return event.agent;
  return "from" in event ? event.from : undefined;
}

/** The conversation after one more fact. A bound is broken by whoever goes on when it is used up. */
export function advance(
  before: Conversation,
  event: JournalEvent,
  bounds: ConversationBounds,
): Conversation {
  const after = withFact(before, event);
  const broken = before.broken ?? brokenBound(after, event, bounds);
  return broken === undefined ? after : { ...after, broken };
}

/** Who is who in a conversation, and how it is bounded. */
interface Hearing {
  /** Agents that belong to it. */
  readonly members: ReadonlySet<string>;
  /** Agents that only look on: nothing of theirs counts. */
  readonly watchers: ReadonlySet<string>;
  readonly bounds: ConversationBounds;
}

/**
 * The conversation after one more fact, whoever it is about. Agents that others have spawned do not belong to it: how
 * they end, what they say of themselves and how often they work is for whoever spawned them. What they post does count
 * as messages, so that two of them cannot write to each other for ever.
 */
export function hear(
  before: Conversation,
  event: JournalEvent,
  { members, watchers, bounds }: Hearing,
): Conversation {
  const actor = actorOf(event);
  if (actor === undefined || OUTSIDE.has(actor) || members.has(actor))
    return advance(before, event, bounds);
  if (watchers.has(actor)) return before;
  if (event.type === "file-changed") return advance(before, event, bounds);
  if (event.type !== "message-posted") return before;
  const after = { ...before, messages: before.messages + 1 };
  const broken = before.broken ?? spentMessages(after, bounds, 1);
  return broken === undefined ? after : { ...after, broken };
}

/** Who takes part without being an agent. */
const OUTSIDE: ReadonlySet<string> = new Set(["system", "user"]);

function withFact(state: Conversation, event: JournalEvent): Conversation {
  switch (event.type) {
    case "turn-started":
      return withTurn(state, event);
    case "message-posted":
      return withSpeaker(state, event.from);
    case "document-changed":
    case "file-changed":
      return { ...state, alternations: 0 };
    case "turn-completed":
      return { ...withSignals(state, event), turns: state.turns + 1 };
    case "turn-failed":
      return { ...state, turns: state.turns + 1 };
    case "agent-exited": {
      const { agent, error } = event;
      const exited = new Set(state.exited).add(agent);
      if (error === undefined) return { ...state, exited };
      return { ...state, exited, exitErrors: new Map(state.exitErrors).set(agent, error.message) };
    }
    case "message-dead":
      return { ...state, deadLetters: [...state.deadLetters, event.agent] };
    default:
      return state;
  }
}

function withTurn(
  state: Conversation,
  { agent, turn }: Extract<JournalEvent, { type: "turn-started" }>,
): Conversation {
  if (state.firstTurns.has(agent)) return state;
  return { ...state, firstTurns: new Map(state.firstTurns).set(agent, turn) };
}

function withSpeaker(state: Conversation, speaker: string): Conversation {
  if (speaker === "system") return state;
  if (speaker === "user") return { ...state, speakers: [], alternations: 0 };
  const messages = state.messages + 1;
  const [last, other] = state.speakers;
  if (speaker === last) return { ...state, messages };
  if (last === undefined) return { ...state, messages, speakers: [speaker] };
  const isSamePair = other === undefined || other === speaker;
  const alternations = isSamePair ? state.alternations + 1 : 1;
  return { ...state, messages, speakers: [speaker, last], alternations };
}

function withSignals(
  state: Conversation,
  { agent, signals }: Extract<JournalEvent, { type: "turn-completed" }>,
): Conversation {
  if (signals.length === 0) return state;
  const negative = signals.find(({ kind }) => kind === "failed" || kind === "blocked");
  const negatives = new Map(state.negatives);
  if (negative === undefined) negatives.delete(agent);
  else negatives.set(agent, `${negative.kind.toUpperCase()}: ${negative.value}`);
  return { ...state, negatives };
}

function brokenBound(
  state: Conversation,
  event: JournalEvent,
  bounds: ConversationBounds,
): string | undefined {
  const { alternations, speakers, firstTurns } = state;
  const { turnsPerAgent = Infinity, pingPong = Infinity } = bounds;
  const isTurn = event.type === "turn-started";
  const before = isTurn ? (firstTurns.get(event.agent) ?? 1) - 1 : 0;
  if (isTurn && event.turn - before > turnsPerAgent)
    return `agent "${event.agent}" has had ${turnsPerAgent} turns (options.bounds.turnsPerAgent)`;
  if (!isTurn && event.type !== "message-posted") return undefined;
  // A turn that starts goes on with what is used up; a message is over it only as one too many.
  const slack = isTurn ? 0 : 1;
  const spent = spentMessages(state, bounds, slack);
  if (spent !== undefined) return spent;
  if (alternations >= pingPong + slack)
    return `${speakers.join(" and ")} only answered each other, ${pingPong} times (options.bounds.pingPong)`;
  return undefined;
}

function spentMessages(
  { messages }: Conversation,
  { messages: most = Infinity }: ConversationBounds,
  slack: number,
): string | undefined {
  return messages >= most + slack
    ? `the agents have posted ${most} messages (options.bounds.messages)`
    : undefined;
}

/** Whose conversation is bounded, and how. */
export interface BoundedTalk {
  readonly members: readonly Pick<AgentSpec, "id">[];
  readonly bounds: ConversationBounds;
}

/** Keeps turns that a pattern gives itself within the bounds that are written for it (PAT-bounds). */
export class BoundWatch {
  readonly #context: Context;
  readonly #facts: Subscription;
  readonly #members: ReadonlySet<string>;
  readonly #bounds: ConversationBounds;
  #conversation = SILENCE;

  /** Counts from here on. */
  constructor(context: Context, { members, bounds }: BoundedTalk) {
    this.#context = context;
    this.#facts = context.subscribe({ kinds: CONVERSATION_KINDS });
    this.#members = new Set(members.map(({ id }) => id));
    this.#bounds = bounds;
  }

  /** The bound that is broken, in words. */
  get broken(): string | undefined {
    return this.#conversation.broken;
  }

  /** Calls at once when a bound breaks. What it returns ends that, and first takes in what has happened until then. */
  follow(onBroken: () => void): () => Promise<void> {
    const scope = this.#context.scope("bounds", async (branch) => {
      await this.#hear(branch, {});
      onBroken();
    });
    const over = Promise.allSettled([scope.result]);
    return async () => {
      scope.cancel("the turns are over");
      await over;
      await this.#hear(this.#context, { timeoutMs: 0 });
    };
  }

  /** Takes in what happens until a bound is broken, or nothing more has happened within a time. */
  async #hear(branch: Context, options: { readonly timeoutMs?: number }): Promise<void> {
    while (this.broken === undefined) {
      const event = await branch.next(this.#facts, options);
      if (event === undefined) return;
      const actor = event.type === "document-changed" ? event.by : actorOf(event);
      if (actor === "user" || this.#members.has(actor ?? ""))
        this.#conversation = advance(this.#conversation, event, this.#bounds);
    }
  }
}
