import type { Message, MessageBody, MessageDraft } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { requestId } from "../fold/request-id.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { InboxItem } from "../fold/state/inbox-state.ts";
import { findMessage, type MessageSource } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import type { Json } from "../foundation/json.ts";

const MAX_ASKED_CHARS = 200;

/** The question that an agent's message puts into the inbox; there is one at most. */
export function questionId(state: RunState, key: string): string {
  const asker = `${key}:question`;
  return requestId(state, { prefix: "qst", asker, seed: `${state.run.seed}:${asker}` });
}

/** Puts an agent's message into the inbox; what people and the system post asks nobody. */
export function askPerson(
  runtime: RunRuntime,
  asking: Pick<Message, "id" | "from" | "text" | "body">,
  key: string,
): string | undefined {
  const { id: message, body } = asking;
  const agent = findAgent(runtime.state, asking.from)?.id;
  if (agent === undefined) return undefined;
  const id = questionId(runtime.state, key);
  const text = asking.text + (body === undefined ? "" : restForPeople(runtime.run, body));
  const asker = `${key}:question`;
  runtime.append({ type: "question-asked", id, asker, agent, message, text });
  return id;
}

function restForPeople(run: string, { sizeBytes }: MessageBody): string {
  return `\n… (the beginning of ${sizeBytes} bytes: troupe logs ${run} --json)`;
}

/** Recognises the message that tells an agent what a person decided. */
export function decisionKey(state: RunState, approval: string): string {
  return `${state.run.id}/${approval}/answer`;
}

/** The decision about what an agent asked to be approved as a message to it; undefined when no agent asked. */
export function toDecision(
  state: RunState,
  item: InboxItem | undefined,
  decided: PersonDecision,
): { readonly draft: MessageDraft; readonly key: string } | undefined {
  if (item?.kind !== "approval" || item.agent === undefined) return undefined;
  const { decision, comment, edited } = decided;
  const asked = JSON.stringify(shorten(item.text));
  const lines = [
    `${item.id} ${decision}: ${asked}`,
    ...(comment === undefined ? [] : [comment]),
    ...(edited === undefined ? [] : [`in this form: ${JSON.stringify(edited)}`]),
  ];
  const draft = { to: [item.agent], text: lines.join("\n") };
  return { draft, key: decisionKey(state, item.id) };
}

/** What a person said about something to be approved. */
export interface PersonDecision {
  readonly decision: "approved" | "rejected";
  readonly comment?: string;
  readonly edited?: Json;
}

/**
 * The person's answer as a message to the agent that asked, in the same thread; undefined when no message
 * asked, so that a turn waits for the answer itself.
 */
export function toReply(
  source: MessageSource,
  item: InboxItem | undefined,
  answer: string,
): { readonly draft: MessageDraft; readonly key: string } | undefined {
  if (item?.kind !== "question" || item.message === undefined) return undefined;
  const { state } = source;
  const threadId = findMessage(source, item.message)?.threadId ?? item.message;
  const draft = { to: [item.agent], text: answer, threadId };
  return { draft, key: `${state.run.id}/${item.id}/answer` };
}

function shorten(text: string): string {
  return text.length > MAX_ASKED_CHARS ? `${text.slice(0, MAX_ASKED_CHARS).toWellFormed()}…` : text;
}
