import { join } from "node:path";
import type { Machine } from "../machine/machine.ts";
import { type TranscriptFacts, type TranscriptLine, Transcripts } from "./transcripts.ts";

/** Where the transcripts of a run are, in its directory. */
export function transcriptsIn(runDirectory: string): string {
  return join(runDirectory, "transcripts");
}

/** What an agent of a run was told and has said, as far as the journal goes. */
export interface AgentTranscript {
  /** Undefined: it has none. */
  readonly facts: TranscriptFacts | undefined;
  readonly lines: readonly TranscriptLine[];
}

/** The transcript of an agent, from the journal: also of a run that came from elsewhere. Raises STORE_* errors. */
export function readTranscript(
  { store }: Pick<Machine, "store">,
  run: string,
  agent: string,
): AgentTranscript {
  const journal = store.open(run, "read");
  try {
    const transcripts = new Transcripts(run, (ref) => journal.blob(ref));
    const lines: TranscriptLine[] = [];
    for (const event of journal.read())
      lines.push(...transcripts.take(event).filter((line) => line.agent === agent));
    return { facts: transcripts.facts(agent), lines };
  } finally {
    journal.close();
  }
}
