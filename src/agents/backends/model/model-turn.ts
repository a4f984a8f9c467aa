import { present } from "../../../foundation/present.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import { callsOf, type SessionEntry } from "./loop/entry.ts";
import { flatten, nextStep, unanswered } from "./loop/next-step.ts";
import type { ModelCalls } from "./model-calls.ts";
import { badToolCalls } from "./provider/errors.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { Transcript } from "./transcript.ts";

/** What the turns of a session share. */
export interface TurnParts {
  readonly transcript: Transcript;
  readonly models: ModelCalls;
  readonly tools: ToolCalls;
  /** What the model of a new session is told before everything else. */
  readonly system: string;
  /** Most answers of one turn. */
  readonly maxCalls: number;
  /** What is to be known of tools before the turn; texts are for the model. */
  prepare(work: TurnWork): Promise<readonly string[]>;
  /** Takes what others put into the turn meanwhile. */
  takeWords(): string | undefined;
}

/**
 * One turn of a model: what comes next is decided by the record alone, so that a turn which is started again goes on
 * where it stopped. Raises BACKEND_* errors, AGENT_CONTEXT_FULL and AGENT_BAD_TOOL_CALLS.
 */
export async function runModelTurn(work: TurnWork, parts: TurnParts): Promise<TerminalUpdate> {
  const { transcript, models, tools, maxCalls } = parts;
  const { turn, agent } = work.request;
  const isOn = !begin(work, parts);
  if (work.request.compact === true) await models.compact(work);
  for (const text of await parts.prepare(work)) tellOnce(transcript, turn, text);
  // One that goes on is not given its prompt again, which would begin with it.
  let interruption = isOn ? work.request.interruption : undefined;
  for (;;) {
    work.signal.throwIfAborted();
    const step = nextStep(transcript.entries, turn, maxCalls);
    if (interruption !== undefined && (step.type === "ask" || step.type === "call")) {
      tell(transcript, { kind: "told", turn, why: "message", text: interruption });
      interruption = undefined;
    }
    switch (step.type) {
      case "ask":
        hearWords(turn, parts);
        await models.ask(work);
        tools.hear(lastCalls(transcript.entries));
        break;
      case "call":
        await tools.run(step.calls, work);
        break;
      case "tell":
        tell(transcript, { kind: "told", turn, why: step.why, text: step.text });
        break;
      case "stop":
        if (hearWords(turn, parts)) break;
        return { type: "stop", reason: step.reason, text: step.text };
      case "give-up":
        throw badToolCalls({ agent, badCalls: step.badCalls });
    }
  }
}

/** Gives the prompt, unless the turn goes on that was given it: whether it did. */
function begin(work: TurnWork, { transcript, tools, ...parts }: TurnParts): boolean {
  const { turn, prompt } = work.request;
  const isOn = flatten(transcript.entries).some((entry) => "turn" in entry && entry.turn === turn);
  if (isOn) return false;
  transcript.begin(turn);
  for (const { part, isStarted } of unanswered(flatten(transcript.entries)))
    tools.cancel(part, isStarted, turn);
  const system = transcript.system === undefined ? parts.system : undefined;
  const first = { kind: "told", turn, why: "prompt", text: prompt } as const;
  tell(transcript, { ...first, ...present({ system }) });
  return true;
}

/** Whether somebody has said something. */
function hearWords(turn: number, { transcript, takeWords }: TurnParts): boolean {
  const text = takeWords();
  if (text === undefined) return false;
  tell(transcript, { kind: "told", turn, why: "message", text });
  return true;
}

/** Whoever goes on with a session knows it already. */
function tellOnce(transcript: Transcript, turn: number, text: string): void {
  const isKnown = flatten(transcript.entries).some(
    (entry) => entry.kind === "told" && entry.text === text,
  );
  if (!isKnown) tell(transcript, { kind: "told", turn, why: "message", text });
}

function tell(
  transcript: Transcript,
  entry: Extract<SessionEntry, { readonly kind: "told" }>,
): void {
  transcript.add(entry.turn, { type: "session-noted", what: "told" }, entry);
}

function lastCalls(entries: readonly SessionEntry[]) {
  const last = entries.at(-1);
  return last?.kind === "answer" ? callsOf(last) : [];
}
