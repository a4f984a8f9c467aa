import { setIndexed } from "../../foundation/text-index.ts";
import { agentKey } from "../state/agent-lookup.ts";
import { isKnownMessage, toMessage } from "../state/message-source.ts";
import type { MessagesState } from "../state/message-state.ts";
import { rememberWrite } from "../state/message-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** All messages, by channel and reader. */
export const messageTable: FoldTable = {
  "message-posted": (state, event) => {
    if (isKnownMessage(state, event.id)) return;
    const { messages } = state;
    const message = toMessage(event);
    const { id, seq, from, channel, to, mentions, body } = message;
    messages.count += 1;
    rememberWrite(messages, from, event.at);
    if (body !== undefined) messages.bodies.add(body.ref);
    // Its copies, which come with it, are still delivered.
    if (messages.most === 0) {
      messages.recent[0] = message;
      return;
    }
    messages.recent.push(message);
    messages.recentChars += message.text.length;
    setIndexed(messages.ids, id, seq);
    if (event.key !== undefined) setIndexed(messages.keys, event.key, seq);
    if (channel !== undefined) append(messages.byChannel, channel, seq);
    for (const name of new Set((to ?? mentions).map(agentKey)))
      append(messages.byReader, name, seq);
    forgetOld(messages);
  },
};

function append(lists: Map<string, number[]>, name: string, seq: number): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [seq]);
  else list.push(seq);
}

/** Of the newest messages at most so many UTF-16 units are kept, however many messages that are. */
const MOST_RECENT_CHARS = 8_000_000;

/** Every so often half of what is kept is let go, so that a message costs the same however many there are. */
function forgetOld(messages: MessagesState): void {
  const { recent, most } = messages;
  const isMuch = recent.length > 2 * most || messages.recentChars > 2 * MOST_RECENT_CHARS;
  if (most === Infinity || !isMuch) return;
  let first = 0;
  for (; first < recent.length - 1; first += 1) {
    if (recent.length - first <= most && messages.recentChars <= MOST_RECENT_CHARS) break;
    messages.recentChars -= recent[first]?.text.length ?? 0;
  }
  recent.splice(0, first);
}
