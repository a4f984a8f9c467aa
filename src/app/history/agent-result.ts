import { toConversation } from "../../agents/backends/model/loop/conversation.ts";
import type { StopReason } from "../../contracts/backend.ts";
import type { ConversationMessage } from "../../contracts/conversation.ts";
import type { SessionRecordEvent } from "../../contracts/events/session-events.ts";
import { addUsage, type Usage } from "../../contracts/usage.ts";
import type { Machine } from "../machine/machine.ts";
import { isRecordEvent, recordedEntry } from "../runs/recorded-entry.ts";

/** The text that a hash stands for; undefined where it is gone. */
type TextOf = (ref: string) => string | undefined;

/** What a prompt came to. */
export interface AgentRunResult {
  /** Id of the run. */
  readonly run: string;
  /** What the agent said last. */
  readonly finalText: string;
  /** Of all answers, what was shown and what was said. */
  readonly totalTokens: number;
  readonly toolUseCount: number;
  readonly stopReason: StopReason;
  /** The whole conversation, for `runWithContext`. */
  readonly messages: readonly ConversationMessage[];
}

/**
 * What the run of one agent that is a model has come to. `before`: the conversation that it was given to go on with.
 * Raises STORE_* errors.
 */
export function readAgentResult(
  { store }: Pick<Machine, "store">,
  run: string,
  before: readonly ConversationMessage[],
): AgentRunResult {
  const journal = store.open(run, "read");
  try {
    const events = [...journal.read()];
    const turn = events.findLast((event) => event.type === "turn-completed");
    const answers = events.filter((event) => event.type === "model-called");
    const { inputTokens = 0, outputTokens = 0 } = answers.reduce<Usage>(
      (sum, { usage = {} }) => addUsage(sum, usage),
      {},
    );
    return {
      run,
      finalText: turn?.text ?? "",
      totalTokens: inputTokens + outputTokens,
      toolUseCount: events.filter(({ type }) => type === "tool-called").length,
      stopReason: turn?.stopReason ?? "cancelled",
      messages: conversationOf(events.filter(isRecordEvent), (ref) => journal.blob(ref), before),
    };
  } finally {
    journal.close();
  }
}

function conversationOf(
  events: readonly SessionRecordEvent[],
  textOf: TextOf,
  before: readonly ConversationMessage[],
): readonly ConversationMessage[] {
  const entries = events.flatMap((event) => recordedEntry(event, textOf) ?? []);
  const start = entries.findLastIndex(({ kind }) => kind === "compacted");
  const own = toConversation(entries.slice(Math.max(0, start)));
  // A summary stands for what came before too.
  return start < 0 ? [...before, ...own] : own;
}
