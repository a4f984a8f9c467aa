import { delay, rejectOnAbort } from "../../../foundation/abort.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { crashed, scriptMismatch } from "../parts/errors.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import type { ScriptedTurn } from "./cassette-schema.ts";
import type { Stage } from "./play-action.ts";
import { playAction } from "./play-action.ts";

/** A turn of a script, and the words that name it in errors. */
export interface PlayedTurn {
  readonly turn: ScriptedTurn;
  /** `turn 2 of planner`. */
  readonly entry: string;
  readonly session: string;
}

/**
 * Plays one entry: `expect`, `after`, `do` in order, then its end. Raises BACKEND_SCRIPT_MISMATCH and
 * what its actions raise; rejects with the signal's reason on abort.
 */
export async function playTurn(
  { turn, entry, session }: PlayedTurn,
  work: TurnWork,
  stage: Stage & { readonly clock: Clock },
): Promise<TerminalUpdate> {
  const { agent, prompt } = work.request;
  if (turn.expect !== undefined && !prompt.includes(turn.expect))
    throw scriptMismatch({ agent, entry, expected: turn.expect, prompt: excerpt(prompt) });
  if (turn.after !== undefined) await delay(stage.clock, parseDuration(turn.after), work.signal);
  for (const action of turn.do) {
    work.signal.throwIfAborted();
    if (!(await playAction(action, work, stage))) break;
  }
  work.signal.throwIfAborted();
  return endTurn(turn, work, session);
}

async function endTurn(
  turn: ScriptedTurn,
  work: TurnWork,
  session: string,
): Promise<TerminalUpdate> {
  const { agent } = work.request;
  if (turn.hang === true) return rejectOnAbort(work.signal).promise;
  if (turn.crash === true)
    return { type: "error", error: toErrorReport(crashed({ agent, session })), sessionLost: true };
  if (turn.fail !== undefined) {
    const { sessionLost, ...error } = turn.fail;
    return { type: "error", error, ...(sessionLost === undefined ? {} : { sessionLost }) };
  }
  const reason = turn.stop ?? "end_turn";
  if (turn.say === undefined) return { type: "stop", reason };
  if (turn.do.every(({ chunk }) => chunk === undefined))
    work.emit({ type: "text-delta", text: turn.say });
  return { type: "stop", reason, text: turn.say };
}

function excerpt(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
}
