import type {
  Message,
  MessageDraft,
  OptimisticDraft,
  PostReceipt,
  PostResult,
} from "../contracts/message.ts";
import type { ShadowBinding, ShadowTrigger } from "../contracts/shadow.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { unseenBy } from "../fold/message-reading.ts";
import { findAgent, shadowsOf } from "../fold/state/agent-lookup.ts";
import { isPostedUnder, type MessageSource, messageUnder } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { sha256 } from "../foundation/hash.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS, ulid } from "../foundation/ids.ts";
import { SECRET_MASK } from "../foundation/masked-text.ts";
import { present } from "../foundation/present.ts";
import { seededRandom } from "../foundation/random.ts";
import { readSignals } from "../signals/read-signals.ts";
import { askPerson, questionId } from "./ask-person.ts";
import { assertMayWrite, mayWriteTo } from "./edges.ts";
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  messageEmpty,
  messageKeyReused,
  messageTooLarge,
  messageUnknownChannel,
  messageUnknownRecipient,
} from "./errors.ts";
import { findMentions, type Mentions, PEOPLE } from "./mentions.ts";
import { MAX_TRAVELLING_BYTES, shortForm } from "./message-body.ts";
import { channelsOf } from "./read-channel.ts";
import { assertMaySend } from "./sending-rate.ts";
import { decideShadowing, requestsReview } from "./shadows/decide-shadowing.ts";

/** Who posts what. The sender is authenticated by the caller; no draft can set it. */
export interface Posting {
  readonly from: string;
  readonly draft: MessageDraft;
  /** Recognises the same message when its sender's turn is attempted again. */
  readonly key: string;
  /** The run's main channel. */
  readonly mainChannel: string;
  /** The part of the text that may mention somebody. Defaults to all of it. */
  readonly mentionsIn?: string;
  /** Set on what Troupe itself tells shadows about the agent that they watch. */
  readonly notice?: ShadowTrigger;
  /** Whether the program decided to whom it goes, whatever the sender may write to others. Defaults to false. */
  readonly isReport?: boolean;
}

/**
 * Appends a message and says who gets it; an agent's message that names a person becomes a question in the
 * inbox, and shadows get their copies, in the same group of events. A key that is known already posts nothing and gets the first receipt.
 * Raises MESSAGE_EMPTY, MESSAGE_TOO_LARGE, MESSAGE_UNKNOWN_RECIPIENT, MESSAGE_UNKNOWN_CHANNEL,
 * MESSAGE_NOT_PERMITTED.
 */
export function postMessage(runtime: RunRuntime, posting: Posting): PostReceipt {
  const known = messageUnder(runtime, posting.key);
  if (known !== undefined) return knownReceipt(runtime.state, known, posting.key);
  const { from, draft, key } = posting;
  const { state } = runtime;
  const text = draft.text.toWellFormed();
  const to = assertPostable(state, from, draft);
  if (posting.isReport !== true) assertMayWrite(state, from, to);
  const channel = to === undefined ? resolveChannel(state, posting) : undefined;
  const mentions = permitted(state, from, readMentions(runtime, from, posting.mentionsIn ?? text));
  const message = {
    id: ulid(runtime.timers.now(), seededRandom(`${runtime.run}:${key}`)),
    from,
    ...present({ to, channel }),
    ...toTravel(runtime, text),
    mentions: mentions.mentions,
    ...(draft.threadId === undefined ? {} : { threadId: draft.threadId }),
    signals: readSignals(text).signals.map((signal) => signal.kind),
    ...present({ interrupt: draft.interrupt, terms: draft.terms }),
  };
  const { seq } = runtime.append({ type: "message-posted", ...message, key });
  informShadows(runtime, { ...message, text, notice: posting.notice });
  const receipt = {
    ...toReceipt({ ...message, seq }, mentions.unknown),
    ...(mentions.refused.length === 0 ? {} : { refusedMentions: mentions.refused }),
  };
  if (!mentions.people && !to?.some((name) => PEOPLE.has(name))) return receipt;
  const question = askPerson(runtime, message, key);
  return question === undefined ? receipt : { ...receipt, question };
}

/**
 * Whether a message has been posted under a key already. Raises MESSAGE_KEY_REUSED when it was another one: whoever
 * sends by a key of her own choice must not lose a message to an earlier one.
 */
export function isPosted(
  source: MessageSource,
  { from, draft, key }: Pick<Posting, "from" | "draft" | "key">,
): boolean {
  const known = messageUnder(source, key);
  if (known === undefined) return false;
  const text = draft.text.toWellFormed();
  const isLong = Buffer.byteLength(text) > MAX_TRAVELLING_BYTES;
  // What was masked on its way into the journal cannot be compared any more.
  const isSameText =
    known.text.includes(SECRET_MASK) ||
    (isLong ? known.body?.ref === sha256(text) : known.text === text);
  const isSamePlace =
    draft.to === undefined
      ? known.to === undefined && isChannel(draft.channel, known.channel)
      : sameNames(draft.to, known.to ?? []);
  if (known.from === from && isSameText && isSamePlace) return true;
  throw messageKeyReused({ key, id: known.id });
}

