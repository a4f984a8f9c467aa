import type { Message, MessageDraft } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/agent-lookup.ts";
import type { RunState } from "../fold/run-state.ts";
import type { InboxItem } from "../fold/state/inbox-state.ts";
import { shortId } from "../foundation/ids.ts";
import { seededRandom } from "../foundation/random.ts";

/** The question that an agent's message puts into the inbox; there is one at most. */
export function questionId(state: RunState, key: string): string {
  return shortId("qst", seededRandom(`${state.run.seed}:${key}:question`));
}

/** Puts an agent's message into the inbox; what people and the system post asks nobody. */
export function askPerson(
  runtime: RunRuntime,
  { id: message, from, text }: Pick<Message, "id" | "from" | "text">,
  key: string,
): string | undefined {
  const agent = findAgent(runtime.state, from)?.id;
  if (agent === undefined) return undefined;
  const id = questionId(runtime.state, key);
  runtime.append({ type: "question-asked", id, agent, message, text });
  return id;
}

/**
 * The person's answer as a message to the agent that asked, in the same thread; undefined when no message
 * asked, so that a turn waits for the answer itself.
 */
export function toReply(
  state: RunState,
  item: InboxItem | undefined,
  answer: string,
): { readonly draft: MessageDraft; readonly key: string } | undefined {
  if (item?.kind !== "question" || item.message === undefined) return undefined;
  const threadId = state.messages.byId.get(item.message)?.threadId ?? item.message;
  const draft = { to: [item.agent], text: answer, threadId };
  return { draft, key: `${state.run.id}/${item.id}/answer` };
}
