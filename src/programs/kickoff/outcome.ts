import type { ProgramResult } from "../../contracts/ports/program.ts";
import { count } from "../../foundation/count.ts";
import type { Conversation } from "./conversation.ts";

/** What is known of the end beside the conversation. */
export interface OverFacts {
  /** Why it is over. */
  readonly reason: string;
  /** Prompts that failed, a line each. */
  readonly failures: readonly string[];
  /** Whether it went on until somebody stopped it: then what failed on the way is no failure of the whole. */
  readonly isStanding: boolean;
}

/** What a conversation has come to, told truthfully: whoever gave up is no success (KCK-3, ENG-11). */
export function decideOutcome(conversation: Conversation, over: OverFacts): ProgramResult {
  const { broken, turns, messages } = conversation;
  if (broken !== undefined) return { outcome: "limit-reached", reason: broken, metadata: {} };
  const [failure] = [...failuresOf(conversation, over.isStanding), ...over.failures];
  if (failure !== undefined) return { outcome: "failed", reason: failure, metadata: {} };
  // What has no end of its own is not counted on the way.
  const counts = `: ${count(turns, "turn")}, ${count(messages, "message")}`;
  const reason = over.isStanding ? over.reason : over.reason + counts;
  return { outcome: "completed", reason, metadata: {} };
}

/** What went wrong, gravest first, a line each. */
function failuresOf(
  { exitErrors, negatives, deadLetters }: Conversation,
  isStanding: boolean,
): readonly string[] {
  const exits = [...exitErrors].map(
    ([agent, error]) => `agent "${agent}" gave up: ${inOneShortLine(error)}`,
  );
  if (isStanding) return exits;
  return [
    ...exits,
    ...deadLetters.map((agent) => `a message to agent "${agent}" was given up`),
    ...[...negatives].map(([agent, said]) => `agent "${agent}" says ${inOneShortLine(said)}`),
  ];
}

/** A text as one line, at most 2,000 characters of it. */
export function inOneShortLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 2000).toWellFormed();
}
