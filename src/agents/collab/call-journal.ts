import type { CollabEnded, CollabOperation } from "../../contracts/events/collab-events.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { CollabCaller } from "../collab-door.ts";

const MAX_PROMPT_CHARS = 2000;

/** A call that is under way. */
export interface JournaledCall {
  readonly by: Pick<CollabCaller, "agent" | "turn">;
  readonly operation: CollabOperation;
  readonly key: string;
  readonly agents: readonly string[];
  readonly prompt?: string;
}

/** What a call comes to. */
export type CallOutcome = Pick<CollabEnded, "agents" | "statuses"> & {
  /** Defaults to false. */
  readonly timedOut?: boolean;
};

/** Journals that a call begins and what it comes to. Rejects with what `act` raises, which is journaled too. */
export async function journalCall(
  runtime: RunRuntime,
  { by, operation, key, agents, prompt }: JournaledCall,
  act: () => CallOutcome | Promise<CallOutcome>,
): Promise<void> {
  const at = { agent: by.agent, turn: by.turn, call: key, operation };
  const said = prompt === undefined ? {} : { prompt: excerptOf(prompt) };
  runtime.append({ type: "collab-began", ...at, agents, ...said });
  const end = (outcome: CallOutcome & Pick<CollabEnded, "error">) =>
    runtime.append({ type: "collab-ended", ...at, timedOut: false, ...outcome });
  try {
    const outcome = act();
    // What is done at once is recorded in the same moment: a crash finds both or neither.
    end(outcome instanceof Promise ? await outcome : outcome);
  } catch (error) {
    end({ agents, statuses: {}, error: toErrorReport(error) });
    throw error;
  }
}

function excerptOf(text: string): string {
  return text.length > MAX_PROMPT_CHARS
    ? `${text.slice(0, MAX_PROMPT_CHARS - 1).toWellFormed()}…`
    : text;
}
