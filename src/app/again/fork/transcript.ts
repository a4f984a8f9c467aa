import { z } from "zod";
import type { JournalEvent } from "../../../contracts/events/event.ts";

const MOST_CHARS = 12_000;
const MOST_CHARS_EACH = 2000;

const turnInput = z.object({ prompt: z.string(), task: z.string().exactOptional() });

/**
 * What a session was asked and what it answered, the latest turns of it, for one that goes on without its memory;
 * undefined when no turn of it has ended.
 */
export function transcriptOf(
  events: readonly JournalEvent[],
  { agent, session }: { readonly agent: string; readonly session: string },
): string | undefined {
  const prompts = new Map<string, string>();
  const turns = new Map<number, readonly string[]>();
  const told: string[] = [];
  for (const event of events) {
    if (event.type === "operation-scheduled" && event.kind === "turn")
      prompts.set(event.op, promptOf(event.input));
    if (event.type === "message-posted") prompts.set(event.id, `${event.from}: ${event.text}`);
    if (event.type === "turn-started" && event.agent === agent && event.session === session)
      turns.set(
        event.turn,
        event.items.map((item) => prompts.get(item.kind === "prompt" ? item.op : item.id) ?? ""),
      );
    const asked = event.type === "turn-completed" && event.agent === agent && turns.get(event.turn);
    if (event.type === "turn-completed" && asked)
      told.push(
        [
          ...quote("You were asked:", asked.join("\n\n")),
          ...quote("You answered:", event.text),
        ].join("\n"),
      );
  }
  return told.length === 0
    ? undefined
    : ["This is what you did before:", ...latest(told)].join("\n");
}

function promptOf(input: unknown): string {
  const { success, data } = turnInput.safeParse(input);
  return success ? (data.task ?? data.prompt) : "";
}

function quote(title: string, text: string): readonly string[] {
  const isCut = text.length > MOST_CHARS_EACH;
  const shown = (isCut ? `…${text.slice(-MOST_CHARS_EACH)}` : text).toWellFormed();
  return [title, ...shown.split("\n").map((line) => `> ${line}`)];
}

function latest(turns: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = MOST_CHARS;
  for (const turn of [...turns].reverse()) {
    room -= turn.length;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(turn);
  }
  return kept;
}
