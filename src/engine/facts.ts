import type { JournalEvent } from "../contracts/events/event.ts";
import type { Selector, SelectorKind } from "../contracts/selector.ts";

/** Where facts come from that are not kept. */
export interface FactSource {
  /** The events after a place, oldest first. */
  eventsAfter(seq: number): Iterable<JournalEvent>;
  /** So many of the newest messages are kept at least; all other facts are kept. */
  readonly mostMessages: number;
}

/** Waits for one fact. */
interface Waiter {
  readonly selector: Selector;
  readonly take: (event: JournalEvent) => void;
}

/** The facts of a run in the order of the journal, and who waits for the next ones. */
export class FactStream {
  readonly #source: FactSource;
  readonly #others: JournalEvent[] = [];
  /** The newest messages: those after `#forgottenUntil`. */
  readonly #messages: JournalEvent[] = [];
  #forgottenUntil = 0;
  readonly #waiters = new Set<Waiter>();

  constructor(source: FactSource) {
    this.#source = source;
  }

  /** Takes an event in; facts go to all whose selector matches. */
  add(event: JournalEvent): void {
    if (!isFact(event)) return;
    if (event.type === "message-posted") this.#addMessage(event);
    else this.#others.push(event);
    for (const waiter of [...this.#waiters]) {
      if (!matchesSelector(waiter.selector, event)) continue;
      this.#waiters.delete(waiter);
      waiter.take(event);
    }
  }

  /** The first matching fact with seq > `afterSeq` that is already there. */
  firstAfter(selector: Selector, afterSeq: number): JournalEvent | undefined {
    const other = firstMatch(this.#others, selector, afterSeq);
    const { kinds } = selector;
    if (!kinds.includes("message")) return other;
    const message =
      this.#forgotten(selector, { after: afterSeq, before: other?.seq ?? Infinity }) ??
      firstMatch(this.#messages, selector, afterSeq);
    return (message?.seq ?? Infinity) < (other?.seq ?? Infinity) ? message : other;
  }

  /** Calls `take` with the next matching fact; the result ends the wait. */
  wait(selector: Selector, take: (event: JournalEvent) => void): () => void {
    const waiter = { selector, take };
    this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** The fact at a seq that an outcome names. */
  at(seq: number): JournalEvent | undefined {
    const kept = findAt(this.#others, seq) ?? findAt(this.#messages, seq);
    if (kept !== undefined || seq > this.#forgottenUntil) return kept;
    const [event] = this.#source.eventsAfter(seq - 1);
    return event?.seq === seq && isFact(event) ? event : undefined;
  }

  #addMessage(event: JournalEvent): void {
    const { mostMessages } = this.#source;
    this.#messages.push(event);
    if (this.#messages.length <= 2 * mostMessages) return;
    const forgotten = this.#messages.splice(0, mostMessages);
    this.#forgottenUntil = forgotten.at(-1)?.seq ?? this.#forgottenUntil;
  }

  /** The first matching message that is kept no more, within a stretch of the journal. */
  #forgotten(
    selector: Selector,
    { after, before }: { readonly after: number; readonly before: number },
  ): JournalEvent | undefined {
    const last = Math.min(this.#forgottenUntil, before);
    if (after >= last) return undefined;
    for (const event of this.#source.eventsAfter(after)) {
      if (event.seq > last) return undefined;
      if (event.type === "message-posted" && matchesSelector(selector, event)) return event;
    }
    return undefined;
  }
}

function firstMatch(
  facts: readonly JournalEvent[],
  selector: Selector,
  afterSeq: number,
): JournalEvent | undefined {
  for (let index = indexAfter(facts, afterSeq); index < facts.length; index += 1) {
    const event = facts[index];
    if (event !== undefined && matchesSelector(selector, event)) return event;
  }
  return undefined;
}

function findAt(facts: readonly JournalEvent[], seq: number): JournalEvent | undefined {
  const event = facts[indexAfter(facts, seq - 1)];
  return event?.seq === seq ? event : undefined;
}

function indexAfter(facts: readonly JournalEvent[], afterSeq: number): number {
  let low = 0;
  let high = facts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((facts[middle]?.seq ?? Infinity) <= afterSeq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a selector can ask of a fact. */
interface FactView {
  readonly kinds: readonly SelectorKind[];
  /** Whose fact it is. */
  readonly from: string;
  readonly to?: readonly string[];
  readonly channel?: string | undefined;
  readonly signals?: readonly string[];
}

/** Whether programs can wait for an event of this type at all. */
export function isFact(event: JournalEvent): boolean {
  return viewFact(event) !== undefined;
}

/** Whether a fact is what the selector asks for. Names compare without case. */
export function matchesSelector(selector: Selector, event: JournalEvent): boolean {
  const fact = viewFact(event);
  if (fact === undefined || !overlaps(selector.kinds, fact.kinds)) return false;
  if (selector.from !== undefined && !hasName(selector.from, fact.from)) return false;
  if (selector.channel !== undefined && selector.channel !== fact.channel) return false;
  return overlaps(selector.to, fact.to) && overlaps(selector.signals, fact.signals);
}

/** The one place that says which events are facts for programs, and what can be asked of each. */
function viewFact(event: JournalEvent): FactView | undefined {
  switch (event.type) {
    case "message-posted": {
      const { from, channel, signals, to = event.mentions } = event;
      return { kinds: ["message"], from, to, channel, signals };
    }
    case "turn-started":
      return { kinds: ["turn-started"], from: event.agent };
    case "turn-completed":
      return {
        kinds: ["turn-ended"],
        from: event.agent,
        signals: event.signals.map((signal) => signal.kind),
      };
    case "turn-failed":
      return { kinds: ["turn-ended"], from: event.agent };
    case "agent-spawned":
    case "agent-ready":
    case "agent-status":
      return { kinds: ["agent-status"], from: event.agent };
    case "agent-exited":
      return { kinds: ["agent-status", "agent-exited"], from: event.agent };
    case "signal-received":
      return {
        kinds: ["signal"],
        from: event.agent,
        signals: event.counted ? [event.signal.kind] : [],
      };
    case "request-received":
      return { kinds: ["request"], from: event.agent };
    case "document-changed":
      return { kinds: ["document"], from: event.by };
    case "file-changed":
      return { kinds: ["file"], from: event.agent };
    case "message-dead":
      return { kinds: ["dead-letter"], from: event.agent };
    default:
      return undefined;
  }
}

function overlaps(
  wanted: readonly string[] | undefined,
  found: readonly string[] | undefined,
): boolean {
  return wanted === undefined || (found ?? []).some((name) => hasName(wanted, name));
}

function hasName(names: readonly string[], name: string): boolean {
  return names.some((known) => known.toLowerCase() === name.toLowerCase());
}
