import type { MessageCopy, ShadowBinding, ShadowTrigger } from "../../contracts/shadow.ts";
import { agentKey } from "../../fold/state/agent-lookup.ts";
import { readSignals } from "../../signals/read-signals.ts";

/** A message as its shadows look at it. */
export interface ObservedMessage {
  readonly from: string;
  readonly isFromShadow: boolean;
  /** Whose inboxes it lands in. */
  readonly recipients: readonly string[];
  readonly requestsReview: boolean;
  /** Set on what Troupe itself tells its recipients about the agent that they watch. */
  readonly notice?: ShadowTrigger | undefined;
}

/** What a message means for one shadow; nothing, when it is empty. */
export interface Shadowing {
  /** It gets a copy. */
  readonly copy?: MessageCopy;
  /** It may speak. */
  readonly trigger?: ShadowTrigger;
}

const REVIEW_REQUEST: ShadowTrigger = "REVIEW_REQUEST";
const PERSON = "user";

/**
 * What one message means for one shadow. A person is always heard. What a shadow says calls no shadow, so that
 * shadows cannot keep each other talking; and a message that calls one always reaches it.
 */
export function decideShadowing(
  shadow: { readonly id: string; readonly binding: ShadowBinding },
  message: ObservedMessage,
): Shadowing {
  const { id, binding } = shadow;
  if (isSame(message.from, id)) return {};
  const isAddressed = message.recipients.some((name) => isSame(name, id));
  const direction = directionOf(binding, message);
  const isCopied =
    direction === "outgoing"
      ? binding.receiveOutgoing
      : direction === "incoming" && binding.receiveIncoming;
  const trigger = triggerOf(binding, message, {
    isAddressed,
    isReceived: isAddressed || isCopied,
    isOutgoing: direction === "outgoing",
  });
  const isDue = direction !== undefined && !isAddressed && (isCopied || trigger !== undefined);
  return {
    ...(isDue ? { copy: { of: binding.of, direction } } : {}),
    ...(trigger === undefined ? {} : { trigger }),
  };
}

/** Whether a text asks for a review: a line begins with `REVIEW_REQUEST`, alone or with what to look at. */
export function requestsReview(text: string): boolean {
  if (!text.includes(REVIEW_REQUEST)) return false;
  const { signals } = readSignals(text, { markers: [REVIEW_REQUEST] });
  return signals.some(({ kind }) => kind === REVIEW_REQUEST);
}

interface Reception {
  readonly isAddressed: boolean;
  readonly isReceived: boolean;
  readonly isOutgoing: boolean;
}

function triggerOf(
  { speakOn }: ShadowBinding,
  { from, isFromShadow, requestsReview: asksForReview, notice }: ObservedMessage,
  { isAddressed, isReceived, isOutgoing }: Reception,
): ShadowTrigger | undefined {
  if (isAddressed && notice !== undefined) return notice;
  if (isAddressed && from === PERSON) return "EXPLICIT_ASK";
  if (isFromShadow) return undefined;
  if (isAddressed && speakOn.includes("EXPLICIT_ASK")) return "EXPLICIT_ASK";
  if (isOutgoing && asksForReview && speakOn.includes(REVIEW_REQUEST)) return REVIEW_REQUEST;
  return isReceived && speakOn.includes("ALL_MESSAGES") ? "ALL_MESSAGES" : undefined;
}

function directionOf(
  { of }: ShadowBinding,
  { from, recipients }: ObservedMessage,
): MessageCopy["direction"] | undefined {
  if (isSame(from, of)) return "outgoing";
  return recipients.some((name) => isSame(name, of)) ? "incoming" : undefined;
}

function isSame(left: string, right: string): boolean {
  return agentKey(left) === agentKey(right);
}
