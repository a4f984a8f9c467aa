import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAiderReader } from "../../../../src/agents/backends/aider/aider-reader.ts";
import { CodexReader } from "../../../../src/agents/backends/codex/codex-reader.ts";
import { geminiDialect } from "../../../../src/agents/backends/gemini/gemini-dialect.ts";
import type { TurnReader } from "../../../../src/agents/backends/parts/turn-reader.ts";
import { createAcpTranscriptReader } from "../acp/transcript.ts";
import { createTranscriptReader } from "../claude/transcript.ts";

/** The reader of one program's output. */
export interface ReaderEntry {
  /** Its folder beside this one; `transcripts/` in it holds what the program has printed, as it was. */
  readonly folder: string;
  createReader(): TurnReader;
}

/** All readers of lines. A new backend adds a line. */
export const readers: readonly ReaderEntry[] = [
  { folder: "claude", createReader: createTranscriptReader },
  { folder: "codex", createReader: () => new CodexReader("worker", "thread-1") },
  { folder: "gemini", createReader: () => createAcpTranscriptReader(geminiDialect("/home/user")) },
  { folder: "opencode", createReader: () => createAcpTranscriptReader({}) },
  { folder: "aider", createReader: createAiderReader },
];

/** A recorded output. */
export interface Transcript {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The transcripts of a reader. */
export function transcriptsOf({ folder }: ReaderEntry): readonly Transcript[] {
  const cwd = join(import.meta.dirname, "..", folder, "transcripts");
  return globSync("**/*.{jsonl,txt}", { cwd })
    .toSorted()
    .map((name) => ({ name: `${folder}/${name}`, bytes: readFileSync(join(cwd, name)) }));
}
