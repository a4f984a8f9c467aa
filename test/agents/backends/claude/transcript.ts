import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeReader } from "../../../../src/agents/backends/claude/claude-reader.ts";
import { createClaudeMeter } from "../../../../src/agents/backends/claude/claude-usage.ts";
import type { TurnReader } from "../../../../src/agents/backends/parts/turn-reader.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";

/** What the turns of the transcripts were told: the prompt, a text in time, and one that came too late for an answer. */
const SAID = [1, 2, 3].map((count) => `00000000-0000-4000-8000-00000000000${count}`);

/** When the transcripts were made. */
export const NOW_MS = Date.UTC(2026, 10, 22);

/** A reader of one turn of agent `worker`; `said` counts what it was told. */
export function createTranscriptReader(said = 1): TurnReader {
  return createClaudeReader({
    agent: "worker",
    unanswered: new Set(SAID.slice(0, said)),
    meter: createClaudeMeter({ isResumed: false }),
    now: () => NOW_MS,
  });
}

/** What its version 2.1.330 printed during one turn: paths and ids are made up, what nobody reads is left out. */
export function transcript(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "transcripts", `${name}.jsonl`));
}

/** Updates as a person would tell them: signs of activity left out, texts joined. */
export function told(updates: readonly TurnUpdate[]): readonly TurnUpdate[] {
  const joined: TurnUpdate[] = [];
  for (const update of updates) {
    const last = joined.at(-1);
    if (update.type === "activity") continue;
    if (update.type === "text-delta" && last?.type === "text-delta")
      joined[joined.length - 1] = { type: "text-delta", text: last.text + update.text };
    else joined.push(update);
  }
  return joined;
}
