import { z } from "zod";
import type { Signal } from "../../contracts/signal.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";

// What was said in a debate.

/** All arguments together that a turn is told of; each has its share. */
const MAX_TRANSCRIPT_CHARS = 262_144;

/** What a debater has said in a round. */
export const argument = z.object({
  round: z.number(),
  agent: z.string(),
  text: z.string(),
  conceded: z.boolean(),
});
/** The value of `argument`. */
export type Argument = z.infer<typeof argument>;

/** A concession counts before an argument; a final position stands below either. */
export function toArgument(signals: readonly Signal[]): Pick<Argument, "text" | "conceded"> {
  const payloadOf = (wanted: string) => signals.find(({ kind }) => kind === wanted)?.value;
  const concession = payloadOf("concede");
  const final = payloadOf("done");
  const text = concession ?? payloadOf("argument") ?? "";
  return {
    text: final === undefined ? text : `${text}\n\n${final}`.trim(),
    conceded: concession !== undefined,
  };
}

/** Arguments as data, each with its round. */
export function toBlocks(said: readonly Argument[]): readonly DataBlock[] {
  const most = Math.floor(MAX_TRANSCRIPT_CHARS / Math.max(1, said.length));
  return said.map(({ round, agent, text, conceded }) => ({
    label: `round ${round}, ${conceded ? "concession" : "argument"} of ${agent}`,
    text: text.length > most ? `${text.slice(0, most).toWellFormed()}… (cut here)` : text,
  }));
}

/** Arguments by the rounds in which they were made. */
export function roundsOf(said: readonly Argument[]): readonly {
  readonly round: number;
  readonly arguments: readonly Omit<Argument, "round">[];
}[] {
  return [...Map.groupBy(said, ({ round }) => round)].map(([round, own]) => ({
    round,
    arguments: own.map(({ agent, text, conceded }) => ({ agent, text, conceded })),
  }));
}
