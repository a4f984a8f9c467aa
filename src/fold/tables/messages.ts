import type { EventOf } from "../../contracts/events/event.ts";
import { MAIN_CHANNEL, type Message } from "../../contracts/message.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { agentKey } from "../state/agent-lookup.ts";
import { rememberWrite } from "../state/writing-times.ts";
import type { FoldTable } from "./fold-table.ts";

/** All messages, by channel, sender and addressee. */
export const messageTable: FoldTable = {
  "message-posted": (state, event) => {
    const { messages } = state;
    if (messages.byId.has(event.id)) return;
    const message = toMessage(event);
    messages.all.push(message);
    messages.byId.set(message.id, message);
    if (event.key !== undefined) messages.byKey.set(event.key, message);
    if (message.channel !== undefined) append(messages.byChannel, message.channel, message);
    append(messages.bySender, message.from, message);
    rememberWrite(state, message.from, event.at);
    for (const name of new Set(message.to?.map(agentKey)))
      append(messages.byAddressee, name, message);
    if (message.body !== undefined) messages.bodies.add(message.body.ref);
  },
};

function toMessage({
  type: _,
  key: _key,
  at,
  channel,
  ...rest
}: EventOf<"message-posted">): Message {
  const place = channel ?? (rest.to === undefined ? MAIN_CHANNEL : undefined);
  return { ...rest, timestamp: toIsoTime(at), ...(place === undefined ? {} : { channel: place }) };
}

function append(lists: Map<string, Message[]>, name: string, message: Message): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [message]);
  else list.push(message);
}
