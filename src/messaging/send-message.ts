import type { OptimisticDraft, PostResult } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { unseenBy } from "../fold/message-reading.ts";
import { assertPostable, type Posting, postMessage, resolveChannel } from "./post-message.ts";
import { assertMaySend } from "./sending-rate.ts";

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
  const isKnown = runtime.state.messages.byKey.has(key);
  if (!isKnown) {
    const behind = findUnseen(runtime, sending);
    if (behind !== undefined) return behind;
    assertMaySend(runtime.state, sending.from, runtime.timers.now());
  }
  const { lastSeen: _lastSeen, force: _force, ...plain } = draft;
  return { status: "posted", ...postMessage(runtime, { ...sending, draft: plain }) };
}

function findUnseen({ state }: RunRuntime, sending: Sending): PostResult | undefined {
  const { from, draft } = sending;
  if (draft.lastSeen === undefined || draft.force === true) return undefined;
  // What cannot be posted at all is told first: reading on would not help.
  const to = assertPostable(state, from, draft);
  const channel = to === undefined ? resolveChannel(sending) : undefined;
  const found = unseenBy(state, from, {
    after: draft.lastSeen,
    channel,
    limit: MAX_UNSEEN + 1,
  });
  const messages = found.slice(0, MAX_UNSEEN);
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  return { status: "behind", messages, next: last.seq, hasMore: found.length > MAX_UNSEEN };
}
