import type { JournalEvent } from "../contracts/events/event.ts";
import type { Selector, SelectorKind } from "../contracts/selector.ts";

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
