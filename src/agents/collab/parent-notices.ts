import type { ToldStatus } from "../../contracts/collab.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Message } from "../../contracts/message.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { collabStatusOf } from "../../fold/collab-status.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { isPostedUnder, messageUnder } from "../../fold/state/message-source.ts";
import { takeMessages } from "../../messaging/agent-inbox.ts";
import { postMessage } from "../../messaging/post-message.ts";

// What parents are told of how their children come to have nothing to do (COL-6, COL-12).
// N1: each ending is one message from `system` to the parent, in the group of events of the ending itself.
// N2: an answer that tells an ending takes its message in that turn. So the turn's end acks it, or gives it back
//     to the inbox, which wakes the parent: each ending is told, and none twice.

/** Most characters of an answer that a message carries: in UTF-8 it stays below what a message may have. */
const MAX_TEXT_CHARS = 262_000;
/** Most bytes of a text in an answer. */
const MAX_ANSWER_BYTES = 16_384;

const ENDING_EVENTS: ReadonlySet<JournalEvent["type"]> = new Set([
  "turn-completed",
  "turn-failed",
  "turn-interrupted",
  "message-dead",
  "agent-exited",
]);

/** Who tells parents of one run. */
export interface NoticeSource {
  readonly runtime: RunRuntime;
  readonly mainChannel: string;
}

/** The agent whose ending an event is, if it is one. */
export function endedAgent(runtime: RunRuntime, event: JournalEvent): AgentState | undefined {
  if (!ENDING_EVENTS.has(event.type) || !("agent" in event)) return undefined;
  const agent = event.agent === undefined ? undefined : findAgent(runtime.state, event.agent);
  return agent?.ending?.seq === event.seq ? agent : undefined;
}

/** Tells the parent of an agent how that ended, unless it was told before. */
export function tellParent({ runtime, mainChannel }: NoticeSource, agent: AgentState): void {
  const { spawnedBy } = agent.spec;
  const parent = spawnedBy === undefined ? undefined : findAgent(runtime.state, spawnedBy);
  if (parent === undefined || parent.status === "exited" || agent.ending === undefined) return;
  const key = noticeKey(runtime, agent);
  if (isPostedUnder(runtime.state, key)) return;
  const { text } = agent.ending;
  const body = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS).toWellFormed() : text;
  const draft = { to: [parent.id], text: `${headOf(agent)}${body}` };
  postMessage(runtime, { from: "system", draft, key, mainChannel, mentionsIn: "" });
}

/** The status of an agent as an answer to its parent tells it, which need not be told by a message then. */
export function tellStatus(
  runtime: RunRuntime,
  caller: { readonly agent: string; readonly turn: number },
  agent: AgentState,
): ToldStatus {
  const status = collabStatusOf(runtime.state, agent);
  const notice = noticeOf(runtime, agent);
  const isTold = notice !== undefined && status.status === agent.ending?.status;
  if (isTold && agent.spec.spawnedBy === caller.agent) takeMessages(runtime, caller, [notice]);
  const { text } = status;
  if (text === undefined || Buffer.byteLength(text) <= MAX_ANSWER_BYTES) return status;
  const cut = beginningOf(text);
  const ref = isTold ? notice.body?.ref : undefined;
  const rest =
    ref === undefined ? {} : { rest: { ref, offset: headOf(agent).length + cut.length } };
  return { ...status, text: cut, isCut: true, ...rest };
}

function noticeOf(runtime: RunRuntime, agent: AgentState): Message | undefined {
  if (agent.ending === undefined) return undefined;
  return messageUnder(runtime, noticeKey(runtime, agent));
}

function noticeKey({ run }: RunRuntime, { id, ending }: AgentState): string {
  return `${run}/ending/${id}/${ending?.seq ?? 0}`;
}

function headOf({ id, ending }: AgentState): string {
  const word = ending?.status ?? "";
  return `Agent ${id}: ${word}${ending?.text === "" ? "" : "\n\n"}`;
}

/** As much of a text as fits, without half a character at its end. */
function beginningOf(text: string): string {
  const bytes = Buffer.from(text.slice(0, MAX_ANSWER_BYTES)).subarray(0, MAX_ANSWER_BYTES);
  return new TextDecoder().decode(bytes, { stream: true });
}
