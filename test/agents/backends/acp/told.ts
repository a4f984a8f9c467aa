import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AcpDialect } from "../../../../src/agents/backends/parts/acp/acp-launch.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import { replay } from "../transcripts/replay.ts";
import { createAcpTranscriptReader } from "./transcript.ts";

/** Where the recorded turns of a backend are, and how its program speaks. */
export interface RecordedTurns {
  readonly folder: string;
  readonly dialect: AcpDialect;
}

/** What a recorded turn told: signs of activity left out, texts joined. */
export function toldBy({ folder, dialect }: RecordedTurns, name: string): readonly TurnUpdate[] {
  const bytes = readFileSync(join(folder, "transcripts", `${name}.jsonl`));
  const joined: TurnUpdate[] = [];
  for (const update of replay(() => createAcpTranscriptReader(dialect), [bytes])) {
    const last = joined.at(-1);
    if (update.type === "activity") continue;
    if (update.type === "text-delta" && last?.type === "text-delta")
      joined[joined.length - 1] = { type: "text-delta", text: last.text + update.text };
    else joined.push(update);
  }
  return joined;
}