function isChannel(wanted: string | undefined, posted: string | undefined): boolean {
  return wanted === undefined || wanted.replace(/^#/, "") === posted;
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  const names = (list: readonly string[]) =>
    list.map((name) => name.replace(/^@/, "").toLowerCase());
  return names(left).toSorted().join() === names(right).toSorted().join();
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

/** The channel that a draft is for: any that has a valid name; the first message makes it. Raises MESSAGE_UNKNOWN_CHANNEL. */
function resolveChannel(state: RunState, { from, draft, mainChannel }: Posting): string {
  const { channel = channelsOf(state, from, mainChannel)[0] ?? mainChannel } = draft;
  const bare = channel.replace(/^#/, "");
  if (bare === mainChannel || ID_PATTERN.test(bare)) return bare;
  throw messageUnknownChannel({ channel, known: [mainChannel] });
}

/** A long text goes into the journal under its hash; what travels is its beginning (MSG-9). */
function toTravel(runtime: RunRuntime, text: string): Pick<Message, "text" | "body"> {
  // No text with fewer UTF-16 units can take that many bytes.
  if (text.length * 3 <= MAX_TRAVELLING_BYTES) return { text };
  if (Buffer.byteLength(text) <= MAX_TRAVELLING_BYTES) return { text };
  const kept = runtime.keepText(text);
  const sizeBytes = Buffer.byteLength(kept.text);
  return { text: shortForm(kept.text), body: { ref: kept.ref, sizeBytes } };
}

function readMentions(runtime: RunRuntime, sender: string, text: string): Mentions {
  // Most messages mention nobody; then the number of agents must not matter.
  const known = text.includes("@") ? [...runtime.state.agents.keys()] : [];
  return findMentions(text, { known, sender });
}

/** A name in a text reaches nobody to whom its author may not write; the author is told. */
function permitted(
  state: RunState,
  from: string,
  { mentions, unknown, people }: Mentions,
): Pick<Mentions, "mentions" | "unknown" | "people"> & { readonly refused: readonly string[] } {
  const refused = mentions.filter((reader) => !mayWriteTo(state, from, reader));
  const isPersonRefused = people && !mayWriteTo(state, from, "user");
  return {
    mentions: mentions.filter((id) => !refused.includes(id)),
    unknown,
    people: people && !isPersonRefused,
    refused: isPersonRefused ? [...refused, "user"] : refused,
  };
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

/** A message that has just been posted. */
interface PostedMessage extends Pick<Message, "id" | "from" | "to" | "mentions"> {
  /** The whole text, also where only its beginning travels. */
  readonly text: string;
  /** Set on what Troupe itself tells its recipients about the agent that they watch. */
  readonly notice?: ShadowTrigger | undefined;
}

/**
 * Gives shadows their copies of a message and calls those that may speak because of it, in the group of events
 * of the message itself: whoever has the one after a crash has the other.
 */
function informShadows(runtime: RunRuntime, posted: PostedMessage): void {
  const { state } = runtime;
  if (state.shadows.size === 0) return;
  const { id, from, to, mentions, text, notice } = posted;
  const recipients = to ?? mentions;
  const shadows = concernedShadows(state, [from, ...recipients]);
  const mayBeAsked = shadows.some(({ binding }) => binding.speakOn.includes("REVIEW_REQUEST"));
  const message = {
    from,
    isFromShadow: findAgent(state, from)?.spec.shadow !== undefined,
    recipients,
    requestsReview: mayBeAsked && requestsReview(text),
    notice,
  };
  for (const shadow of shadows) {
    const { copy, trigger } = decideShadowing(shadow, message);
    const agent = shadow.id;
    if (copy !== undefined) runtime.append({ type: "message-copied", agent, id, ...copy });
    if (trigger !== undefined) runtime.append({ type: "shadow-called", agent, id, trigger });
  }
}

interface BoundShadow {
  readonly id: string;
  readonly binding: ShadowBinding;
}

/** Live shadows among some agents, and those that watch one of them. */
function concernedShadows(state: RunState, names: readonly string[]): readonly BoundShadow[] {
  const found = new Map<string, ShadowBinding>();
  for (const name of names) {
    const agent = findAgent(state, name);
    const own = agent === undefined || agent.status === "exited" ? [] : [agent];
    for (const { id, spec } of [...own, ...shadowsOf(state, name)])
      if (spec.shadow !== undefined) found.set(id, spec.shadow);
  }
  return [...found].map(([id, binding]) => ({ id, binding }));
}

/** What an agent sends by its own decision, as itself. */
export interface Sending extends Posting {
  readonly draft: OptimisticDraft;
}

/** Most messages that a sender who is behind gets back at once. */
const MAX_UNSEEN = 50;

/**
 * Posts what an agent sends: unless others have written to that channel, or to the sender directly, since
 * `lastSeen` (MSG-6). A key that is known already posts nothing and gets the first receipt. Raises what
 * postMessage raises and MESSAGE_RATE_EXCEEDED.
 */
export function sendAsAgent(runtime: RunRuntime, sending: Sending): PostResult {
  const { draft, key } = sending;
  const isKnown = isPostedUnder(runtime.state, key);
  if (!isKnown) {
    const behind = findUnseen(runtime, sending);
    if (behind !== undefined) return behind;
    assertMaySend(runtime.state, sending.from, runtime.timers.now());
  }
  const { lastSeen: _lastSeen, force: _force, ...plain } = draft;
  return { status: "posted", ...postMessage(runtime, { ...sending, draft: plain }) };
}

function findUnseen(runtime: RunRuntime, sending: Sending): PostResult | undefined {
  const { state } = runtime;
  const { from, draft } = sending;
  if (draft.lastSeen === undefined || draft.force === true) return undefined;
  // What cannot be posted at all is told first: reading on would not help.
  const to = assertPostable(state, from, draft);
  const channel = to === undefined ? resolveChannel(state, sending) : undefined;
  const found = unseenBy(runtime, from, {
    after: draft.lastSeen,
    channel,
    limit: MAX_UNSEEN + 1,
  });
  const messages = found.slice(0, MAX_UNSEEN);
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  return { status: "behind", messages, next: last.seq, hasMore: found.length > MAX_UNSEEN };
}
