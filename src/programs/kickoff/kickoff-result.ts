import type { Message } from "../../contracts/message.ts";
import { allMessages, type MessageSource } from "../../fold/state/message-source.ts";

/** What a kickoff workflow came to: the `result` of `run-ended`. */
export interface KickoffResult {
  /** Those of the file; what agents that they spawned came to is in the messages. */
  readonly agents: readonly {
    readonly name: string;
    /** Turns that ended. */
    readonly turns: number;
    /** What it said at the end of the last one. */
    readonly text: string;
  }[];
  /** All messages, in order. */
  readonly messages: readonly Message[];
  readonly documents: readonly {
    readonly name: string;
    readonly revision: number;
    readonly text: string;
  }[];
}

/** The result of a run, also when it was cut short: all of it is in the journal. */
export function toKickoffResult(source: MessageSource): KickoffResult {
  const { agents, documents } = source.state;
  return {
    agents: [...agents.values()]
      .filter(({ spec }) => spec.spawnedBy === undefined)
      .map(({ id, turnsEnded, lastText = "" }) => ({
        name: id,
        turns: turnsEnded,
        text: lastText,
      })),
    messages: [...allMessages(source)],
    documents: [...documents.byName.values()].map(({ name, revision, text }) => {
      return { name, revision, text };
    }),
  };
}
