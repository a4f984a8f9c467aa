import type { Message, MessageDraft, PostReceipt } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/agent-lookup.ts";
import type { RunState } from "../fold/run-state.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS, ulid } from "../foundation/ids.ts";
import { seededRandom } from "../foundation/random.ts";
import { readSignals } from "../signals/read-signals.ts";
import { askPerson, questionId } from "./ask-person.ts";
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  messageEmpty,
  messageTooLarge,
  messageUnknownChannel,
  messageUnknownRecipient,
} from "./errors.ts";
import { findMentions, type Mentions, PEOPLE } from "./mentions.ts";

/** Who posts what. The sender is authenticated by the caller; no draft can set it. */
export interface Posting {
  readonly from: string;
  readonly draft: MessageDraft;
  /** Recognises the same message when its sender's turn is attempted again. */
  readonly key: string;
  /** The run's main channel. */
  readonly mainChannel: string;
}

/**
 * Appends a message and says who gets it; an agent's message that names a person becomes a question in the
 * inbox, in the same group of events. A key that is known already posts nothing and gets the first receipt.
 * Raises MESSAGE_EMPTY, MESSAGE_TOO_LARGE, MESSAGE_UNKNOWN_RECIPIENT, MESSAGE_UNKNOWN_CHANNEL.
 */
export function postMessage(runtime: RunRuntime, posting: Posting): PostReceipt {
  const known = runtime.state.messages.byKey.get(posting.key);
  if (known !== undefined) return knownReceipt(runtime.state, known, posting.key);
  const { from, draft, key } = posting;
  const text = draft.text.toWellFormed();
  const to = assertPostable(runtime.state, from, draft);
  const channel =
    to === undefined ? resolveChannel(draft.channel ?? posting.mainChannel, posting) : undefined;
  const mentions = readMentions(runtime, from, text);
  const message = {
    id: ulid(runtime.timers.now(), seededRandom(`${runtime.run}:${key}`)),
    from,
    ...(to === undefined ? {} : { to }),
    ...(channel === undefined ? {} : { channel }),
    text,
    mentions: mentions.mentions,
    ...(draft.threadId === undefined ? {} : { threadId: draft.threadId }),
    signals: readSignals(text).signals.map((signal) => signal.kind),
    ...(draft.interrupt === undefined ? {} : { interrupt: draft.interrupt }),
  };
  const { seq } = runtime.append({ type: "message-posted", ...message, key });
  const receipt = toReceipt({ ...message, seq }, mentions.unknown);
  if (!mentions.people && !to?.some((name) => PEOPLE.has(name))) return receipt;
  const question = askPerson(runtime, message, key);
  return question === undefined ? receipt : { ...receipt, question };
}

/**
 * The addressees of a draft, by their ids; undefined when it is for a channel. Raises MESSAGE_EMPTY,
 * MESSAGE_TOO_LARGE, MESSAGE_UNKNOWN_RECIPIENT.
 */
export function assertPostable(
  state: RunState,
  from: string,
  draft: Pick<MessageDraft, "text" | "to">,
): readonly string[] | undefined {
  assertText(from, draft.text.toWellFormed());
  return draft.to?.map((name) => resolveRecipient(state, name));
}

function assertText(from: string, text: string): void {
  if (text.trim() === "") throw messageEmpty({ from });
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > DEFAULT_MAX_MESSAGE_BYTES) {
    throw messageTooLarge({ from, sizeBytes, maxBytes: DEFAULT_MAX_MESSAGE_BYTES });
  }
}

function resolveRecipient(state: RunState, name: string): string {
  const bare = name.replace(/^@/, "");
  if (RESERVED_AGENT_IDS.has(bare.toLowerCase())) return bare.toLowerCase();
  const agent = findAgent(state, bare);
  if (agent !== undefined) return agent.id;
  throw messageUnknownRecipient({ recipient: name, known: [...state.agents.keys()] });
}

function resolveChannel(channel: string, { mainChannel }: Posting): string {
  const bare = channel.replace(/^#/, "");
  if (bare === mainChannel || ID_PATTERN.test(bare)) return bare;
  throw messageUnknownChannel({ channel, known: [mainChannel] });
}

function readMentions(runtime: RunRuntime, sender: string, text: string): Mentions {
  // Most messages mention nobody; then the number of agents must not matter.
  const known = text.includes("@") ? [...runtime.state.agents.keys()] : [];
  return findMentions(text, { known, sender });
}

function knownReceipt(state: RunState, message: Message, key: string): PostReceipt {
  const receipt = toReceipt(message, []);
  const question = questionId(state, key);
  const isAsked = state.inbox.has(question) || state.resolved.has(question);
  return isAsked ? { ...receipt, question } : receipt;
}

function toReceipt(
  message: Pick<Message, "id" | "seq" | "to" | "mentions">,
  unknown: readonly string[],
): PostReceipt {
  const recipients = message.to ?? message.mentions;
  return { id: message.id, seq: message.seq, recipients, unknownMentions: unknown };
}
